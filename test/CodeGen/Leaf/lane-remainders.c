// The last instances run as a vector in which other lanes are off, and load what
// the first lane loads: no lane is skipped for each load.
// RUN: %sluice build -O3 -march=x86-64-v3 -ffp-contract=off %s -o %t --print-after=sluice-vectorize-lanes 2>&1 | FileCheck %s
// CHECK: lanes.part:
// CHECK: [[MASK:%.*]] = icmp ult <8 x i32>
// CHECK: select <8 x i1> [[MASK]], <8 x ptr>
// CHECK-NOT: masked.gather{{.*}}<8 x i1> [[MASK]]
// CHECK: load <4 x double>
// CHECK-NOT: masked.gather{{.*}}<8 x i1> [[MASK]]
// CHECK: lanes.few:
// RUN: %t | FileCheck %s --check-prefix=RIGHT
// RUN: env SLUICE_WORKERS=1 %t | FileCheck %s --check-prefix=RIGHT
// RUN: env SLUICE_WORKERS=3 %t | FileCheck %s --check-prefix=RIGHT
// RUN: %sluice run -ffp-contract=off --reference %s | FileCheck %s --check-prefix=RIGHT
// RIGHT: 40 of 40 lengths are right

#include <hpvm.h>
#include <stdio.h>

enum { most = 40 };

void dot(double *x, size_t xBytes, double *w, size_t wBytes, double *y,
         size_t yBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, w, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double sum = 0;
  for (long k = 0; k < n; ++k)
    sum += x[i * n + k] * w[k];
  y[i] = sum;
}

void root(double *x, size_t xBytes, double *w, size_t wBytes, double *y,
          size_t yBytes, long n, long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, w, 1, y);
  void *node = __hpvm__createNodeND(1, dot, rows);
  for (int port = 0; port != 7; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

int main(void) {
  static double x[most * most], w[most], y[most];
  for (int i = 0; i < most * most; ++i)
    x[i] = (i * 37 % 101) / 7.0;
  for (int i = 0; i < most; ++i)
    w[i] = (i * 11 % 13) / 3.0;
  __hpvm__init();
  int numRight = 0;
  for (long rows = 1; rows <= most; ++rows) {
    for (int i = 0; i < most; ++i)
      y[i] = -1;
    struct {
      double *x;
      size_t xBytes;
      double *w;
      size_t wBytes;
      double *y;
      size_t yBytes;
      long n, rows;
    } arguments = {x, sizeof x, w, sizeof w, y, sizeof y, most, rows};
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
    int isRight = 1;
    for (int i = 0; i < most; ++i) {
      volatile double sum = 0;
      for (int k = 0; k < most; ++k)
        sum += x[i * most + k] * w[k];
      isRight &= y[i] == (i < rows ? sum : -1);
    }
    numRight += isRight;
  }
  printf("%d of %d lengths are right\n", numRight, most);
  __hpvm__cleanup();
}
