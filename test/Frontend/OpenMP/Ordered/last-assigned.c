// 'lastprivate(conditional:)': what the last iteration that assigns has assigned,
// or what was there before. Clang never sets back which iteration that was.
// RUN: %sluice run -fopenmp %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run -fopenmp %s | FileCheck %s --match-full-lines
// RUN: %sluice cc -O0 -w -fopenmp %s -o %t
// RUN: env OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=2 %t | FileCheck %s --match-full-lines
// CHECK: 5035 5010 5000 -7
// CHECK-NEXT: 834
// CHECK-NEXT: 10 4 11 6
// CHECK-NEXT: 8
// CHECK-NEXT: 34 8 7
// CHECK-NEXT: 3 1 9
// CHECK-NEXT: 24006
// CHECK-NEXT: 73 21 4 -9 x
// CHECK-NEXT: 4164 980 -26
// RUN: %sluice check -fopenmp -DONLY_TAKEN %s 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: no problems in 2 graphs with 2 leaves
// TAKEN-NEXT: proven free of races
#include <stdio.h>

enum { Size = 36 };
static int a[Size];

int once(int n) {
  int x = -7;
#pragma omp parallel for lastprivate(conditional : x)
  for (int i = 0; i < n; ++i)
    if (a[i] % 5 == 0) {
      x = i;
      x += 5000;
    }
  return x;
}

double again(int n) {
  double d = 0.5, sum = 0;
#pragma omp parallel
  for (int k = 0; k < 4; ++k) {
#pragma omp for schedule(dynamic, 3) lastprivate(conditional : d)
    for (int i = n - 1; i >= 9 * k; i -= 2)
      if (a[i] == k + 5 && k != 2)
        d = i;
#pragma omp single
    sum = sum * 3 + d;
  }
  return sum;
}

#ifndef ONLY_TAKEN
static void nested(int *last) {
#pragma omp parallel for
  for (int t = 0; t < 4; ++t) {
    int z = -t;
#pragma omp parallel for lastprivate(conditional : z) num_threads(2)
    for (int i = 0; i < Size / (t + 1); ++i)
      if (a[i] % 4 == (12 - t) % 4 && i < 13)
        z = i;
    last[t] = z;
  }
}

static int orphan = -1;
static void find(int n, int k) {
#pragma omp for lastprivate(conditional : orphan)
  for (int i = 0; i < n; ++i)
    if (a[i] == k)
      orphan = i;
}

static int ofVector(int n, int k) {
  int x = -1;
#pragma omp simd lastprivate(conditional : x)
  for (int i = 0; i < n; ++i)
    if (a[i] == k)
      x = i;
  return x;
}

static int ofSections(int k) {
  int x = 9;
#pragma omp parallel sections lastprivate(conditional : x)
  {
#pragma omp section
    if (k > 0)
      x = 1;
#pragma omp section
    if (k > 2)
      x = 3;
  }
  return x;
}

static int both(int n, int k) {
  int x = 42, y = 6;
#pragma omp parallel for firstprivate(x) lastprivate(conditional : x, y) collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j) {
      if (a[i] == k && j < 2)
        x = i;
      if (a[i] == -k)
        y = i;
    }
  return x * 1000 + y;
}

/// Variables that all iterations assign to, beside those.
static void beside(int n) {
  struct {
    int i;
    char c;
  } pair = {0, ' '};
  int x = -1, y = -3, z = -9;
#pragma omp parallel for lastprivate(x, pair) lastprivate(conditional : y, z)
  for (int i = 0; i < n; ++i) {
    x = 2 * i + 3;
    pair.i = i % 31;
    pair.c = 'x';
    if (a[i] % 7 == 0)
      y = a[i];
    if (a[i] > 30)
      z = i;
  }
  printf("%d %d %d %d %c\n", x, y, pair.i, z, pair.c);
}

static void besideAgain(int n) {
  int x = -1, y = -2, z = -1, sums[3] = {0};
#pragma omp parallel
  for (int k = 0; k < 4; ++k) {
#pragma omp for schedule(dynamic, 2) lastprivate(x) lastprivate(conditional : y, z)
    for (int i = 0; i < n - k; ++i) {
      x = 3 * i + k;
      if (a[i] % 11 == k)
        y = i + k;
      if (a[i] == 40 + k)
        z = i;
    }
#pragma omp single
    {
      sums[0] = sums[0] * 3 + x;
      sums[1] = sums[1] * 3 + y;
      sums[2] = sums[2] * 2 + z;
      z -= 1;
    }
  }
  printf("%d %d %d\n", sums[0], sums[1], sums[2]);
}

int main(void) {
  int last[4];
  for (int i = 0; i < Size; ++i)
    a[i] = i * 7 % 25;
  printf("%d %d %d %d\n", once(Size), once(15), once(5), once(0));
  printf("%g\n", again(Size));
  nested(last);
  printf("%d %d %d %d\n", last[0], last[1], last[2], last[3]);
#pragma omp parallel
  for (int k = 0; k < 4; ++k)
    find(Size - 9 * k, 6);
  printf("%d\n", orphan);
  printf("%d %d %d\n", ofVector(Size, 13), ofVector(30, 6), ofVector(9, 24));
  printf("%d %d %d\n", ofSections(3), ofSections(1), ofSections(0));
  printf("%d\n", both(Size, 18));
  beside(Size);
  besideAgain(Size);
}
#endif
