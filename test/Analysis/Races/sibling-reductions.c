// Two nodes that reduce into one memory need an edge, also by one operator: the
// order in which they join it shows in the bits of sums.
//
// RUN: not sluice check %s 2>&1 | FileCheck %s
// CHECK: error: 'a' reads argument 'sum' of 'root' here, and 'b' writes it, but no edge orders the two; add an edge from 'a' to 'b' [race]
// RUN: sluice check -DEDGE %s 2>&1 | FileCheck %s --check-prefix=ORDERED
// ORDERED: proven free of races
// RUN: sluice run -DEDGE %s | FileCheck %s --check-prefix=SUM
// SUM: 1498500

#include <hpvm.h>
#include <stdio.h>
void a(int *x, size_t xBytes, long *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  sum[0] += x[__hpvm__getNodeInstanceID_x(__hpvm__getNode())];
  __hpvm__return(1, sumBytes);
}
void b(int *x, size_t xBytes, long *sum, size_t sumBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, sum, 1, sum);
  sluice_reduce(sum, sumBytes, SLUICE_SUM);
  sum[0] += 2 * x[__hpvm__getNodeInstanceID_x(__hpvm__getNode())];
}
void root(int *x, size_t xBytes, long *sum, size_t sumBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, sum, 1, sum);
  void *first = __hpvm__createNodeND(1, a, n),
       *second = __hpvm__createNodeND(1, b, n);
  for (int i = 0; i < 4; ++i) {
    __hpvm__bindIn(first, i, i, 0);
#ifdef EDGE
    if (i == 3)
      continue;
#endif
    __hpvm__bindIn(second, i, i, 0);
  }
#ifdef EDGE
  __hpvm__edge(first, second, 1, 0, 3, 0);
#endif
}
struct __attribute__((packed)) Args {
  int *x;
  size_t xb;
  long *s;
  size_t sb;
  long n;
};
int main(void) {
  static int x[1000];
  long sum[1] = {0};
  for (int i = 0; i < 1000; ++i)
    x[i] = i;
  __hpvm__init();
  struct Args args = {x, sizeof x, sum, sizeof sum, 1000};
  __hpvm__wait(__hpvm__launch(0, root, &args));
  printf("%ld\n", sum[0]);
  __hpvm__cleanup();
}
