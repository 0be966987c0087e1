// A node reads memory it was given as 'out' before anything is in it.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}read-of-out.c:[[#@LINE+13]]:{{[0-9]+}}: instance 0 of node 'root/sum' reads bytes 0 to 3 of 'out', which the node was given as 'out', before the graph has written them: declare it 'in' as well, or write it first
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: sum 28

#include "check.h"

void sum(int *out, size_t outSize, int *in, size_t inSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  if (WRONG(0, 1))
    out[own()] = 0;
  for (int i = 0; i < 8; ++i)
    out[own()] += in[8 * own() + i];
}
void root(int *out, size_t outSize, int *in, size_t inSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, sum, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int out[1] = {0}, in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  PACKED { int *out; size_t outSize; int *in; size_t inSize; long n; }
  args = {out, sizeof out, in, sizeof in, 1};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("sum %d\n", out[0]);
}
