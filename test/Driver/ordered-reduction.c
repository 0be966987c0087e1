// A sum that instances share, and an order among them, exclude each other.
// RUN: not sluice build %s -o %t 2>&1 | FileCheck %s
// CHECK: :16:{{[0-9]+}}{{.*}}error: instances of 'leaf' run in order, and have a reduction; write it as plain code

#include <hpvm.h>

void leaf(int *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  sum[0] += 1;
}
void root(int *sum, size_t sumBytes, size_t n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, sum, 1, sum);
  void *node = __hpvm__createNodeND(1, leaf, n);
  sluice_ordered(node, SLUICE_X);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
int main(void) {
  struct __attribute__((packed)) {
    int *sum;
    size_t bytes, n;
  } arguments = {0};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
}
