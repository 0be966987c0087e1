; On processors with slow gathers, LLVM reads elements that are a few elements
; apart with plain loads.

; RUN: %leaf-opt -passes=sluice-avoid-gathers -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK: define {{.*}} @apart({{.*}} [[AVOIDS:#[0-9]+]] {
define void @apart(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="znver3" "target-features"="+avx2" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %twice = shl i64 %i, 1
  %from = getelementptr float, ptr %in, i64 %twice
  %x = load float, ptr %from
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where elements follow each other, and not on other processors.
; CHECK: define {{.*}} @row({{.*}} [[OTHER:#[0-9]+]] {
define void @row(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="znver3" "target-features"="+avx2" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %from = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %from
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK: define {{.*}} @elsewhere({{.*}} [[THIRD:#[0-9]+]] {
define void @elsewhere(ptr noalias %in, ptr noalias %out, i64 %n) "target-cpu"="skylake" "target-features"="+avx2" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %twice = shl i64 %i, 1
  %from = getelementptr float, ptr %in, i64 %twice
  %x = load float, ptr %from
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK: attributes [[AVOIDS]] = {{.*}}"target-features"="+avx2,+prefer-no-gather,+prefer-no-scatter"
; CHECK: attributes [[OTHER]] = {{.*}}"target-features"="+avx2"
; CHECK: attributes [[THIRD]] = {{.*}}"target-features"="+avx2"

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
