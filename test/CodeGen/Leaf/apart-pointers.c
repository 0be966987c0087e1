// Pointers of a parallel loop that lead to different memory, such as 'restrict'
// parameters of the function around it, need no checks before its vectors: LLVM
// checks nothing in loops within others that count downwards.
// RUN: %sluice build -q -O3 -march=x86-64-v3 %s --print=kernels | FileCheck %s

// CHECK: define {{.*}}apart.openmp1/loop.range"({{.*}}, ptr noalias %from, ptr noalias %to,
void apart(long n, double *restrict to, double *restrict from) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 99; j >= 0; --j)
      for (long k = 0; k < 99; ++k)
        to[(100 * i + j) * 100 + k] += from[(100 * i + j) * 100 + k];
}

// Not where they may be the same,
// CHECK: define {{.*}}same.openmp2/loop.range"({{.*}}, ptr %from, ptr %to,
void same(long n, double *restrict to) {
  double *from = to + 1;
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < 98; ++j)
      to[100 * i + j] += from[100 * i + j];
}

// nor where an iteration finds more of them in memory.
// CHECK: define {{.*}}found.openmp3/loop.range"({{.*}}, ptr %rows, ptr %to,
void found(long n, double *restrict to, double *restrict *restrict rows) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < 98; ++j)
      to[100 * i + j] += rows[i][j];
}

// A function may know more of them, too,
static double known[20000];
__attribute__((const, noinline)) static double *knownAt(long i) {
  return &known[i];
}

// CHECK: define {{.*}}returned.openmp4/loop.range"({{.*}}, ptr %from, ptr %to,
void returned(long n) {
  static double other[20000];
  double *to = known, *from = other;
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < 98; ++j)
      to[100 * i + j + 1] = knownAt(100 * i)[j] + from[100 * i + j];
}

// and so may constants.
// CHECK: define {{.*}}named.openmp5/loop.range"({{.*}}, ptr %from, ptr %to,
void named(long n) {
  static double other[20000];
  double *to = known, *from = other;
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < 98; ++j)
      to[100 * i + j] = known[199] + from[100 * i + j];
}

// Other threads may wait for an iteration to write.
// CHECK: define {{.*}}updated.openmp6/loop.range"({{.*}}, ptr %to, ptr %from,
void updated(long n, double *restrict to, double *restrict from) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < 98; ++j)
#pragma omp atomic
      to[j] += from[100 * i + j];
}

int main(void) {
  static double a[20000], b[20000];
  double *rows[2] = {b, b + 1000};
  apart(2, a, b);
  same(2, a);
  found(2, a, rows);
  returned(2);
  named(1);
  updated(2, a, b);
}
