; Sums of more than three terms outside innermost loops become one term.

; RUN: %leaf-opt -passes=sluice-close-long-sums -S %s | FileCheck %s

; Of a chain, only the sum that has too many terms: what follows begins anew.
; A counter of an outer loop that begins at a sum counts like the sum.
; CHECK-LABEL: @chain(
; CHECK: %d3 = add i64 %d2, %d
; CHECK-NEXT: [[SUM:%.*]] = freeze i64 %d3
; CHECK-NEXT: %d4 = add i64 [[SUM]], 7
; CHECK-NEXT: %d5 = shl i64 %d4, 2
; CHECK-NEXT: %d6 = sub i64 %d5, %a
; CHECK: outer:
; CHECK-NEXT: %y = phi i64 [ %d6, %entry ]
; CHECK-NEXT: %d7 = add i64 %y, %c
; CHECK-NEXT: %d8 = add i64 %d7, %d
; CHECK-NEXT: [[START:%.*]] = freeze i64 %d8
; CHECK: %x = phi i64 [ [[START]], %outer ]
; The loop itself has its sums, whose constants and parts LLVM sees.
; CHECK-NOT: freeze
; CHECK: ret void
define void @chain(ptr %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %n) {
entry:
  %d1 = add i64 %a, %b
  %d2 = add i64 %d1, %c
  %d3 = add i64 %d2, %d
  %d4 = add i64 %d3, 7
  %d5 = shl i64 %d4, 2
  %d6 = sub i64 %d5, %a
  br label %outer
outer:
  %y = phi i64 [ %d6, %entry ], [ %y.next, %outer.next ]
  %d7 = add i64 %y, %c
  %d8 = add i64 %d7, %d
  br label %inner
inner:
  %x = phi i64 [ %d8, %outer ], [ %x.next, %inner ]
  %i1 = add i64 %x, %a
  %i2 = add i64 %i1, %b
  %i3 = add i64 %i2, %c
  %i4 = add i64 %i3, %d
  %i5 = add i64 %i4, %e
  %place = getelementptr i32, ptr %p, i64 %i5
  store i32 0, ptr %place
  %x.next = add i64 %x, 1
  %x.more = icmp slt i64 %x.next, %n
  br i1 %x.more, label %inner, label %outer.next
outer.next:
  %y.next = add i64 %y, 1
  %y.more = icmp slt i64 %y.next, %n
  br i1 %y.more, label %outer, label %exit
exit:
  ret void
}

; Products of unknowns and minima are one term, as they are for LLVM.
; CHECK-LABEL: @terms(
; CHECK-NOT: freeze
; CHECK: ret i64
define i64 @terms(ptr %p, i64 %a, i64 %b, i64 %c, i64 %d) {
entry:
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %product = mul i64 %s2, %d
  %least = call i64 @llvm.umin.i64(i64 %s2, i64 %d)
  %start = add i64 %product, %least
  br label %loop
loop:
  %x = phi i64 [ %start, %entry ], [ %x.next, %loop ]
  %x.next = add i64 %x, 1
  %more = icmp slt i64 %x.next, 1000
  br i1 %more, label %loop, label %exit
exit:
  ret i64 %x
}

; Without a loop, there is nothing to reduce.
; CHECK-LABEL: @straight(
; CHECK-NOT: freeze
; CHECK: ret i64
define i64 @straight(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e) {
  %d1 = add i64 %a, %b
  %d2 = add i64 %d1, %c
  %d3 = add i64 %d2, %d
  %d4 = add i64 %d3, %e
  ret i64 %d4
}
