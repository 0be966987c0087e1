// A node writes behind the memory that it allocated.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}allocation.c:[[#@LINE+11]]:{{[0-9]+}}: instance 4 of node 'root/sum' writes 4 bytes at byte 16 of allocated memory, which has 16 bytes
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: last 7

#include "check.h"

void sum(int *out, size_t outSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, out);
  int *copy = __hpvm__malloc(WRONG(4, 8) * sizeof(int));
  copy[index[own()]] = own();
  out[own()] = copy[index[own()]];
}
void root(int *out, size_t outSize, int *index, size_t indexSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, out);
  void *node = __hpvm__createNodeND(1, sum, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int out[8], index[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  PACKED {
    int *out; size_t outSize; int *index; size_t indexSize; long n;
  } args = {out, sizeof out, index, sizeof index, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
