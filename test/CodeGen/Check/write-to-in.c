// A node writes memory it was given as 'in', through a pointer it chooses.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}write-to-in.c:[[#@LINE+11]]:{{[0-9]+}}: instance 3 of node 'root/copy' writes bytes 12 to 15 of argument 'in' of graph 'root', which graph 'root' was given as 'in': declare it 'out' as well, or write elsewhere
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: last 17

#include "check.h"

void copy(int *out, size_t outSize, int *in, size_t inSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  int *to = in[own()] == 3 ? WRONG(in, out) : out;
  to[own()] = 2 * in[own()] + 3;
}
void root(int *out, size_t outSize, int *in, size_t inSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 1, out);
  void *node = __hpvm__createNodeND(1, copy, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

int main(void) {
  int out[8], in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  PACKED { int *out; size_t outSize; int *in; size_t inSize; long n; }
  args = {out, sizeof out, in, sizeof in, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
