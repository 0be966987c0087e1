; Rounds that carry a minimum run as lanes: limits are computed first, then each
; lane is compared with those before it.

; RUN: %leaf-opt -passes=sluice-scan-chains -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; The value of the round before is loaded from where that round stored it. The
; row above must be apart, and sums small.
; CHECK-LABEL: @distance(
; CHECK: %limits = alloca [512 x i32], align 64
; CHECK: %first = load i32
; CHECK: scan.strip:
; CHECK: scan.fill:
; CHECK: call i32 @llvm.smin.i32(
; CHECK: store i32
; CHECK: scan.vector:
; CHECK: load <[[LANES:[0-9]+]] x i32>
; CHECK: shufflevector <[[LANES]] x i32> {{.*}} <i32 0, i32 0, i32 1, i32 2
; CHECK: call <[[LANES]] x i32> @llvm.smin
; CHECK: store <[[LANES]] x i32>
; CHECK: scan.rest:
define void @distance(ptr %table, ptr noalias %costs, i64 %n, i64 %width) #0 {
entry:
  br label %outer
outer:
  %i = phi i64 [ 1, %entry ], [ %i.next, %latch ]
  %row = mul i64 %i, %width
  %row.place = getelementptr i32, ptr %table, i64 %row
  %above = sub i64 %row, %width
  %above.place = getelementptr i32, ptr %table, i64 %above
  br label %inner
inner:
  %j = phi i64 [ 1, %outer ], [ %j.next, %inner ]
  %up.place = getelementptr i32, ptr %above.place, i64 %j
  %up = load i32, ptr %up.place
  %removed = add nsw i32 %up, 1
  %place = getelementptr i32, ptr %row.place, i64 %j
  %left.place = getelementptr i8, ptr %place, i64 -4
  %left = load i32, ptr %left.place
  %inserted = add nsw i32 %left, 1
  %cost.place = getelementptr i32, ptr %costs, i64 %j
  %cost = load i32, ptr %cost.place
  %less = call i32 @llvm.smin.i32(i32 %removed, i32 %inserted)
  %least = call i32 @llvm.smin.i32(i32 %less, i32 %cost)
  store i32 %least, ptr %place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %outer, label %exit, !llvm.loop !0
exit:
  ret void
}

; A maximum in a variable, which is used after the loop.
; CHECK-LABEL: @running(
; CHECK: scan.vector:
; CHECK-NOT: add <
; CHECK: call <{{.*}} @llvm.smax
; CHECK: scan.rest:
define void @running(ptr noalias %out, ptr noalias %in, i64 %n) #0 {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %x = phi i32 [ 0, %outer ], [ %most, %inner ]
  %in.place = getelementptr i32, ptr %in, i64 %j
  %own = load i32, ptr %in.place
  %most = call i32 @llvm.smax.i32(i32 %x, i32 %own)
  %place = getelementptr i32, ptr %out, i64 %j
  store i32 %most, ptr %place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %last = phi i32 [ %most, %inner ]
  %last.place = getelementptr i32, ptr %out, i64 %i
  store i32 %last, ptr %last.place
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %outer, label %exit, !llvm.loop !0
exit:
  ret void
}

; Not where minima and maxima alternate, where sums may wrap around, and where
; minima grow away from what is carried.
; CHECK-LABEL: @others(
; CHECK-NOT: scan
; CHECK: ret void
define void @others(ptr noalias %out, ptr noalias %in, i64 %n) #0 {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %both
both:
  %j = phi i64 [ 0, %outer ], [ %j.next, %both ]
  %x = phi i32 [ 0, %outer ], [ %less, %both ]
  %in.place = getelementptr i32, ptr %in, i64 %j
  %own = load i32, ptr %in.place
  %most = call i32 @llvm.smax.i32(i32 %x, i32 %own)
  %less = call i32 @llvm.smin.i32(i32 %most, i32 7)
  %place = getelementptr i32, ptr %out, i64 %j
  store i32 %less, ptr %place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %both, label %wraps
wraps:
  %k = phi i64 [ 0, %both ], [ %k.next, %wraps ]
  %y = phi i32 [ 0, %both ], [ %least, %wraps ]
  %k.in = getelementptr i32, ptr %in, i64 %k
  %k.own = load i32, ptr %k.in
  %more = add i32 %y, 1
  %least = call i32 @llvm.smin.i32(i32 %more, i32 %k.own)
  %k.place = getelementptr i32, ptr %out, i64 %k
  store i32 %least, ptr %k.place
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %wraps, label %away
away:
  %l = phi i64 [ 0, %wraps ], [ %l.next, %away ]
  %z = phi i32 [ 0, %wraps ], [ %l.least, %away ]
  %l.in = getelementptr i32, ptr %in, i64 %l
  %l.own = load i32, ptr %l.in
  %fewer = add nsw i32 %z, -1
  %l.least = call i32 @llvm.smin.i32(i32 %fewer, i32 %l.own)
  %l.place = getelementptr i32, ptr %out, i64 %l
  store i32 %l.least, ptr %l.place
  %l.next = add nuw nsw i64 %l, 1
  %l.more = icmp ult i64 %l.next, %n
  br i1 %l.more, label %away, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %outer, label %exit, !llvm.loop !0
exit:
  ret void
}

declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

attributes #0 = { "target-cpu"="x86-64-v3" }

!0 = distinct !{!0, !1}
!1 = !{!"sluice.instances"}
