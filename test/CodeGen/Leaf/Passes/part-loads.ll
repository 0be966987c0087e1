; What is loaded from one of two rows, as data say, is loaded from both under
; conditions.

; RUN: %leaf-opt -passes=sluice-part-loads -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @rows(
; CHECK: %[[WALL:.*]] = icmp eq i32
; CHECK: br i1 %[[WALL]], label %[[A:.*]], label %[[B:.*]]
; CHECK: [[A]]:
; CHECK: %[[FROM_A:.*]] = load float, ptr %a.place
; CHECK: [[B]]:
; CHECK: %[[FROM_B:.*]] = load float, ptr %b.place
; CHECK: phi float [ %[[FROM_A]], %[[A]] ], [ %[[FROM_B]], %[[B]] ]
define void @rows(ptr noalias %in, ptr noalias %wall, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %wall.place = getelementptr i32, ptr %wall, i64 %i
  %is = load i32, ptr %wall.place
  %a.place = getelementptr float, ptr %in, i64 %i
  %there = add i64 %i, %n
  %b.place = getelementptr float, ptr %in, i64 %there
  %none = icmp eq i32 %is, 0
  %chosen = select i1 %none, ptr %a.place, ptr %b.place
  %x = load float, ptr %chosen
  %out.place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %out.place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where one of the places is the same for all rounds, and not in other loops.
; CHECK-LABEL: @others(
; CHECK-COUNT-2: select
; CHECK: ret void
define void @others(ptr noalias %in, ptr noalias %wall, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v3" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %wall.place = getelementptr i32, ptr %wall, i64 %i
  %is = load i32, ptr %wall.place
  %a.place = getelementptr float, ptr %in, i64 %i
  %none = icmp eq i32 %is, 0
  %chosen = select i1 %none, ptr %a.place, ptr %in
  %x = load float, ptr %chosen
  %out.place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %out.place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %plain, !llvm.loop !0
plain:
  %j = phi i64 [ 0, %instances ], [ %j.next, %plain ]
  %j.wall = getelementptr i32, ptr %wall, i64 %j
  %j.is = load i32, ptr %j.wall
  %c.place = getelementptr float, ptr %in, i64 %j
  %j.there = add i64 %j, %n
  %d.place = getelementptr float, ptr %in, i64 %j.there
  %j.none = icmp eq i32 %j.is, 0
  %j.chosen = select i1 %j.none, ptr %c.place, ptr %d.place
  %y = load float, ptr %j.chosen
  %j.out = getelementptr float, ptr %out, i64 %j
  store float %y, ptr %j.out
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %plain, label %exit
exit:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"sluice.instances"}
