; Rounds at a border of a leaf's own loop get a loop of their own, as instances
; do.

; RUN: %leaf-opt -passes=sluice-split-own-borders -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: @wraps(
; CHECK: inner.border.us:
; CHECK: select
; CHECK: store float
; CHECK: inner.us:
; CHECK-NOT: select
; CHECK: store float
; CHECK: ret void
define void @wraps(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %row = mul i64 %i, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %isFirst = icmp eq i64 %j, 0
  %before = select i1 %isFirst, i64 %n, i64 %j
  %left = add i64 %before, -1
  %from = add i64 %row, %left
  %from.place = getelementptr float, ptr %in, i64 %from
  %x = load float, ptr %from.place
  %to = add i64 %row, %j
  %to.place = getelementptr float, ptr %out, i64 %to
  store float %x, ptr %to.place
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

; Not where there are other rounds each time, as in windows that are cut off.
; CHECK-LABEL: @windows(
; CHECK-NOT: border
; CHECK: ret void
define void @windows(ptr noalias %in, ptr noalias %out, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ %i, %outer ], [ %j.next, %inner ]
  %isFirst = icmp eq i64 %j, 0
  %before = select i1 %isFirst, i64 %n, i64 %j
  %from.place = getelementptr float, ptr %in, i64 %before
  %x = load float, ptr %from.place
  %to.place = getelementptr float, ptr %out, i64 %j
  store float %x, ptr %to.place
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

!0 = distinct !{!0, !1}
!1 = !{!"sluice.instances"}
