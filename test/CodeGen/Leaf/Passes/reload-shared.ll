; A value that the previous instance has loaded is loaded again.

; RUN: %leaf-opt -passes=sluice-reload-shared -S %s | FileCheck %s

; CHECK-LABEL: @pairs(
; CHECK-NOT: phi i32
; CHECK: %kept{{.*}} = load i32, ptr {{.*}}, !llvm.access.group
; CHECK: br i1 %more
define void @pairs(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  %first = load i32, ptr %in
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %kept = phi i32 [ %first, %entry ], [ %following, %instances ]
  %next0 = add nuw nsw i64 %i, 1
  %after = getelementptr i32, ptr %in, i64 %next0
  %following = load i32, ptr %after, !llvm.access.group !4
  %sum = add i32 %kept, %following
  %place = getelementptr i32, ptr %out, i64 %i
  store i32 %sum, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where the first value comes from elsewhere.
; CHECK-LABEL: @other(
; CHECK: %kept = phi i32
define void @other(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  %first = load i32, ptr %out
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %kept = phi i32 [ %first, %entry ], [ %following, %instances ]
  %next0 = add nuw nsw i64 %i, 1
  %after = getelementptr i32, ptr %in, i64 %next0
  %following = load i32, ptr %after, !llvm.access.group !4
  %sum = add i32 %kept, %following
  %place = getelementptr i32, ptr %out, i64 %i
  store i32 %sum, ptr %place, !llvm.access.group !4
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
