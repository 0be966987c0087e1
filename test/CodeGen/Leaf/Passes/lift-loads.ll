; What all instances read alike is read once. They are independent, so none of
; them writes it.

; RUN: %leaf-opt -passes=sluice-lift-loads -S %s | FileCheck %s

; CHECK-LABEL: @scale(
; CHECK: %scale = load float, ptr %in
; CHECK: instances:
; CHECK-NOT: load
; CHECK: ret void
define void @scale(ptr %in, ptr %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %scale = load float, ptr %in, !llvm.access.group !4
  %place = getelementptr float, ptr %out, i64 %i
  store float %scale, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not after a store, which may end the instance's right to read, and not where
; accesses are not known to be independent.
; CHECK-LABEL: @after(
; CHECK: instances:
; CHECK: %scale = load float, ptr %in
define void @after(ptr %in, ptr %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  store i8 0, ptr %out, !llvm.access.group !4
  %scale = load float, ptr %in, !llvm.access.group !4
  %place = getelementptr float, ptr %out, i64 %i
  store float %scale, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @dependent(
; CHECK: instances:
; CHECK: %scale = load float, ptr %in
define void @dependent(ptr %in, ptr %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %scale = load float, ptr %in
  %place = getelementptr float, ptr %out, i64 %i
  store float %scale, ptr %place
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
