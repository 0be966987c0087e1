// The length of a row is the bound of the inner loop, if nobody changes the
// variable that it comes from.
// RUN: %sluice check -fopenmp -DPROVEN %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN: no problems in 4 graphs with 4 leaves
// PROVEN-NEXT: proven free of races
// RUN: not %sluice check -fopenmp %s 2>&1 | FileCheck %s
// CHECK: array-rows.c:[[# @LINE + 48]]:16: error: {{.*}} iterations (1, 0) and (0, 0) (i = 2 and i = 1) meet; wait for the earlier iteration by 'sink' before
// CHECK: array-rows.c:[[# @LINE + 57]]:17: remark: cannot tell whether iterations of this parallel loop meet in 'a'
// CHECK-NOT: proven

#ifdef PROVEN
void wave(long n, int m, double a[n][m]) {
#pragma omp parallel for ordered(2)
  for (long i = 1; i < n; ++i)
    for (int j = 1; j < m; ++j) {
#pragma omp ordered depend(sink: i - 1, j) depend(sink: i, j - 1)
      a[i][j] += a[i - 1][j] + a[i][j - 1];
#pragma omp ordered depend(source)
    }
}

void longRows(long n, long m, double a[n][m]) {
#pragma omp parallel for ordered(2)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) {
#pragma omp ordered depend(sink: i, j - 1)
      a[i][j] += 1;
#pragma omp ordered depend(source)
    }
}

void first(int n, int m, double a[n][m]) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i][j] += a[0][j];
}

void inOrder(int n, int m, double a[n][m]) {
#pragma omp parallel for ordered
  for (int i = 1; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j)
      sum += a[i][j];
#pragma omp ordered
    a[0][0] += sum;
  }
}
#else
void noSink(int n, int m, double a[n][m]) {
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < m; ++j) {
#pragma omp ordered depend(sink: i, j - 1)
    a[i][j] += a[i - 1][j] + a[i][j - 1];
#pragma omp ordered depend(source)
    }
}

void longerRows(int n, int m, double a[n][m], int more) {
  m += more;
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i][j] = a[0][j] + j;
}
#endif
