; Undoes sluice-avoid-gathers, and leaves what the program wants.

; RUN: %leaf-opt -passes=sluice-allow-gathers -S %s | FileCheck %s

; CHECK: define void @hidden() [[ALL:#[0-9]+]]
define void @hidden() "target-features"="+avx2,+prefer-no-gather,+prefer-no-scatter" {
  ret void
}

; CHECK: define void @asked() [[ASKED:#[0-9]+]]
define void @asked() "target-features"="+avx2,+prefer-no-gather" {
  ret void
}

; CHECK: attributes [[ALL]] = { "target-features"="+avx2" }
; CHECK: attributes [[ASKED]] = { "target-features"="+avx2,+prefer-no-gather" }
