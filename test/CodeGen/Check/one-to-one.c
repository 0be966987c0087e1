// A one-to-one edge orders equal indices only.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}one-to-one.c:[[#@LINE+17]]:{{[0-9]+}}: instance 1 of node 'root/use' reads bytes 8 to 11 of 'data', which instance 2 of node 'root/fill' wrote at {{.*}}one-to-one.c:[[#@LINE+10]]:{{[0-9]+}}: the one-to-one edge from 'root/fill' to 'root/use' orders equal indices only: make it all-to-all
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: last 7

#include "check.h"

void fill(int *data, size_t dataSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, data);
  data[own()] = index[own()];
  __hpvm__return(1, (int)own());
}
void use(int *data, size_t dataSize, int *index, size_t indexSize, int *out,
         size_t outSize, int done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, data, 1, out);
  out[own()] = data[index[own()]];
}
void root(int *data, size_t dataSize, int *index, size_t indexSize, int *out,
          size_t outSize, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, data, 2, data, out);
  void *a = __hpvm__createNodeND(1, fill, n);
  void *b = __hpvm__createNodeND(1, use, n);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(a, 2, 2, 0);
  __hpvm__bindIn(a, 3, 3, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__bindIn(b, 1, 1, 0);
  __hpvm__bindIn(b, 2, 2, 0);
  __hpvm__bindIn(b, 3, 3, 0);
  __hpvm__bindIn(b, 4, 4, 0);
  __hpvm__bindIn(b, 5, 5, 0);
  __hpvm__edge(a, b, WRONG(0, 1), 0, 6, 0);
}

int main(void) {
  int data[8], out[8], index[8] = {0, 2, 1, 3, 4, 5, 6, 7};
  PACKED {
    int *data; size_t dataSize; int *index; size_t indexSize; int *out;
    size_t outSize; long n;
  } args = {data, sizeof data, index, sizeof index, out, sizeof out, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
