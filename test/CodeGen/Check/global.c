// Instances share a global; the twin updates it atomically.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}global.c:[[#@LINE+12]]:{{[0-9]+}}: instance {{[0-9]}} of node 'root/count' {{reads|writes}} bytes 0 to 3 of global 'seen', which instance {{[0-9]}}
// FIXED-NOT: error
// FIXED: seen 3

#include "check.h"

static int seen[2];

void count(int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 0);
  if (index[own()] > 4)
    WRONG(seen[index[0]] += 1, __hpvm__atomic_add(&seen[index[0]], 1));
}
void root(int *index, size_t indexSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 0);
  void *node = __hpvm__createNodeND(1, count, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

int main(void) {
  int index[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  PACKED {
    int *index; size_t indexSize; long n;
  } args = {index, sizeof index, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("seen %d\n", seen[0]);
}
