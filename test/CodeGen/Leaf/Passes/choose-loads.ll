; A load from one of two places, chosen alike by all instances, is one load whose
; place is chosen before the loop.

; RUN: %leaf-opt -passes=sluice-choose-loads -S %s | FileCheck %s

; CHECK-LABEL: @alike(
; CHECK: entry:
; CHECK: %chosen = select i1
; CHECK: instances:
; CHECK-NOT: phi float
; CHECK: ret void
define void @alike(ptr noalias %in, ptr noalias %other, ptr noalias %out, i1 %isFirst, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p, !llvm.access.group !4
  %choice = and i1 %isFirst, true
  br i1 %choice, label %then, label %latch
then:
  %i8 = add i64 %i, 8
  %q = getelementptr float, ptr %in, i64 %i8
  %y = load float, ptr %q, !llvm.access.group !4
  br label %latch
latch:
  %z = phi float [ %x, %instances ], [ %y, %then ]
  %place = getelementptr float, ptr %out, i64 %i
  store float %z, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where each instance chooses, and not in loops of other code.
; CHECK-LABEL: @each(
; CHECK: phi float
; CHECK: ret void
define void @each(ptr noalias %in, ptr noalias %other, ptr noalias %out, i1 %isFirst, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p, !llvm.access.group !4
  %choice = fcmp ogt float %x, 1.0
  br i1 %choice, label %then, label %latch
then:
  %i8 = add i64 %i, 8
  %q = getelementptr float, ptr %in, i64 %i8
  %y = load float, ptr %q, !llvm.access.group !4
  br label %latch
latch:
  %z = phi float [ %x, %instances ], [ %y, %then ]
  %place = getelementptr float, ptr %out, i64 %i
  store float %z, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @host(
; CHECK: phi float
; CHECK: ret void
define void @host(ptr noalias %in, ptr noalias %other, ptr noalias %out, i1 %isFirst, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %p, !llvm.access.group !4
  %choice = and i1 %isFirst, true
  br i1 %choice, label %then, label %latch
then:
  %i8 = add i64 %i, 8
  %q = getelementptr float, ptr %in, i64 %i8
  %y = load float, ptr %q, !llvm.access.group !4
  br label %latch
latch:
  %z = phi float [ %x, %instances ], [ %y, %then ]
  %place = getelementptr float, ptr %out, i64 %i
  store float %z, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret void
}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
