; A loop that the program wants as vectors may add in any order; others may not.

; RUN: %leaf-opt -passes=sluice-allow-asked-orders -S %s | FileCheck %s

; CHECK-LABEL: @asked(
; CHECK: fadd reassoc float
; CHECK-NOT: !llvm.loop
; CHECK: br i1 %more, {{.*}}, !llvm.loop [[LOOP:![0-9]+]]
define float @asked(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %sum = phi float [ 0.0, %entry ], [ %added, %instances ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %added = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !10
exit:
  ret float %added
}

; Not where a round uses the sum.
; CHECK-LABEL: @used(
; CHECK: fadd float
define float @used(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %sum = phi float [ 0.0, %entry ], [ %added, %instances ]
  %place = getelementptr float, ptr %in, i64 %i
  store float %sum, ptr %place
  %added = fadd float %sum, 1.0
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !11
exit:
  ret float %added
}

; CHECK-LABEL: @unasked(
; CHECK: fadd float
define float @unasked(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %sum = phi float [ 0.0, %entry ], [ %added, %instances ]
  %place = getelementptr float, ptr %in, i64 %i
  %x = load float, ptr %place
  %added = fadd float %sum, %x
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret float %added
}

; The loop no longer asks.
; CHECK-NOT: llvm.loop.vectorize.enable

!10 = distinct !{!10, !1}
!11 = distinct !{!11, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
