// Instances count with plain additions; the twin with atomic ones.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}atomics.c:[[#@LINE+14]]:{{[0-9]+}}: instance 2 of node 'root/count' reads bytes 4 to 7 of 'bins', which instance 0 wrote at {{.*}}atomics.c:[[#@LINE+14]]:
// CHECK: sluice: error: {{.*}}atomics.c:[[#@LINE+13]]:{{[0-9]+}}: instance 2 of node 'root/count' writes bytes 4 to 7 of 'bins', which instance 0 wrote at
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: bin 4

#include "check.h"

void count(int *bins, size_t binsSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, bins, 1, bins);
#ifdef FIXED
  __hpvm__atomic_add(bins + index[own()], 1);
#else
  bins[index[own()]] += 1;
#endif
}
void root(int *bins, size_t binsSize, int *index, size_t indexSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, bins, 1, bins);
  void *node = __hpvm__createNodeND(1, count, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int bins[4] = {0}, index[8] = {1, 2, 1, 2, 1, 2, 1, 2};
  PACKED {
    int *bins; size_t binsSize; int *index; size_t indexSize; long n;
  } args = {bins, sizeof bins, index, sizeof index, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("bin %d\n", bins[1]);
}
