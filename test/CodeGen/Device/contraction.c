// A device rounds `a * b + c` as often as the host's code does: once where the
// host has the instruction and the language allows it, twice elsewhere.

// RUN: %sluice build --print=device %s | FileCheck %s
// RUN: %sluice build --print=device -march=x86-64-v3 %s \
// RUN:   | FileCheck %s --check-prefix=FUSED
// RUN: %sluice build --print=device -march=x86-64-v3 -ffp-contract=off %s \
// RUN:   | FileCheck %s

// CHECK-LABEL: define void @sluice_root_leaf(
// CHECK-NOT: llvm.fma
// CHECK: fmul float
// CHECK: fadd float
// CHECK-NOT: llvm.fma
// FUSED-LABEL: define void @sluice_root_leaf(
// FUSED: call float @llvm.fma.f32(
// FUSED-NOT: fmul

#include <hpvm.h>

void leaf(float *a, size_t aBytes, float *b, size_t bBytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(2, a, b, 1, b);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  b[i] = a[i] * 1.1f + b[i];
}
void root(float *a, size_t aBytes, float *b, size_t bBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 1, b);
  void *node = __hpvm__createNodeND(1, leaf, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}
struct __attribute__((packed)) Arguments {
  float *a;
  size_t aBytes;
  float *b;
  size_t bBytes;
  long n;
};
int main(void) {
  static float a[16], b[16];
  struct Arguments arguments = {a, sizeof a, b, sizeof b, 16};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  return 0;
}
