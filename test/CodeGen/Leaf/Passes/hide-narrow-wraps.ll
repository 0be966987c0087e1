; LLVM tests one assumption about counting numbers of several widths: only the
; widest of them may be assumed not to wrap around.

; RUN: %leaf-opt -passes=sluice-hide-narrow-wraps -S %s | FileCheck %s

; CHECK-LABEL: @both(
; CHECK: %wide2 = zext i8 %moved to i64
; CHECK-NEXT: [[HIDDEN:%.*]] = freeze i64 %wide2
; CHECK: %index = add i64 %wide1, [[HIDDEN]]
define void @both(ptr %in, i32 %a, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %narrow = trunc i64 %i to i32
  %shifted = add i32 %narrow, %a
  %wide1 = zext i32 %shifted to i64
  %small = trunc i64 %i to i8
  %moved = add i8 %small, 3
  %wide2 = zext i8 %moved to i64
  %index = add i64 %wide1, %wide2
  %place = getelementptr i8, ptr %in, i64 %index
  store i8 1, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @one(
; CHECK-NOT: freeze
; CHECK: ret void
define void @one(ptr %in, i32 %a, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %narrow = trunc i64 %i to i32
  %shifted = add i32 %narrow, %a
  %wide1 = zext i32 %shifted to i64
  %place = getelementptr i8, ptr %in, i64 %wide1
  store i8 1, ptr %place
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
