; A loop over instances that divide their number becomes a loop over blocks in
; which the quotient is the same.

; RUN: %leaf-opt -passes=sluice-split-into-blocks -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Parts of blocks are not unrolled, and neither are instances with much code.
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

; CHECK-LABEL: @long(
; CHECK: label %blocks.whole.next, !llvm.loop [[LONG:![0-9]+]]
; CHECK: ret void
define void @long(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %instances ]
  %row = udiv i64 %i, 64
  %column = urem i64 %i, 64
  %from = getelementptr float, ptr %in, i64 %row
  %x = load float, ptr %from, !llvm.access.group !4
  %from2 = getelementptr float, ptr %in, i64 %column
  %z0 = load float, ptr %from2, !llvm.access.group !4
  %z1 = fadd float %z0, %x
  %z2 = fadd float %z1, %x
  %z3 = fadd float %z2, %x
  %z4 = fadd float %z3, %x
  %z5 = fadd float %z4, %x
  %z6 = fadd float %z5, %x
  %z7 = fadd float %z6, %x
  %z8 = fadd float %z7, %x
  %z9 = fadd float %z8, %x
  %z10 = fadd float %z9, %x
  %z11 = fadd float %z10, %x
  %z12 = fadd float %z11, %x
  %z13 = fadd float %z12, %x
  %z14 = fadd float %z13, %x
  %z15 = fadd float %z14, %x
  %z16 = fadd float %z15, %x
  %z17 = fadd float %z16, %x
  %z18 = fadd float %z17, %x
  %z19 = fadd float %z18, %x
  %z20 = fadd float %z19, %x
  %z21 = fadd float %z20, %x
  %z22 = fadd float %z21, %x
  %z23 = fadd float %z22, %x
  %z24 = fadd float %z23, %x
  %z25 = fadd float %z24, %x
  %z26 = fadd float %z25, %x
  %z27 = fadd float %z26, %x
  %z28 = fadd float %z27, %x
  %z29 = fadd float %z28, %x
  %z30 = fadd float %z29, %x
  %z31 = fadd float %z30, %x
  %z32 = fadd float %z31, %x
  %z33 = fadd float %z32, %x
  %z34 = fadd float %z33, %x
  %z35 = fadd float %z34, %x
  %z36 = fadd float %z35, %x
  %z37 = fadd float %z36, %x
  %z38 = fadd float %z37, %x
  %z39 = fadd float %z38, %x
  %z40 = fadd float %z39, %x
  %z41 = fadd float %z40, %x
  %z42 = fadd float %z41, %x
  %z43 = fadd float %z42, %x
  %z44 = fadd float %z43, %x
  %z45 = fadd float %z44, %x
  %z46 = fadd float %z45, %x
  %z47 = fadd float %z46, %x
  %z48 = fadd float %z47, %x
  %z49 = fadd float %z48, %x
  %z50 = fadd float %z49, %x
  %z51 = fadd float %z50, %x
  %z52 = fadd float %z51, %x
  %z53 = fadd float %z52, %x
  %z54 = fadd float %z53, %x
  %z55 = fadd float %z54, %x
  %z56 = fadd float %z55, %x
  %z57 = fadd float %z56, %x
  %z58 = fadd float %z57, %x
  %z59 = fadd float %z58, %x
  %place = getelementptr float, ptr %out, i64 %i
  store float %z59, ptr %place, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK: [[WHOLE]] = distinct !{[[WHOLE]], {{![0-9]+}}, {{![0-9]+}}, {{![0-9]+}}}
; CHECK: [[PART]] = distinct !{[[PART]], {{.*}}, [[SHORT:![0-9]+]]}
; CHECK: [[SHORT]] = !{!"sluice.short"}
; CHECK: [[LONG]] = distinct !{[[LONG]], {{.*}}, [[SHORT]]{{[,}]}}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = !{!"sluice.instances"}
!3 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
