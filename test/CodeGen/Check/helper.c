// A function that a leaf calls, and that calls itself, is checked too.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}helper.c:[[#@LINE+9]]:{{[0-9]+}}: instance 1 of node 'root/mark' writes bytes 0 to 3 of argument 'out' of graph 'root', which instance 0 wrote at
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: first 3

#include "check.h"

__attribute__((noinline)) static void down(int *out, int from, int to) {
  if (from == to) {
    out[to] = from + WRONG(0, 3);
    return;
  }
  down(out, from - 1, to);
}
void mark(int *out, size_t outSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, out);
  down(out, own(), WRONG(0, index[own()]));
}
void root(int *out, size_t outSize, int *index, size_t indexSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, out);
  void *node = __hpvm__createNodeND(1, mark, n);
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
  printf("first %d\n", out[0]);
}
