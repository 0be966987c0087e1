; Vector loads from one base stand in the order of their addresses.

; RUN: %leaf-opt -passes=sluice-order-loads -S %s | FileCheck %s

; CHECK-LABEL: @sorted(
; CHECK: %a = load
; CHECK-NEXT: %b = load
; CHECK-NEXT: %c = load
define <4 x float> @sorted(ptr %in) {
  %c.place = getelementptr i8, ptr %in, i64 32
  %b.place = getelementptr i8, ptr %in, i64 16
  %c = load <4 x float>, ptr %c.place
  %b = load <4 x float>, ptr %b.place
  %a = load <4 x float>, ptr %in
  %x = fadd <4 x float> %a, %b
  %y = fadd <4 x float> %x, %c
  ret <4 x float> %y
}

; Not across a store, and not scalars.
; CHECK-LABEL: @store(
; CHECK: %c = load
; CHECK: %b = load
; CHECK: store
; CHECK: %a = load
define <4 x float> @store(ptr %in) {
  %c.place = getelementptr i8, ptr %in, i64 32
  %b.place = getelementptr i8, ptr %in, i64 16
  %c = load <4 x float>, ptr %c.place
  %b = load <4 x float>, ptr %b.place
  store <4 x float> %b, ptr %in
  %a = load <4 x float>, ptr %in
  %x = fadd <4 x float> %a, %b
  %y = fadd <4 x float> %x, %c
  ret <4 x float> %y
}
