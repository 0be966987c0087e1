; An array that a range of instances only updates gets a copy of the range, once
; there were enough updates.

; RUN: %leaf-opt -passes=sluice-private-copies -S %s | FileCheck %s

; CHECK-LABEL: @histogram(
; CHECK: icmp ult i64 %element
; CHECK: call ptr @sluice.copy.open.add.i32(ptr %invocation
; CHECK: call void @sluice.copy.close.add.i32(ptr %invocation
define void @histogram(ptr %invocation, ptr noalias %in, ptr noalias "sluice-size-in"="3" %out, i64 %bytes, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %spot = getelementptr i32, ptr %out, i32 %x
  %old = atomicrmw add ptr %spot, i32 1 monotonic
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where the size of the array is not known, and not where it is read.
; CHECK-LABEL: @unsized(
; CHECK-NOT: call
; CHECK: ret void
define void @unsized(ptr %invocation, ptr noalias %in, ptr noalias %out, i64 %bytes, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %element = getelementptr i32, ptr %out, i32 %x
  %old = atomicrmw add ptr %element, i32 1 monotonic
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @read(
; CHECK-NOT: call
; CHECK: ret void
define void @read(ptr %invocation, ptr noalias %in, ptr noalias "sluice-size-in"="3" %out, i64 %bytes, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %place = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %place
  %element = getelementptr i32, ptr %out, i32 %x
  %old = atomicrmw add ptr %element, i32 1 monotonic
  %read = load i32, ptr %out
  store i32 %read, ptr %place
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
