// Two nodes that no edge orders meet through a loaded index.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}node-race.c:[[#@LINE+18]]:{{[0-9]+}}: the instance of node 'root/second' reads bytes 12 to 15 of 'data', which instance 3 of node 'root/first' wrote at {{.*}}node-race.c:[[#@LINE+10]]:{{[0-9]+}}: nothing orders 'root/first' and 'root/second': join them by an edge
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: picked 3

#include "check.h"

void first(int *data, size_t dataSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, data);
  data[index[own()]] = own();
  __hpvm__return(1, 1);
}

void second(int *data, size_t dataSize, int *index, size_t indexSize,
            int *picked, size_t pickedSize, int done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, index, 1, picked);
  *picked = data[index[3]];
}

void root(int *data, size_t dataSize, int *index, size_t indexSize, int *picked,
          size_t pickedSize, long n, int zero) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, index, 2, data, picked);
  void *a = __hpvm__createNodeND(1, first, n);
  void *b = __hpvm__createNodeND(0, second);
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
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 6, 0);
#else
  __hpvm__bindIn(b, 7, 6, 0);
#endif
}

int main(void) {
  int data[8] = {0}, index[8] = {0, 1, 2, 3, 4, 5, 6, 7}, picked;
  PACKED {
    int *data; size_t dataSize; int *index; size_t indexSize; int *picked;
    size_t pickedSize; long n; int zero;
  } args = {data, sizeof data, index, sizeof index, &picked, sizeof picked, 8};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("picked %d\n", picked);
}
