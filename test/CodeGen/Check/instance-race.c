// Instances of one node write through a loaded index.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}instance-race.c:[[LINE:[0-9]+]]:{{[0-9]+}}: instance 3 of node 'root/scatter' writes bytes 4 to 7 of 'out', which instance 0 wrote at {{.*}}instance-race.c:[[LINE]]:{{[0-9]+}}: instances of a node run in any order
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: last 7

#include "check.h"

void scatter(int *out, size_t outSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, out);
  out[index[own()] & 7] = own(); // launches do not test such tables
}
void root(int *out, size_t outSize, int *index, size_t indexSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, out);
  void *node = __hpvm__createNodeND(1, scatter, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int out[8], index[8] = {1, 2, 3, WRONG(1, 0), 4, 5, 6, 7};
  PACKED { int *out; size_t outSize; int *index; size_t indexSize; long n; }
  args = {out, sizeof out, index, sizeof index, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
