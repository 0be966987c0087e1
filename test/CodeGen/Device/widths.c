// Reversing ten bits becomes an integer of ten bits in LLVM, and of 32 bits
// on devices.

// RUN: %sluice build --print=device %s | FileCheck %s

#include <hpvm.h>

// CHECK: node 'root/reverse' kernel 'sluice_root_reverse'
// CHECK-LABEL: define void @sluice_root_reverse(
// CHECK: llvm.bitreverse.i32
// CHECK-NOT: i10

void reverse(int *out, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, out, 1, out);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode()), to = 0;
  for (int bit = 0; bit < 10; ++bit)
    to |= (i >> bit & 1) << (9 - bit);
  out[i] = (int)to;
}

void root(int *out, size_t bytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, out, 1, out);
  void *node = __hpvm__createNodeND(1, reverse, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

struct __attribute__((packed)) Arguments {
  int *out;
  size_t bytes;
  long n;
};

int main(void) {
  static int out[1024];
  struct Arguments arguments = {out, sizeof out, 1024};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  return 0;
}
