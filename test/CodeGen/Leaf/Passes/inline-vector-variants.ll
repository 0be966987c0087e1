; The vector forms of slow paths are inlined, and unused ones are not kept.

; RUN: %leaf-opt -passes=sluice-inline-vector-variants -S %s | FileCheck %s

; CHECK-NOT: llvm.compiler.used
; CHECK-LABEL: @leaf(
; CHECK-NOT: call
; CHECK: fadd <4 x float>
define <4 x float> @leaf(<4 x float> %x) {
  %y = call <4 x float> @sluice_far_expf.lanes4(<4 x float> %x)
  ret <4 x float> %y
}

define internal <4 x float> @sluice_far_expf.lanes4(<4 x float> %x) alwaysinline {
  %y = fadd <4 x float> %x, %x
  ret <4 x float> %y
}

; Not other functions.
; CHECK-LABEL: @other(
; CHECK: call <4 x float> @slow(
define <4 x float> @other(<4 x float> %x) {
  %y = call <4 x float> @slow(<4 x float> %x)
  ret <4 x float> %y
}

declare <4 x float> @slow(<4 x float>)

@llvm.compiler.used = appending global [1 x ptr] [ptr @sluice_far_expf.lanes4], section "llvm.metadata"
