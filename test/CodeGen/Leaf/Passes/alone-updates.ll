; Beside an atomic stands plain code, which runs where nothing else runs.

; RUN: %leaf-opt -passes=sluice-alone-updates -S %s | FileCheck %s

; CHECK-LABEL: @add(
; CHECK: %alone = icmp ne i32
; CHECK: br i1 %alone
; CHECK: load atomic i32, ptr %sum monotonic
; CHECK: add i32
; CHECK: store atomic i32 {{.*}}, ptr %sum monotonic
; CHECK: atomicrmw add ptr %sum, i32 %x monotonic
define i32 @add(ptr "sluice-invocation" %invocation, ptr %sum, i32 %x) {
  %old = atomicrmw add ptr %sum, i32 %x monotonic
  ret i32 %old
}

; Not atomics that order other memory, and not without an invocation to ask.
; CHECK-LABEL: @ordered(
; CHECK-NOT: br
; CHECK: ret
define i32 @ordered(ptr "sluice-invocation" %invocation, ptr %sum, i32 %x) {
  %old = atomicrmw add ptr %sum, i32 %x seq_cst
  ret i32 %old
}

; CHECK-LABEL: @host(
; CHECK-NOT: br
; CHECK: ret
define i32 @host(ptr %invocation, ptr %sum, i32 %x) {
  %old = atomicrmw add ptr %sum, i32 %x monotonic
  ret i32 %old
}
