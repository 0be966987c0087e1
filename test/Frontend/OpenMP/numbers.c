// What iterations leave alone, read beside the host, count with small types, or
// do a known number of times.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: host 100 34650 120
// CHECK-NEXT: unchanged 4 99 4 1 1 1
// CHECK-NEXT: signs 1275 -1130 327675 64424509425 -3538 0 1
// CHECK-NEXT: known 5 127 9
// CHECK-NEXT: collapsed 21
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: error
// CHECKED-NOT: nothing was checked
// CHECKED: proven free of races

#include <stdio.h>

struct Numbers {
  int n, a[100];
};

static void readByHost(int n) {
  double a[100], b[100];
  struct Numbers numbers = {7};
  struct {
    char c;
    long q;
  } state = {1, 2};
  long sum = 0, total = 0;
  for (int i = 0; i < 100; i++)
    a[i] = i + 1, numbers.a[i] = i;
#pragma omp parallel for
  for (int i = 0; i < 100; i++)
    b[i] = a[i] / a[0];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += numbers.a[i] * numbers.n;
#pragma omp parallel for firstprivate(state) reduction(+ : total)
  for (int i = 0; i < n; i++)
    total += state.c + state.q;
  printf("host %g %ld %ld\n", b[99], sum, total);
}

static void unchanged(void) {
  int a[100], s = 4, o = 4, l = 4, k = 4;
  double m = 1;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 100; i++)
    a[i] = i;
#pragma omp parallel for reduction(| : o) reduction(max : m)
  for (int i = 0; i < 100; i++) {
    a[i] = i;
    o |= 0;
    if (a[i] < 0)
      m = m;
  }
#pragma omp parallel for reduction(|| : l) reduction(&& : k)
  for (int i = 0; i < 100; i++)
    a[i] = i;
  printf("unchanged %d %d %d %g %d %d\n", s, a[99], o, m, l, k);
}

static void signs(signed char end, int m) {
  long s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
  static int seen[256];
#pragma omp parallel for reduction(+ : s1)
  for (signed char c = -5; c < 5; c++)
    s1 += (unsigned char)c;
#pragma omp parallel for reduction(+ : s2)
  for (unsigned char c = 190; c < 210; c++)
    s2 += (signed char)c;
#pragma omp parallel for reduction(+ : s3)
  for (short c = -5; c < 5; c++)
    s3 += (unsigned short)c;
#pragma omp parallel for collapse(2) reduction(+ : s4)
  for (int i = -5; i < 5; i++)
    for (long j = 0; j < m; j++)
      s4 += (unsigned)i;
#pragma omp parallel for reduction(+ : s5)
  for (unsigned char c = 100; c < end + 200; c++)
    s5 += (signed char)c;
#pragma omp parallel for
  for (signed char c = -5; c < 5; c++)
    seen[(unsigned char)c] = 1;
  printf("signs %ld %ld %ld %ld %ld %d %d\n", s1, s2, s3, s4, s5, seen[5],
         seen[251]);
}

static void knownNumbers(void) {
  int one = 0;
  static int h[128], q[10];
#pragma omp parallel for
  for (int i = 0; i < 1; i++)
    one = 5;
#pragma omp parallel for
  for (int i = 0; i < 128; i++)
    h[i & 127] = i;
#pragma omp parallel for
  for (int i = 0; i < 10; i++)
    q[i % 10] = i;
  printf("known %d %d %d\n", one, h[127], q[9]);
}

static void collapsed(int n) {
  static int grid[10][20];
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 20; j++)
      grid[i][j] = i + j;
  printf("collapsed %d\n", grid[9][12]);
}

int main(int argc, char **argv) {
  readByHost(39 + argc);
  unchanged();
  signs(argc, 2 + argc);
  knownNumbers();
  collapsed(9 + argc);
}
