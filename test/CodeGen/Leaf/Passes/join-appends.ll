; Elements that instances append are noted, and many places are reserved at once.

; RUN: %leaf-opt -passes=sluice-join-appends -S %s | FileCheck %s

; CHECK-LABEL: @append(
; CHECK-NOT: atomicrmw
; CHECK: call void @{{.*}}(
; CHECK: ret void
define void @append(ptr %invocation, ptr noalias %in, ptr noalias %tail, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %at = atomicrmw add ptr %tail, i32 1 monotonic
  %spot = getelementptr i32, ptr %out, i32 %at
  store i32 %x, ptr %spot
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where the range reads the array, and not where something else may point to
; it.
; CHECK-LABEL: @read(
; CHECK: atomicrmw add ptr %tail, i32 1 monotonic
; CHECK: ret void
define void @read(ptr %invocation, ptr noalias %in, ptr noalias %tail, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %at = atomicrmw add ptr %tail, i32 1 monotonic
  %spot = getelementptr i32, ptr %out, i32 %at
  store i32 %x, ptr %spot
  %read = load i32, ptr %out
  store i32 %read, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @shared(
; CHECK: atomicrmw add ptr %tail, i32 1 monotonic
; CHECK: ret void
define void @shared(ptr %invocation, ptr noalias %in, ptr noalias %tail, ptr %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %at = atomicrmw add ptr %tail, i32 1 monotonic
  %spot = getelementptr i32, ptr %out, i32 %at
  store i32 %x, ptr %spot
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
