// Work-items of a group read what others write, without a barrier between.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}missing-barrier.c:[[#@LINE+14]]:{{[0-9]+}}: instance 1 of parent 0 of node 'root/group/reverse' reads bytes {{[0-9]+}} to {{[0-9]+}} of 'out', which instance {{[0-9]}} of parent 0 wrote at {{.*}}missing-barrier.c:[[#@LINE+11]]:{{[0-9]+}}: instances of a node run in any order between barriers
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: first 3

#include "check.h"

void reverse(int *out, size_t outSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, out, 1, out);
  long at = 4 * parent() + own();
  out[at] = index[at];
  if (WRONG(0, 1))
    __hpvm__barrier();
  int other = out[4 * parent() + index[own()]];
  __hpvm__barrier();
  out[at] = other;
}
void group(int *out, size_t outSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, out, 1, out);
  void *node = __hpvm__createNodeND(1, reverse, (size_t)4);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}
void root(int *out, size_t outSize, int *index, size_t indexSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, out, 1, out);
  void *node = __hpvm__createNodeND(1, group, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int out[8], index[8] = {0, 0, 1, 3, 3, 3, 3, 3};
  PACKED {
    int *out; size_t outSize; int *index; size_t indexSize; long n;
  } args = {out, sizeof out, index, sizeof index, 2};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("first %d\n", out[7]);
}
