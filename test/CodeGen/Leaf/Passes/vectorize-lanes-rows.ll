; An instance that adds up whole numbers along a row of unknown length is not run
; as a lane: LLVM loads vectors of the row, while lanes would load and shuffle
; pieces of many rows. Where numbers are added in order, lanes are the only way.

; RUN: %leaf-opt -passes=sluice-vectorize-lanes -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @bytes(
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: ret void
define void @bytes(ptr noalias %in, ptr noalias %by, ptr noalias %out, i64 %n, i64 %m) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %start = mul nsw i64 %i, %m
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi i32 [ 0, %instances ], [ %added, %inner ]
  %index = add nsw i64 %start, %k
  %from = getelementptr inbounds i8, ptr %in, i64 %index
  %x = load i8, ptr %from, !llvm.access.group !4
  %x.wide = sext i8 %x to i32
  %other = getelementptr inbounds i8, ptr %by, i64 %k
  %y = load i8, ptr %other, !llvm.access.group !4
  %y.wide = sext i8 %y to i32
  %product = mul nsw i32 %x.wide, %y.wide
  %added = add nsw i32 %sum, %product
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %place = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %added, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @inOrder(
; CHECK: fadd <{{[0-9]+}} x float>
; CHECK: ret void
define void @inOrder(ptr noalias %in, ptr noalias %out, i64 %n, i64 %m) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %start = mul nsw i64 %i, %m
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %index = add nsw i64 %start, %k
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %x
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %place = getelementptr inbounds float, ptr %out, i64 %i
  store float %added, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
