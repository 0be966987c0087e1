; Loops over instances become ordinary loops, but for those around arrays of
; work-groups that fit into registers, and those of few rounds.

; RUN: %leaf-opt -passes=sluice-release-instance-loops -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @plain(
; CHECK: !llvm.loop [[FREE:![0-9]+]]
define void @plain(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i8, ptr %in, i64 %i
  store i8 0, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @array(
; CHECK: !llvm.loop [[KEPT:![0-9]+]]
define void @array(ptr %in) {
entry:
  %own = alloca [4 x float], !sluice.instances !5
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr float, ptr %own, i64 %i
  store float 0.0, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @short(
; CHECK: !llvm.loop [[SHORT:![0-9]+]]
define void @short(ptr %in, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i8, ptr %in, i64 %i
  store i8 0, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !6
exit:
  ret void
}

; CHECK: [[FREE]] = distinct !{[[FREE]], [[MARK:![0-9]+]],
; CHECK: [[MARK]] = !{!"sluice.instances"}
; CHECK: [[KEPT]] = distinct !{[[KEPT]], [[DISABLE:![0-9]+]], [[MARK]],
; CHECK: [[DISABLE]] = !{!"llvm.loop.unroll.disable"}
; CHECK: [[SHORT]] = distinct !{[[SHORT]], [[DISABLE]], [[MARK]],

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
!5 = !{}
!6 = distinct !{!6, !1, !2, !7}
!7 = !{!"sluice.short"}
