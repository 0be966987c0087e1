; The instances that are left after whole vectors run as one vector under a mask,
; on processors that mask elements of all sizes.

; RUN: %leaf-opt -passes=sluice-mask-remainders -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @row(
; CHECK: %whole = and i64 %rounds, -64
; CHECK: br i1 {{.*}}, !llvm.loop [[WHOLE:![0-9]+]]
; CHECK: br i1 {{.*}}, !llvm.loop [[REST:![0-9]+]]
define void @row(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %from = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !4
  %y = add i32 %x, 1
  %place = getelementptr i32, ptr %out, i64 %i
  store i32 %y, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not on other processors, and not with calls.
; CHECK-LABEL: @unmasked(
; CHECK-NOT: whole
; CHECK: ret void
define void @unmasked(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %from = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !4
  %y = add i32 %x, 1
  %place = getelementptr i32, ptr %out, i64 %i
  store i32 %y, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @calls(
; CHECK-NOT: whole
; CHECK: ret void
define void @calls(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %from = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !4
  %y = add i32 %x, 1
  %place = getelementptr i32, ptr %out, i64 %i
  store i32 %y, ptr %place, !llvm.access.group !4
  call void @other()
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

declare void @other()
; CHECK: [[REST]] = {{.*}}
; CHECK: !{!"llvm.loop.vectorize.predicate.enable", i1 true}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
