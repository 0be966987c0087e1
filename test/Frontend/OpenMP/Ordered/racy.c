// What an 'ordered' region does not cover, and sinks that are missing, are
// races.
// RUN: not %sluice check %s 2>&1 | FileCheck %s --implicit-check-not=error:

double a[1000], grid[60][50];

// Reads what an earlier iteration writes in its region.
void before(int n) {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 1; i < n; ++i) {
    // CHECK: racy.c:[[#@LINE+1]]:16: error: an iteration of this parallel loop reads 'a' here, where another one writes it at the same time: iterations 1 and 0 (i = 2 and i = 1) meet; do both in the 'ordered' region [race]
    double t = a[i - 1];
#pragma omp ordered
    a[i] = t + 1;
  }
}

// Writes behind its region what a later one reads in its own.
void behind(int n) {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 1; i < n; ++i) {
    double t;
#pragma omp ordered
    // CHECK: racy.c:[[#@LINE+1]]:9: error: an iteration of this parallel loop reads 'a' here,
    t = a[i - 1];
    a[i] = t + 1;
  }
}

void tooFar(int n) {
#pragma omp parallel for ordered(1)
  for (int i = 2; i < n; ++i) {
#pragma omp ordered depend(sink : i - 2)
    // CHECK: racy.c:[[#@LINE+1]]:13: error: an iteration of this parallel loop reads 'a' here, where another one writes it at the same time: iterations 1 and 0 (i = 3 and i = 2) meet; wait for the earlier iteration by 'sink' before, and have the 'source' of each iteration behind what others wait for [race]
    a[i] += a[i - 1];
#pragma omp ordered depend(source)
  }
}

void early(int n) {
#pragma omp parallel for ordered(1)
  for (int i = 1; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    double t = a[i - 1];
#pragma omp ordered depend(source)
    // CHECK: racy.c:[[#@LINE-2]]:16: error: an iteration of this parallel loop reads 'a' here,
    a[i] = t + 1;
  }
}

void missing(int n) {
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < 50; ++j) {
#pragma omp ordered depend(sink : i, j - 1)
      // CHECK: racy.c:[[#@LINE+1]]:27: error: an iteration of this parallel loop reads 'grid' here, where another one writes it at the same time: iterations (1, 0) and (0, 0) (i = 2 and i = 1) meet; wait for
      grid[i][j] += 0.3 * grid[i - 1][j] + 0.3 * grid[i][j - 1];
#pragma omp ordered depend(source)
    }
}

void diagonal(int n) {
#pragma omp parallel for ordered(2)
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < 50; ++j) {
#pragma omp ordered depend(sink : i - 1, j - 1)
      // CHECK: racy.c:[[#@LINE+1]]:{{[0-9]+}}: error: an iteration of this parallel loop reads 'grid' here,
      grid[i][j] += 0.3 * grid[i - 1][j];
#pragma omp ordered depend(source)
    }
}
