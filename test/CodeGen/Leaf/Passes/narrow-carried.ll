; A number of 64 bits that is chosen among numbers of 32 bits is carried in 32.

; RUN: %leaf-opt -passes=sluice-narrow-carried -S %s | FileCheck %s

; CHECK-LABEL: @narrow(
; CHECK: %best{{.*}} = phi i32
; CHECK: [[CHOSEN:%.*]] = select i1 %isBest, i32 %x, i32 %best
; CHECK: sext i32 [[CHOSEN]] to i64
define i64 @narrow(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %best = phi i64 [ 0, %entry ], [ %chosen, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %wide = sext i32 %x to i64
  %isBest = icmp sgt i32 %x, 7
  %chosen = select i1 %isBest, i64 %wide, i64 %best
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret i64 %chosen
}

; Not where one of them is a counter that may be larger.
; CHECK-LABEL: @wide(
; CHECK: %best = phi i64
define i64 @wide(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %best = phi i64 [ 0, %entry ], [ %chosen, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %wide = sext i32 %x to i64
  %isBest = icmp sgt i32 %x, 7
  %chosen = select i1 %isBest, i64 %i, i64 %best
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret i64 %chosen
}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
