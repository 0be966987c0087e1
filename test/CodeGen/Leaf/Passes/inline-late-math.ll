; Math functions whose calls were kept until now are inlined.

; RUN: %leaf-opt -passes=sluice-inline-late-math -S %s | FileCheck %s
; RUN: %leaf-opt -passes='sluice-inline-late-math<no-cleanup>' -S %s | FileCheck %s --check-prefix=PLAIN

; CHECK-LABEL: @leaf(
; CHECK-NOT: call
; CHECK: fadd float %x, %x
; CHECK-NOT: fadd float %x, %x
; CHECK: ret
; PLAIN-LABEL: @leaf(
; PLAIN-NOT: call
; PLAIN: fadd float %x, %x
; PLAIN: fadd float %x, %x
define float @leaf(float %x) {
  %y = call float @sluice_lanes_twicef(float %x)
  %z = call float @sluice_lanes_twicef(float %x)
  %sum = fmul float %y, %z
  ret float %sum
}

; Not other functions.
; CHECK-LABEL: @other(
; CHECK: call float @expf
define float @other(float %x) {
  %y = call float @expf(float %x)
  ret float %y
}

define internal float @sluice_lanes_twicef(float %x) memory(none) {
  %y = fadd float %x, %x
  ret float %y
}

declare float @expf(float)
