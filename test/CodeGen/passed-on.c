// What a leaf returns of its inputs is not stored for each instance, nor waited for as
// a value: it is the input. The order of the nodes stays.
// RUN: %sluice build --no-fuse --print=plan %s -o %t.none | FileCheck %s --check-prefix=PLAN
// PLAN-NOT: array
// PLAN: node {{.*}}root/second
// PLAN: instance by instance
// RUN: %sluice run --no-fuse %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 SLUICE_WORKERS=4 %sluice run --no-fuse %s | FileCheck %s
// CHECK: 0 wrong

#include <hpvm.h>
#include <stdio.h>
void first(int *x, size_t xBytes, long add) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  x[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] += (int)add;
  __hpvm__return(2, xBytes, add);
}
void second(int *x, size_t xBytes, long times) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  x[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] *= (int)times;
}
void root(int *x, size_t xBytes, long add, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  void *one = __hpvm__createNodeND(1, first, n);
  void *two = __hpvm__createNodeND(1, second, n);
  __hpvm__bindIn(one, 0, 0, 0);
  __hpvm__bindIn(one, 1, 1, 0);
  __hpvm__bindIn(one, 2, 2, 0);
  __hpvm__bindIn(two, 0, 0, 0);
  for (int i = 0; i < 2; ++i)
    __hpvm__edge(one, two, HPVM_ONE_TO_ONE, i, i + 1, 0);
}
struct __attribute__((packed)) Arguments {
  int *x;
  size_t xBytes;
  long add, n;
};
int main(void) {
  static int x[1000];
  struct Arguments a = {x, sizeof x, 3, 1000};
  int wrong = 0;
  __hpvm__init();
  for (int i = 0; i < 1000; ++i)
    x[i] = i;
  __hpvm__wait(__hpvm__launch(0, root, &a));
  __hpvm__cleanup();
  for (int i = 0; i < 1000; ++i)
    wrong += x[i] != (i + 3) * 3;
  printf("%d wrong\n", wrong);
}
