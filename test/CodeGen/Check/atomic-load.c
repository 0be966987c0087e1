// Instances look at a counter that others change: a plain look is a race, an
// atomic one is none.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED -DPLAIN_STORE %s 2>&1 | FileCheck %s --check-prefix=STORE
// CHECK: sluice: error: {{.*}}atomic-load.c:[[#@LINE+18]]:{{[0-9]+}}: instance 1 of node 'root/count' reads bytes 4 to 7 of 'bins', which instance 0 atomically updated at {{.*}}atomic-load.c:[[#@LINE+17]]:
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: bin 8, last 7
// STORE: sluice: error: {{.*}}: instance 1 of node 'root/count' writes bytes 8 to 11 of 'bins', which instance 0 atomically read at
// STORE: sluice: error: {{.*}}: instance 1 of node 'root/count' atomically reads bytes 8 to 11 of 'bins', which instance 0 wrote at

#include "check.h"

void count(int *bins, size_t binsSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, bins, 2, index, bins);
#ifdef PLAIN_STORE
  bins[index[own()] + 1] = 0;
#else
  __hpvm__atomic_store(bins + index[own()] + 1, (int)own());
#endif
  __hpvm__atomic_add(bins + index[own()], 1);
  index[own()] = index[own()] + 0 * WRONG(bins[index[own()]], __hpvm__atomic_load(bins + index[own()]));
  index[own()] += 0 * __hpvm__atomic_load(bins + 2);
}
void root(int *bins, size_t binsSize, int *index, size_t indexSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, bins, 2, index, bins);
  void *node = __hpvm__createNodeND(1, count, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int bins[4] = {0}, index[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  PACKED {
    int *bins; size_t binsSize; int *index; size_t indexSize; long n;
  } args = {bins, sizeof bins, index, sizeof index, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("bin %d, last %d\n", bins[1], bins[2]);
}
