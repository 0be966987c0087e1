// Two children of a replicated internal node are not ordered.

// RUN: not env SLUICE_CHECK=1 %sluice run -I %S/Inputs %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run -I %S/Inputs -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// CHECK: sluice: error: {{.*}}children.c:[[#@LINE+17]]:{{[0-9]+}}: instance 0 of parent 0 of node 'root/group/use' reads bytes 0 to 3 of 'data', which instance 0 of parent 0 of node 'root/group/fill' wrote at {{.*}}children.c:[[#@LINE+10]]:{{[0-9]+}}: nothing orders 'root/group/fill' and 'root/group/use': join them by an edge
// CHECK-NOT: error
// FIXED-NOT: error
// FIXED: last 3

#include "check.h"

void fill(int *data, size_t dataSize, int *index, size_t indexSize) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, index, 1, data);
  data[4 * parent() + index[own()]] = own();
  __hpvm__return(1, (int)own());
}
void use(int *data, size_t dataSize, int *index, size_t indexSize, int *out,
         size_t outSize, int done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, data, 1, out);
  out[4 * parent() + own()] = data[4 * parent() + index[own()]];
}
void group(int *data, size_t dataSize, int *index, size_t indexSize, int *out,
           size_t outSize, int zero) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, data, 2, data, out);
  void *a = __hpvm__createNodeND(1, fill, (size_t)4);
  void *b = __hpvm__createNodeND(1, use, (size_t)4);
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
  __hpvm__bindIn(b, 6, 6, 0);
#endif
}
void root(int *data, size_t dataSize, int *index, size_t indexSize, int *out,
          size_t outSize, int zero, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, index, data, 2, data, out);
  void *node = __hpvm__createNodeND(1, group, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
  __hpvm__bindIn(node, 4, 4, 0);
  __hpvm__bindIn(node, 5, 5, 0);
  __hpvm__bindIn(node, 6, 6, 0);
}

int main(void) {
  int data[8], out[8], index[8] = {0, 2, 1, 3, 4, 5, 6, 7};
  PACKED {
    int *data; size_t dataSize; int *index; size_t indexSize; int *out;
    size_t outSize; int zero; long n;
  } args = {data, sizeof data, index, sizeof index, out, sizeof out, 0, 2};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  printf("last %d\n", out[7]);
}
