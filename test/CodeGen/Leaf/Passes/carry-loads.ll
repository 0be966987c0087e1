; An element that the next instance reads, too, is carried to it, where vectors
; are as long as a cache line.

; RUN: %leaf-opt -passes=sluice-carry-loads -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @pairs(
; CHECK: entry:
; CHECK: [[FIRST:%.*]] = load float, ptr
; CHECK: instances:
; CHECK: %carried = phi float [ [[FIRST]], %entry ], [ %right, %instances ]
; CHECK: %right = load
; CHECK-NOT: load
; CHECK: ret void
define void @pairs(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %l.place = getelementptr float, ptr %in, i64 %i
  %next1 = add nuw nsw i64 %i, 1
  %r.place = getelementptr float, ptr %in, i64 %next1
  %left = load float, ptr %l.place, !llvm.access.group !4
  %right = load float, ptr %r.place, !llvm.access.group !4
  %sum = fadd float %left, %right
  %place = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not on other processors, and not where what is read may be written.
; CHECK-LABEL: @short(
; CHECK-NOT: carried
; CHECK: ret void
define void @short(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %l.place = getelementptr float, ptr %in, i64 %i
  %next1 = add nuw nsw i64 %i, 1
  %r.place = getelementptr float, ptr %in, i64 %next1
  %left = load float, ptr %l.place, !llvm.access.group !4
  %right = load float, ptr %r.place, !llvm.access.group !4
  %sum = fadd float %left, %right
  %place = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @dependent(
; CHECK-NOT: carried
; CHECK: ret void
define void @dependent(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %l.place = getelementptr float, ptr %in, i64 %i
  %next1 = add nuw nsw i64 %i, 1
  %r.place = getelementptr float, ptr %in, i64 %next1
  %left = load float, ptr %l.place
  %right = load float, ptr %r.place
  %sum = fadd float %left, %right
  %place = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %place
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
