// Loops over values of many types, with calls of pointers, gotos, and memory of
// their own.
// RUN: %sluice run -w %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=1 %sluice run -w %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_CHECK=1 %sluice run -w %s | FileCheck %s --match-full-lines
// CHECK: 49 5 1.5 19 abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk 56 0 44 8

#include <stdio.h>
#include <stdlib.h>
#include <complex.h>
typedef struct N { struct N *next; int v; } N;
static double (*fp)(double); static double sq(double x) { return x * x; }
int main(int argc, char **argv) {
  fp = sq; double t[50]; double complex z[20]; long double ld[10]; int *restrict p = malloc(400); char text[64]; __int128 big = 0;
#pragma omp parallel for
  for (int i = 0; i < 50; i++) t[i] = fp(i);
#pragma omp parallel for
  for (int i = 0; i < 20; i++) z[i] = i + 2.0 * I;
#pragma omp parallel for
  for (int i = 0; i < 10; i++) ld[i] = i * 0.5L;
#pragma omp parallel for
  for (int i = 0; i < 100; i++) { N *n = malloc(sizeof *n); n->v = i; p[i] = n->v; free(n); }
#pragma omp parallel for
  for (int i = 0; i < 63; i++) text[i] = 'a' + i % 26;
  text[63] = 0;
  int rows = 5 + argc, cols = 7; double (*m)[cols] = malloc(sizeof(double[rows][cols]));
#pragma omp parallel for collapse(2)
  for (int i = 0; i < rows; i++) for (int j = 0; j < cols; j++) m[i][j] = i * 10 + j;
  int k = 3;
#pragma omp parallel for
  for (int i = 0; i < 100; i++) { switch (i % k) { case 0: p[i] = -1; break; case 1: goto out; default: p[i] += 2; } out:; }
  unsigned long long huge = 0;
#pragma omp parallel for reduction(+ : huge)
  for (unsigned long long i = 18446744073709551000ull; i < 18446744073709551610ull; i += 7) huge += i & 1;
#pragma omp parallel for reduction(- : k)
  for (int i = -5; i < 5; i++) k -= i;
  printf("%g %g %Lg %d %s %g %d %llu %d\n", t[7], creal(z[3]) + cimag(z[4]), ld[3], p[8] + p[9] + p[10], text, m[5][6], (int)big, huge, k);
  return 0;
}
