; A conditional store of a value that the instance has just read always stores,
; on processors without masked stores.

; RUN: %leaf-opt -passes=sluice-choose-stores -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @least(
; CHECK: %[[VALUE:.*]] = select i1 %isLess, i32 %x, i32 %old
; CHECK: store i32 %[[VALUE]], ptr %place
; CHECK: br i1 %isLess
define void @least(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %from = getelementptr i32, ptr %in, i64 %i
  %place = getelementptr i32, ptr %out, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !4
  %old = load i32, ptr %place, !llvm.access.group !4
  %isLess = icmp slt i32 %x, %old
  br i1 %isLess, label %then, label %latch
then:
  store i32 %x, ptr %place, !llvm.access.group !4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where another place was read, and not in loops of other code.
; CHECK-LABEL: @elsewhere(
; CHECK-NOT: select
; CHECK: ret void
define void @elsewhere(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %from = getelementptr i32, ptr %in, i64 %i
  %place = getelementptr i32, ptr %out, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !4
  %old = load i32, ptr %from, !llvm.access.group !4
  %isLess = icmp slt i32 %x, %old
  br i1 %isLess, label %then, label %latch
then:
  store i32 %x, ptr %place, !llvm.access.group !4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @host(
; CHECK-NOT: select
; CHECK: ret void
define void @host(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %from = getelementptr i32, ptr %in, i64 %i
  %place = getelementptr i32, ptr %out, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !4
  %old = load i32, ptr %place, !llvm.access.group !4
  %isLess = icmp slt i32 %x, %old
  br i1 %isLess, label %then, label %latch
then:
  store i32 %x, ptr %place, !llvm.access.group !4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !5
exit:
  ret void
}

; Not with masked stores.
; CHECK-LABEL: @masked(
; CHECK-NOT: select
; CHECK: ret void
define void @masked(ptr noalias %in, ptr noalias %out, i64 %n) "target-features"="+avx2" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %from = getelementptr i32, ptr %in, i64 %i
  %place = getelementptr i32, ptr %out, i64 %i
  %x = load i32, ptr %from, !llvm.access.group !4
  %old = load i32, ptr %place, !llvm.access.group !4
  %isLess = icmp slt i32 %x, %old
  br i1 %isLess, label %then, label %latch
then:
  store i32 %x, ptr %place, !llvm.access.group !4
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
!5 = distinct !{!5, !1}
