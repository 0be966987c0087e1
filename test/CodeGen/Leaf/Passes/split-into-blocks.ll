; A loop over instances that divide their number becomes a loop over blocks in
; which the quotient is the same.

; RUN: %leaf-opt -passes=sluice-split-into-blocks -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Parts of blocks are not unrolled.
; CHECK-LABEL: @rows(
; CHECK: udiv i64
; CHECK-NOT: udiv
; CHECK-NOT: urem
; CHECK: load float
; CHECK: br i1 {{.*}}, label %blocks.whole.next, !llvm.loop [[WHOLE:![0-9]+]]
; CHECK: br i1 {{.*}}, label %blocks.part.next, !llvm.loop [[PART:![0-9]+]]
; CHECK: ret void
define void @rows(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %row = udiv i64 %i, 64
  %column = urem i64 %i, 64
  %from = getelementptr float, ptr %in, i64 %row
  %x = load float, ptr %from, !llvm.access.group !4
  %from2 = getelementptr float, ptr %in, i64 %column
  %y = load float, ptr %from2, !llvm.access.group !4
  %z = fadd float %x, %y
  %place = getelementptr float, ptr %out, i64 %i
  store float %z, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where another number is divided, and not in loops of other code.
; CHECK-LABEL: @other(
; CHECK: instances:
; CHECK: udiv i64 %key, 64
; CHECK: urem i64 %key, 64
; CHECK: ret void
define void @other(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %given = getelementptr i64, ptr %in, i64 %i
  %key = load i64, ptr %given, !llvm.access.group !4
  %row = udiv i64 %key, 64
  %column = urem i64 %key, 64
  %from = getelementptr float, ptr %in, i64 %row
  %x = load float, ptr %from, !llvm.access.group !4
  %from2 = getelementptr float, ptr %in, i64 %column
  %y = load float, ptr %from2, !llvm.access.group !4
  %z = fadd float %x, %y
  %place = getelementptr float, ptr %out, i64 %i
  store float %z, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK-LABEL: @host(
; CHECK: instances:
; CHECK: udiv i64 %i, 64
; CHECK: urem i64 %i, 64
; CHECK: ret void
define void @host(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %row = udiv i64 %i, 64
  %column = urem i64 %i, 64
  %from = getelementptr float, ptr %in, i64 %row
  %x = load float, ptr %from, !llvm.access.group !4
  %from2 = getelementptr float, ptr %in, i64 %column
  %y = load float, ptr %from2, !llvm.access.group !4
  %z = fadd float %x, %y
  %place = getelementptr float, ptr %out, i64 %i
  store float %z, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit
exit:
  ret void
}

; Numbers that may be negative or wrap around: the loop as it was stays for ranges
; in which they do.
; CHECK-LABEL: @begins(
; CHECK: [[LEFT:%.*]] = sub i32 2147483647, %start
; CHECK: icmp sge i32 %start, 0
; CHECK: blocks.whole:
; CHECK-NOT: srem
; CHECK: instances:
; CHECK: srem i32 %i, %w
; CHECK: ret void
define void @begins(ptr noalias %in, ptr noalias %out, i32 %start, i32 %end, i32 %w) {
entry:
  br label %instances
instances:
  %i = phi i32 [ %start, %entry ], [ %next, %instances ]
  %column = srem i32 %i, %w
  %wide = sext i32 %column to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %x = load float, ptr %from, !llvm.access.group !4
  %wideI = sext i32 %i to i64
  %place = getelementptr float, ptr %out, i64 %wideI
  store float %x, ptr %place, !llvm.access.group !4
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, %end
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; A sum of the number and something else is a number.
; CHECK-LABEL: @sum(
; CHECK: blocks.whole:
; CHECK-NOT: srem
; CHECK: instances:
; CHECK: %number = phi i64 [ %lo, %entry ]
; CHECK: srem i64 %number, %w
; CHECK: ret void
define void @sum(ptr noalias %in, ptr noalias %out, i64 %n, i64 %lo, i64 %w) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %sum = add nsw i64 %i, %lo
  %column = srem i64 %sum, %w
  %from = getelementptr float, ptr %in, i64 %column
  %x = load float, ptr %from, !llvm.access.group !4
  %place = getelementptr float, ptr %out, i64 %i
  store float %x, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; What is left of a number in a block is a number, too: in blocks of planes there
; are blocks of rows.
; CHECK-LABEL: @planes(
; CHECK: sdiv i32 {{.*}}, 2116
; CHECK: {{^}}blocks.whole{{[0-9]+}}:
; CHECK: sdiv i32 {{.*}}, 46
; CHECK: instances.block.block:
; CHECK-NOT: sdiv
; CHECK: br i1
; CHECK: ret void
define void @planes(ptr noalias %in, ptr noalias %out, i32 %n) {
entry:
  br label %instances
instances:
  %i = phi i32 [ 0, %entry ], [ %next, %instances ]
  %z = sdiv i32 %i, 2116
  %above = mul nsw i32 %z, 2116
  %inPlane = sub nsw i32 %i, %above
  %y = sdiv i32 %inPlane, 46
  %sum = add i32 %z, %y
  %wide = sext i32 %sum to i64
  %from = getelementptr float, ptr %in, i64 %wide
  %x = load float, ptr %from, !llvm.access.group !4
  %wideI = sext i32 %i to i64
  %place = getelementptr float, ptr %out, i64 %wideI
  store float %x, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK: [[WHOLE]] = distinct !{[[WHOLE]], {{![0-9]+}}, {{![0-9]+}}, {{![0-9]+}}}
; CHECK: [[PART]] = distinct !{[[PART]], {{.*}}, [[SHORT:![0-9]+]]}
; CHECK: [[SHORT]] = !{!"sluice.short"}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
