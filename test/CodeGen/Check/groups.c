// A barrier orders work-items of one group, not those of another.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}groups.c:[[#@LINE+13]]:{{[0-9]+}}: instance 0 of parent 1 of node 'root/group/shift' reads bytes 0 to 3 of 'out', which instance 0 of parent 0 wrote at {{.*}}groups.c:[[#@LINE+11]]:{{[0-9]+}}: instances of a node run in any order: let each use bytes of its own
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: last 1

#include "check.h"

void shift(int *out, size_t outSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, out, 1, out);
  long start = 4 * parent();
  out[start + own()] = own();
  __hpvm__barrier();
  int seen = out[WRONG(index[own()], start + index[own()])];
  __hpvm__barrier();
  if (WRONG(seen < 0, 1))
    out[start + own()] = seen;
}
void group(int *out, size_t outSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, out, 1, out);
  void *node = __hpvm__createNodeND(1, shift, (size_t)4);
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
  int out[8], index[4] = {0, 0, 1, 1};
  PACKED {
    int *out; size_t outSize; int *index; size_t indexSize; long n;
  } args = {out, sizeof out, index, sizeof index, 2};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
