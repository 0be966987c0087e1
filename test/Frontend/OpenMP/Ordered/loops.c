// Loops whose iterations wait for earlier ones are proven, and give what clang's
// give.
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED-NOT: {{error|remark}}
// CHECKED: no problems in 9 graphs with 9 leaves
// CHECKED: proven free of races
// RUN: %clang -w -O1 -fopenmp %s -lm -o %t.clang && %t.clang > %t.expected
// RUN: %sluice build -w %s -lm -o %t
// RUN: env SLUICE_WORKERS=1 %t | diff %t.expected -
// RUN: env SLUICE_WORKERS=2 %t | diff %t.expected -
// RUN: env SLUICE_WORKERS=5 %t | diff %t.expected -
// RUN: env SLUICE_CHECK=1 %sluice run -w %s -lm | diff %t.expected -

// Loops that threads run no faster are graphs: one waits for all others
// before, or has little else to do.
// RUN: env SLUICE_WORKERS=2 SLUICE_TRACE=%t.json %t | diff %t.expected -
// RUN: FileCheck %s --check-prefix=GRAPHS --implicit-check-not=busy --implicit-check-not=far --implicit-check-not=wave --implicit-check-not=neighbors < %t.json
// GRAPHS-DAG: "sums.openmp{{[0-9]+}}/loop"
// GRAPHS-DAG: "chain.openmp{{[0-9]+}}/loop"

#include <math.h>
#include <stdio.h>

double a[1000], b[1000], grid[60][50], rows[60][50];

void sums(int n, double *restrict sum) {
#pragma omp parallel for ordered
  for (int i = 0; i < n; ++i) {
    double t = sqrt(a[i]);
#pragma omp ordered
    {
      *sum = *sum * 0.9 + t;
      if (i % 300 == 0)
        printf("%d %g\n", i, *sum);
    }
    b[i] = t;
  }
}

// What an iteration reads ahead, later ones write in their region.
void ahead(int n) {
#pragma omp parallel for ordered schedule(dynamic, 3)
  for (int i = 0; i < n - 1; ++i) {
    double t = a[i + 1];
#pragma omp ordered
    a[i] = t + 1;
  }
}

// What a region writes, later iterations read behind theirs.
void behind(int n) {
#pragma omp parallel for ordered schedule(static, 2)
  for (int i = 1; i < n; ++i) {
#pragma omp ordered
    a[i] += 1;
    b[i] = a[i - 1];
  }
}

void busy(int n, double *restrict sum) {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    double t = a[i];
    for (int k = 0; k < 20; ++k)
      t = t * 0.5 + k;
#pragma omp ordered
    *sum = *sum * 0.9 + t;
  }
}

void chain(int n) {
#pragma omp parallel for ordered(1)
  for (int i = 1; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    a[i] += 0.5 * a[i - 1];
#pragma omp ordered depend(source)
  }
}

void far(int n) {
#pragma omp parallel for ordered(1)
  for (int i = 9; i < n; i += 3) {
#pragma omp ordered depend(sink : i - 6) depend(sink : i - 9)
    a[i] += 0.25 * a[i - 6] + 0.25 * a[i - 9];
#pragma omp ordered depend(source)
  }
}

void wave(int n) {
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < 50; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] += 0.3 * grid[i - 1][j] + 0.3 * grid[i][j - 1];
#pragma omp ordered depend(source)
    }
}

void diagonals(int n) {
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < 50; ++j) {
#pragma omp ordered depend(sink : i - 1, j - 1)
      grid[i][j] += 0.3 * grid[i - 1][j - 1];
#pragma omp ordered depend(source)
    }
}

// What follows 'source' is done before the next turn of the inner loop, and
// what is before 'sink' comes after the turn before.
void neighbors(int n) {
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < 49; ++j) {
      double t = grid[i - 1][j - 1];
#pragma omp ordered depend(sink : i - 1, j)
      grid[i][j] += 0.3 * t;
#pragma omp ordered depend(source)
      rows[i][j] = 0.5 * grid[i][j] + (j > 1 ? rows[i - 1][j - 2] : 0);
    }
}

int main(int argc, char **argv) {
  int n = 999 + argc, numRows = 59 + argc;
  double sum = 0, hash = 0;
  for (int i = 0; i < 1000; ++i)
    a[i] = i % 7;
  for (int i = 0; i < 3000; ++i)
    grid[i / 50][i % 50] = i % 11;
  sums(n, &sum);
  ahead(n);
  behind(n);
  busy(n, &sum);
  chain(n);
  far(n);
  wave(numRows);
  diagonals(numRows);
  neighbors(numRows);
  for (int i = 0; i < 1000; ++i)
    hash = hash * 0.99 + a[i] + b[i];
  for (int i = 0; i < 3000; ++i)
    hash = hash * 0.99 + grid[i / 50][i % 50] + rows[i / 50][i % 50];
  printf("%.12g %.12g\n", sum, hash);
}
