// The plan says how many units a kernel runs at once, if units are instances.
// RUN: %sluice build -O3 -march=x86-64-v3 %s -o %t --print-after=sluice-store-units-at-once 2>&1 | FileCheck %s
// CHECK-DAG: @"sluice.rows/escape.units" = internal constant i32 8
// CHECK-DAG: @"sluice.rows/plain.units" = internal constant i32 1
// RUN: %sluice build -O0 %s -o %t --print=llvm | FileCheck %s --check-prefix=PLAN
// PLAN: @"sluice.rows/escape.units" = internal constant i32 1

#include <hpvm.h>

void escape(double *x, size_t xBytes, double *y, size_t yBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  double value = x[i];
  for (long k = 0; k < n && value * value < 4; ++k)
    value = value * value + x[i];
  y[i] = value;
}

void plain(double *x, size_t xBytes, double *y, size_t yBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  y[i] = x[i] + 1;
}

void rows(double *x, size_t xBytes, double *y, size_t yBytes, double *z,
          size_t zBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, z, 2, y, z);
  void *a = __hpvm__createNodeND(1, escape, n);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(a, 2, 2, 0);
  __hpvm__bindIn(a, 3, 3, 0);
  __hpvm__bindIn(a, 6, 4, 0);
  void *b = __hpvm__createNodeND(1, plain, n);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__bindIn(b, 1, 1, 0);
  __hpvm__bindIn(b, 4, 2, 0);
  __hpvm__bindIn(b, 5, 3, 0);
}

int main(void) {
  static double x[64], y[64], z[64];
  __hpvm__init();
  struct {
    double *x;
    size_t xBytes;
    double *y;
    size_t yBytes;
    double *z;
    size_t zBytes;
    long n;
  } arguments = {x, sizeof x, y, sizeof y, z, sizeof z, 64};
  __hpvm__wait(__hpvm__launch(0, rows, &arguments));
  __hpvm__cleanup();
}
