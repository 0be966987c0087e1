// Iterations round as the thread does that starts the loop.
// RUN: env SLUICE_WORKERS=4 %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// CHECK: up: 0x1.5555555555556p-2, 0 others
// CHECK-NEXT: nearest: 0x1.5555555555555p-2, 0 others
#include <fenv.h>
#include <stdio.h>

enum { Size = 1000000 };
static double one[Size], three[Size], x[Size];

static void divide(const char *way) {
#pragma omp parallel for
  for (int i = 0; i < Size; ++i)
    x[i] = one[i] / three[i];
  fesetround(FE_TONEAREST);
  int others = 0;
  for (int i = 0; i < Size; ++i)
    others += x[i] != x[0];
  printf("%s: %a, %d others\n", way, x[0], others);
}

int main(void) {
  for (int i = 0; i < Size; ++i) {
    one[i] = 1;
    three[i] = 3;
  }
  fesetround(FE_UPWARD);
  divide("up");
  divide("nearest");
}
