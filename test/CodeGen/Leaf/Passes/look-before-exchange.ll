; A load before an exchange that expects a constant tells whether it would fail.

; RUN: %leaf-opt -passes=sluice-look-before-exchange -S %s | FileCheck %s

; CHECK-LABEL: @visit(
; CHECK: %found = load atomic i32, ptr %level monotonic
; CHECK: icmp eq i32 %found, -1
; CHECK: br i1
; CHECK: cmpxchg ptr %level, i32 -1, i32 %new monotonic monotonic
; CHECK: phi i1 [ false,
define i1 @visit(ptr %level, i32 %new) "sluice-collects-updates" {
  %result = cmpxchg ptr %level, i32 -1, i32 %new monotonic monotonic
  %done = extractvalue { i32, i1 } %result, 1
  ret i1 %done
}

; Not where the expected value was just read, and not in host code.
; CHECK-LABEL: @computed(
; CHECK-NOT: br
; CHECK: ret
define i1 @computed(ptr %level, i32 %new) "sluice-collects-updates" {
  %old = load i32, ptr %level
  %result = cmpxchg ptr %level, i32 %old, i32 %new monotonic monotonic
  %done = extractvalue { i32, i1 } %result, 1
  ret i1 %done
}

; CHECK-LABEL: @host(
; CHECK-NOT: br
; CHECK: ret
define i1 @host(ptr %level, i32 %new) {
  %result = cmpxchg ptr %level, i32 -1, i32 %new monotonic monotonic
  %done = extractvalue { i32, i1 } %result, 1
  ret i1 %done
}
