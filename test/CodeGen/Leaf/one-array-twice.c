// A leaf of one instance has no races, so no launch compares its arguments: it
// does what it says where two of them are one array as well.
// RUN: %sluice build %s -o %t && %t | FileCheck %s
// RUN: env SLUICE_SPECIALIZE=1 %t | FileCheck %s
// RUN: %sluice build -O3 %s -o %t && %t | FileCheck %s
// RUN: %sluice build --reference %s -o %t && %t | FileCheck %s

#include <hpvm.h>
#include <stdio.h>

void shift(int *x, size_t xb, int *y, size_t yb) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  for (int i = 0; i < 1000; ++i)
    y[i + 1] = x[i] + 1;
}

void shiftRoot(int *x, size_t xb, int *y, size_t yb) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  void *leaf = __hpvm__createNodeND(0, shift);
  __hpvm__bindIn(leaf, 0, 0, 0);
  __hpvm__bindIn(leaf, 1, 1, 0);
  __hpvm__bindIn(leaf, 2, 2, 0);
  __hpvm__bindIn(leaf, 3, 3, 0);
}

typedef struct __attribute__((packed)) {
  int *x;
  size_t xb;
  int *y;
  size_t yb;
} Args;

static int a[1001], b[1001];

int main(void) {
  __hpvm__init();
  Args args = {a, sizeof a, a, sizeof a};
  __hpvm__wait(__hpvm__launch(0, shiftRoot, &args));
  printf("%d %d %d\n", a[1], a[500], a[999]); // CHECK: 1 500 999
  args = (Args){a, sizeof a, b, sizeof b};
  __hpvm__wait(__hpvm__launch(0, shiftRoot, &args));
  printf("%d %d %d\n", b[2], b[501], b[1000]); // CHECK-NEXT: 2 501 1000
  __hpvm__cleanup();
}
