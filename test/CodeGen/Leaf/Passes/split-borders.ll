; Instances at a border get a loop of their own, so that those inside compare
; nothing.

; RUN: %leaf-opt -passes=sluice-split-borders -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @border(
; CHECK: instances:
; CHECK-NOT: select
; CHECK-NOT: usub.sat
; CHECK: store float
; CHECK: instances.border:
; CHECK: call i64 @llvm.usub.sat.i64(i64 %i.border, i64 1)
; CHECK: ret void
define void @border(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %isInner = icmp ne i64 %i, 0
  %before = add nsw i64 %i, -1
  %where = select i1 %isInner, i64 %before, i64 0
  %from = getelementptr float, ptr %in, i64 %where
  %x = load float, ptr %from, !llvm.access.group !4
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where the comparison depends on what is read, not in short loops, and not in
; loops of other code.
; CHECK-LABEL: @data(
; CHECK-COUNT-1: load float
; CHECK-NOT: load float
; CHECK: ret void
define void @data(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %given = getelementptr i64, ptr %in, i64 %i
  %key = load i64, ptr %given, !llvm.access.group !4
  %isInner = icmp ne i64 %key, 0
  %before = add nsw i64 %i, -1
  %where = select i1 %isInner, i64 %before, i64 0
  %from = getelementptr float, ptr %in, i64 %where
  %x = load float, ptr %from, !llvm.access.group !4
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @short(
; CHECK-COUNT-1: load float
; CHECK-NOT: load float
; CHECK: ret void
define void @short(ptr noalias %in, ptr noalias %out) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %isInner = icmp ne i64 %i, 0
  %before = add nsw i64 %i, -1
  %where = select i1 %isInner, i64 %before, i64 0
  %from = getelementptr float, ptr %in, i64 %where
  %x = load float, ptr %from, !llvm.access.group !4
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 4
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @host(
; CHECK-COUNT-1: load float
; CHECK-NOT: load float
; CHECK: ret void
define void @host(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %isInner = icmp ne i64 %i, 0
  %before = add nsw i64 %i, -1
  %where = select i1 %isInner, i64 %before, i64 0
  %from = getelementptr float, ptr %in, i64 %where
  %x = load float, ptr %from, !llvm.access.group !4
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret void
}

; Of numbers that differ by constants, only the first and the last are compared
; before the loop: where neither is negative, nothing between them wraps around.
; CHECK-LABEL: @taps(
; CHECK-COUNT-4: icmp slt i32
; CHECK-NOT: icmp slt i32
; CHECK: instances:
; CHECK-NOT: srem
; CHECK: store float
; CHECK: ret void
define void @taps(ptr noalias %in, ptr noalias %out, i32 %start, i64 %rounds, i32 %n) {
entry:
  br label %instances
instances:
  %r = phi i64 [ 0, %entry ], [ %next, %instances ]
  %low = trunc i64 %r to i32
  %i = add i32 %low, %start
  %i1 = add i32 %i, 1
  %i2 = add i32 %i, 2
  %i3 = add i32 %i, 3
  %w0 = srem i32 %i, %n
  %w1 = srem i32 %i1, %n
  %w2 = srem i32 %i2, %n
  %w3 = srem i32 %i3, %n
  %e0 = sext i32 %w0 to i64
  %e1 = sext i32 %w1 to i64
  %e2 = sext i32 %w2 to i64
  %e3 = sext i32 %w3 to i64
  %p0 = getelementptr float, ptr %in, i64 %e0
  %p1 = getelementptr float, ptr %in, i64 %e1
  %p2 = getelementptr float, ptr %in, i64 %e2
  %p3 = getelementptr float, ptr %in, i64 %e3
  %x0 = load float, ptr %p0, !llvm.access.group !4
  %x1 = load float, ptr %p1, !llvm.access.group !4
  %x2 = load float, ptr %p2, !llvm.access.group !4
  %x3 = load float, ptr %p3, !llvm.access.group !4
  %s1 = fadd float %x0, %x1
  %s2 = fadd float %s1, %x2
  %s3 = fadd float %s2, %x3
  %place = getelementptr float, ptr %out, i64 %r
  store float %s3, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %r, 1
  %more = icmp ult i64 %next, %rounds
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; A loop of an instance's own that writes its row.
; CHECK-LABEL: @row(
; CHECK: columns.border{{.*}}:
; CHECK: ret void
define void @row(ptr noalias %in, ptr noalias %out, i64 %n, i64 %w) {
entry:
  br label %instances
instances:
  %y = phi i64 [ 0, %entry ], [ %below, %rowEnd ]
  %begin = mul i64 %y, %w
  %inRow = getelementptr float, ptr %in, i64 %begin
  %outRow = getelementptr float, ptr %out, i64 %begin
  br label %columns
columns:
  %i = phi i64 [ 0, %instances ], [ %next, %columns ]
  %isInner = icmp ne i64 %i, 0
  %before = add nsw i64 %i, -1
  %where = select i1 %isInner, i64 %before, i64 0
  %from = getelementptr float, ptr %inRow, i64 %where
  %x = load float, ptr %from, !llvm.access.group !4
  %place = getelementptr float, ptr %outRow, i64 %i
  store float %x, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %w
  br i1 %more, label %columns, label %rowEnd
rowEnd:
  %below = add nuw nsw i64 %y, 1
  %isMore = icmp ult i64 %below, %n
  br i1 %isMore, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
