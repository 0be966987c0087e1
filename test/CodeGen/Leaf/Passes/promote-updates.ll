; A loop collects atomic updates of one address, and updates it once at its end.

; RUN: %leaf-opt -passes=sluice-promote-updates -S %s | FileCheck %s

; CHECK-LABEL: @collected(
; CHECK: %collected{{.*}} = phi i32 [ 0, %entry ]
; CHECK-NOT: atomicrmw
; CHECK: br i1 %more
; CHECK: atomicrmw add ptr %sum, i32 {{.*}} monotonic
define void @collected(ptr noalias %in, ptr noalias %sum, i64 %n) "sluice-collects-updates" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %old = atomicrmw add ptr %sum, i32 %x monotonic
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where the old value is used, and not in host code, where other threads may
; wait to see each update.
; CHECK-LABEL: @used(
; CHECK: atomicrmw
; CHECK: br i1 %more
define void @used(ptr noalias %in, ptr noalias %sum, i64 %n) "sluice-collects-updates" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %old = atomicrmw add ptr %sum, i32 %x monotonic
  store i32 %old, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @host(
; CHECK: atomicrmw
; CHECK: br i1 %more
define void @host(ptr noalias %in, ptr noalias %sum, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %old = atomicrmw add ptr %sum, i32 %x monotonic
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
