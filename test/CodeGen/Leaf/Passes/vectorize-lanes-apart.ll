; Lanes load rows of several rounds at once only where what a round writes is
; apart from the row. If pointers tell that at run time, code before the loop
; compares all bytes, and the loop stays as it was for arrays that overlap.

; RUN: %leaf-opt -passes=sluice-vectorize-lanes -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @transpose(
; CHECK: [[APART:%.*]] = sub i64
; CHECK: icmp ult i64
; CHECK: br i1 {{.*}}, label %{{.*}}overlap
; CHECK: lanes:
; CHECK-NOT: gather
; CHECK: load <16 x float>
; CHECK: shufflevector
; CHECK: store <16 x float>
define void @transpose(ptr %in, ptr %out, i64 %n, i64 %m) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nuw nsw i64 %i, 512
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %index = add nuw nsw i64 %row, %k
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %column = mul nuw nsw i64 %k, 512
  %place = add nuw nsw i64 %column, %i
  %to = getelementptr inbounds float, ptr %out, i64 %place
  store float %x, ptr %to, !llvm.access.group !4
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, 512
  br i1 %k.more, label %inner, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Rows that are written in place are not apart from themselves.
; CHECK-LABEL: @inPlace(
; CHECK-NOT: overlap
; CHECK-NOT: <{{[0-9]+}} x
; CHECK: ret void
define void @inPlace(ptr %in, i64 %n, i64 %m) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nuw nsw i64 %i, 512
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %index = add nuw nsw i64 %row, %k
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %y = fmul float %x, %x
  %back = sub nuw nsw i64 511, %k
  %place = add nuw nsw i64 %row, %back
  %to = getelementptr inbounds float, ptr %in, i64 %place
  store float %y, ptr %to, !llvm.access.group !4
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, 512
  br i1 %k.more, label %inner, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; A store elsewhere, to where nothing is known, does not keep rows away.
; CHECK-LABEL: @elsewhere(
; CHECK-NOT: overlap
; CHECK: lanes:
; CHECK: load <16 x float>
; CHECK: shufflevector
; CHECK: ret void
define void @elsewhere(ptr noalias %in, ptr noalias %places, ptr noalias %out, i64 %n, i64 %m) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nuw nsw i64 %i, 512
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %sum = phi float [ 0.0, %instances ], [ %sum.next, %inner ]
  %index = add nuw nsw i64 %row, %k
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %y = fmul float %x, %x
  %sum.next = fadd float %sum, %y
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, %m
  br i1 %k.more, label %inner, label %latch
latch:
  %at = getelementptr inbounds i64, ptr %places, i64 %i
  %place = load i64, ptr %at, !llvm.access.group !4
  %to = getelementptr inbounds float, ptr %out, i64 %place
  store float %sum.next, ptr %to, !llvm.access.group !4
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; Rows are stored whole; what is left runs as lanes only if none of them is off.
; CHECK-LABEL: @intoRows(
; CHECK: lanes:
; CHECK: store <16 x float>
; CHECK: [[LEFT:%left]] = sub i64
; CHECK-NEXT: icmp uge i64 [[LEFT]], 16
; CHECK: ret void
define void @intoRows(ptr noalias %in, ptr noalias %out, i64 %n, i64 %m) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nuw nsw i64 %i, 512
  br label %inner
inner:
  %k = phi i64 [ 0, %instances ], [ %k.next, %inner ]
  %column = mul nuw nsw i64 %k, 512
  %index = add nuw nsw i64 %column, %i
  %from = getelementptr inbounds float, ptr %in, i64 %index
  %x = load float, ptr %from, !llvm.access.group !4
  %place = add nuw nsw i64 %row, %k
  %to = getelementptr inbounds float, ptr %out, i64 %place
  store float %x, ptr %to, !llvm.access.group !4
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp slt i64 %k.next, 512
  br i1 %k.more, label %inner, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

; A loop whose rounds nobody can count cannot be unrolled into rows.
; CHECK-LABEL: @uncounted(
; CHECK-NOT: <16 x
; CHECK: ret void
define void @uncounted(ptr %out, i64 %n, i64 %m, i64 %pitch, i32 %last) "target-cpu"="x86-64-v4" "prefer-vector-width"="512" {
entry:
  %first = zext nneg i32 %last to i64
  br label %instances
instances:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %row = mul nsw i64 %i, %pitch
  %start = getelementptr i64, ptr %out, i64 %row
  br label %inner
inner:
  %k = phi i64 [ %first, %instances ], [ %k.next, %inner ]
  %to = getelementptr i64, ptr %start, i64 %k
  store i64 %i, ptr %to, !llvm.access.group !4
  %k.next = add nsw i64 %k, -1
  %sign = and i64 %k.next, 2147483648
  %k.more = icmp eq i64 %sign, 0
  br i1 %k.more, label %inner, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %instances, label %exit, !llvm.loop !0
exit:
  ret void
}

!0 = distinct !{!0, !1, !2}
!1 = !{!"sluice.instances"}
!2 = !{!"llvm.loop.parallel_accesses", !4}
!4 = distinct !{}
