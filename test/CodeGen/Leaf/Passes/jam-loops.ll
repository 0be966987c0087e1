; Four rounds of an outer loop that update the same row go through it at once.

; RUN: %leaf-opt -passes=sluice-jam-loops -S %s | FileCheck %s

; CHECK-LABEL: @product(
; CHECK: jam.inner:
; CHECK: fadd double
; CHECK: fadd double
; CHECK: fadd double
; CHECK: fadd double
; CHECK-NEXT: store double
; CHECK-NOT: fadd
; CHECK: jam.latch:
define void @product(ptr noalias %c, ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %a.place = getelementptr double, ptr %a, i64 %k
  %factor = load double, ptr %a.place
  %row = mul i64 %k, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %index = add i64 %row, %j
  %b.place = getelementptr double, ptr %b, i64 %index
  %x = load double, ptr %b.place
  %place = getelementptr double, ptr %c, i64 %j
  %moved = getelementptr double, ptr %c, i64 %index
  %old = load double, ptr %place
  %product = fmul double %factor, %x
  %new = fadd double %old, %product
  store double %new, ptr %place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %outer, label %exit
exit:
  ret void
}

; Not where memory may be the same, and not where each round updates a row of its
; own.
; CHECK-LABEL: @shared(
; CHECK-NOT: jam
; CHECK: ret void
define void @shared(ptr %c, ptr %a, ptr %b, i64 %n) {
entry:
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %a.place = getelementptr double, ptr %a, i64 %k
  %factor = load double, ptr %a.place
  %row = mul i64 %k, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %index = add i64 %row, %j
  %b.place = getelementptr double, ptr %b, i64 %index
  %x = load double, ptr %b.place
  %place = getelementptr double, ptr %c, i64 %j
  %moved = getelementptr double, ptr %c, i64 %index
  %old = load double, ptr %place
  %product = fmul double %factor, %x
  %new = fadd double %old, %product
  store double %new, ptr %place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %outer, label %exit
exit:
  ret void
}

; CHECK-LABEL: @rows(
; CHECK-NOT: jam
; CHECK: ret void
define void @rows(ptr noalias %c, ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %a.place = getelementptr double, ptr %a, i64 %k
  %factor = load double, ptr %a.place
  %row = mul i64 %k, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %index = add i64 %row, %j
  %b.place = getelementptr double, ptr %b, i64 %index
  %x = load double, ptr %b.place
  %place = getelementptr double, ptr %c, i64 %j
  %moved = getelementptr double, ptr %c, i64 %index
  %old = load double, ptr %moved
  %product = fmul double %factor, %x
  %new = fadd double %old, %product
  store double %new, ptr %moved
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %outer, label %exit
exit:
  ret void
}

; Several rows, also of one array if they are long enough. All loads come before
; all stores.
; CHECK-LABEL: @several(
; CHECK: %[[SHORT:.*]] = icmp ult i64 %{{.*}}, 512
; CHECK: and i1 %{{.*}}, %[[SHORT]]
; CHECK: jam.inner:
; CHECK-COUNT-7: fadd double
; CHECK-NOT: load
; CHECK: store double
; CHECK-NOT: load
; CHECK: store double
; CHECK-NOT: store
; CHECK: jam.latch:
define void @several(ptr noalias %c, ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %d = getelementptr i8, ptr %c, i64 4096
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %a.place = getelementptr double, ptr %a, i64 %k
  %factor = load double, ptr %a.place
  %row = mul i64 %k, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %index = add i64 %row, %j
  %b.place = getelementptr double, ptr %b, i64 %index
  %x = load double, ptr %b.place
  %place = getelementptr double, ptr %c, i64 %j
  %old = load double, ptr %place
  %product = fmul double %factor, %x
  %new = fadd double %old, %product
  store double %new, ptr %place
  %d.place = getelementptr double, ptr %d, i64 %j
  %d.old = load double, ptr %d.place
  %d.new = fadd double %d.old, %x
  store double %d.new, ptr %d.place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %outer, label %exit
exit:
  ret void
}

; Not rows that may be the same, or that overlap.
; CHECK-LABEL: @overlap(
; CHECK-NOT: jam
; CHECK: ret void
define void @overlap(ptr noalias %c, ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %d = getelementptr i8, ptr %c, i64 8
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %row = mul i64 %k, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %index = add i64 %row, %j
  %b.place = getelementptr double, ptr %b, i64 %index
  %x = load double, ptr %b.place
  %place = getelementptr double, ptr %c, i64 %j
  %old = load double, ptr %place
  %new = fadd double %old, %x
  store double %new, ptr %place
  %d.place = getelementptr double, ptr %d, i64 %j
  %d.old = load double, ptr %d.place
  %d.new = fmul double %d.old, %x
  store double %d.new, ptr %d.place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %outer, label %exit
exit:
  ret void
}

; CHECK-LABEL: @unknown(
; CHECK-NOT: jam
; CHECK: ret void
define void @unknown(ptr %c, ptr %d, ptr noalias %b, i64 %n) {
entry:
  br label %outer
outer:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %row = mul i64 %k, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %index = add i64 %row, %j
  %b.place = getelementptr double, ptr %b, i64 %index
  %x = load double, ptr %b.place
  %place = getelementptr double, ptr %c, i64 %j
  %old = load double, ptr %place
  %new = fadd double %old, %x
  store double %new, ptr %place
  %d.place = getelementptr double, ptr %d, i64 %j
  %d.old = load double, ptr %d.place
  %d.new = fmul double %d.old, %x
  store double %d.new, ptr %d.place
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %n
  br i1 %j.more, label %inner, label %latch
latch:
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %n
  br i1 %k.more, label %outer, label %exit
exit:
  ret void
}
