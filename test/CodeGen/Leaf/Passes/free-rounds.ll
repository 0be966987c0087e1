; LLVM is told that rounds of a leaf's own loop are independent where it does not
; find that itself, as of many planes of an array.

; RUN: %leaf-opt -passes=sluice-free-rounds -S %s | FileCheck %s
; RUN: %leaf-opt -passes=sluice-free-rounds -disable-output -pass-remarks=sluice %s 2>&1 | FileCheck %s --check-prefix=REMARK

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; Each element goes to nine planes, which LLVM would compare with each other.
; REMARK-COUNT-1: rounds of this loop are independent
; REMARK-NOT: independent
; CHECK-LABEL: @planes(
; CHECK: br i1 {{.*}}, label %inner.meet
; CHECK: inner:
; CHECK: store float {{.*}} !llvm.access.group ![[GROUP:[0-9]+]]
; CHECK: br i1 {{.*}} !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: ret void
define void @planes(ptr %in, ptr %out, i64 %n, i64 %cells) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %row = mul nsw i64 %i, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %cell = add nsw i64 %row, %j
  %from.place = getelementptr float, ptr %in, i64 %cell
  %x = load float, ptr %from.place
  %p0 = getelementptr float, ptr %out, i64 %cell
  store float %x, ptr %p0
  %p1 = getelementptr float, ptr %p0, i64 %cells
  store float %x, ptr %p1
  %p2 = getelementptr float, ptr %p1, i64 %cells
  store float %x, ptr %p2
  %p3 = getelementptr float, ptr %p2, i64 %cells
  store float %x, ptr %p3
  %p4 = getelementptr float, ptr %p3, i64 %cells
  store float %x, ptr %p4
  %p5 = getelementptr float, ptr %p4, i64 %cells
  store float %x, ptr %p5
  %p6 = getelementptr float, ptr %p5, i64 %cells
  store float %x, ptr %p6
  %p7 = getelementptr float, ptr %p6, i64 %cells
  store float %x, ptr %p7
  %p8 = getelementptr float, ptr %p7, i64 %cells
  store float %x, ptr %p8
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

; Not what LLVM finds out itself, and not where a round reads what the one before
; it has written.
; CHECK-LABEL: @plain(
; CHECK-NOT: meet
; CHECK-NOT: access.group
; CHECK: ret void
define void @plain(ptr %in, ptr %out, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %from.place = getelementptr float, ptr %in, i64 %j
  %x = load float, ptr %from.place
  %to.place = getelementptr float, ptr %out, i64 %j
  store float %x, ptr %to.place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %back
back:
  %k = phi i64 [ 0, %inner ], [ %k.next, %back ]
  %k.place = getelementptr float, ptr %out, i64 %k
  %y = load float, ptr %k.place
  %k.next = add nuw nsw i64 %k, 1
  %k.to = getelementptr float, ptr %out, i64 %k.next
  store float %y, ptr %k.to
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %back, label %latch
latch:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %n
  br i1 %i.more, label %outer, label %exit, !llvm.loop !0
exit:
  ret void
}

; CHECK: ![[GROUP]] = distinct !{}
; CHECK: ![[LOOP]] = distinct !{![[LOOP]], ![[PARALLEL:[0-9]+]]}
; CHECK: ![[PARALLEL]] = !{!"llvm.loop.parallel_accesses", ![[GROUP]]}

!0 = distinct !{!0, !1}
!1 = !{!"sluice.instances"}
