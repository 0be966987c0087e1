; Instances that compute what they add to a total first compute it, a strip of
; instances at a time; the total is added up in their order afterwards.

; RUN: %leaf-opt -passes=sluice-separate-folds -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @fold(
; CHECK: alloca
; CHECK: instances:
; CHECK-NOT: phi float {{.*}}%total
; CHECK: fadd float %sum, %x
; CHECK: store float
; CHECK: fadd float
; CHECK: ret float
define float @fold(ptr noalias %in, i64 %n, i64 %m) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %total = phi float [ 0.0, %entry ], [ %both, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %i
  %from = getelementptr float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %x
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %both = fadd float %total, %added
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret float %both
}

; Not where an instance needs the total.
; CHECK-LABEL: @needs(
; CHECK-NOT: alloca
; CHECK: ret float
define float @needs(ptr noalias %in, i64 %n, i64 %m) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %total = phi float [ 0.0, %entry ], [ %both, %latch ]
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %added, %inner ]
  %row = mul i64 %k, %n
  %index = add i64 %row, %i
  %from = getelementptr float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %added = fadd float %sum, %total
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %both = fadd float %total, %added
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret float %both
}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
