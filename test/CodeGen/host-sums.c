// Sums of products that '#pragma omp simd reduction' allows in any order become
// vectors in the code around graphs as well, also where a table names the
// function.
// RUN: %sluice build -q -O3 -march=x86-64-v3 %s --print=llvm | FileCheck %s
// RUN: %sluice build -q -O3 -march=x86-64-v3 %s -o %t && %t | FileCheck %s --check-prefix=SUM

// CHECK-LABEL: define {{.*}}double @dot(
// CHECK: call double @llvm.vector.reduce.fadd
// CHECK: {{^}}}

// What leaves call is rounded alike in all their variants.
// RUN: %sluice build -q -O3 -march=x86-64-v3 %s --print=kernels | FileCheck %s --check-prefix=LEAF
// LEAF-LABEL: define {{.*}}double @called(
// LEAF: call {{.*}}@llvm.fma.f64
// LEAF-NOT: fmuladd

#include <stdio.h>

double dot(long n, const double *restrict a, const double *restrict b) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (long i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

__attribute__((noinline)) double called(double a, double b, double c) {
  return a * b + c;
}

double (*const table[])(long, const double *, const double *) = {dot};

int main(int argc, char **argv) {
  static double x[1000];
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i)
    x[i] = called(i, 2, 1);
  // SUM: 1333333000
  printf("%.0f\n", table[argc - 1](1000, x, x));
}
