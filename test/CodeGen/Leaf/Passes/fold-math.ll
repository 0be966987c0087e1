; Math functions of constants are computed, as they would be at run time.

; RUN: %leaf-opt -passes=sluice-fold-math -S %s | FileCheck %s

; CHECK-LABEL: @constant(
; CHECK: ret float 7.000000e+00
define float @constant() {
  %y = call float @sluice_lanes_twicef(float 3.0)
  %z = fadd float %y, 1.0
  ret float %z
}

; Not of other numbers, and not where the result is no number, which processors
; and LLVM write differently.
; CHECK-LABEL: @variable(
; CHECK: call float @sluice_lanes_twicef(float %x)
define float @variable(float %x) {
  %y = call float @sluice_lanes_twicef(float %x)
  ret float %y
}

; CHECK-LABEL: @nan(
; CHECK: call float @sluice_lanes_twicef(float
define float @nan() {
  %y = call float @sluice_lanes_twicef(float 0x7FF8000000000000)
  ret float %y
}

define internal float @sluice_lanes_twicef(float %x) memory(none) {
  %y = fadd float %x, %x
  ret float %y
}
