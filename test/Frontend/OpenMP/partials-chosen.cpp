// Threads sum up in objects' members and in numbers that they choose by
// functions of C and C++, and arrays of sums of products.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 100020 1000 50011 100 100 100 3.35245e+06 7960 495
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: no problems in 5 graphs with 5 leaves
#include <cmath>
#include <cstdio>
#include <vector>
#include <algorithm>
const int n = 1000;
struct Stats { double sum = 0, most = -1; long count = 0;
  void add(const std::vector<double> &v) {
#pragma omp parallel
    { double local = 0; long c = 0;
#pragma omp for nowait
      for (int i = 0; i < (int)v.size(); ++i) { local += v[i]; ++c; }
#pragma omp critical
      { sum += local; count += c; } }
  }
};
static void pointers(const double *x, double *sum, double *most, Stats *st) {
#pragma omp parallel
  { double t = 0, m = -1;
#pragma omp for
    for (int i = 0; i < n; ++i) { t += x[i]; if (x[i] > m) m = x[i]; }
#pragma omp critical
    { *sum = *sum + t; if (m > *most) *most = m; st->sum += t; } }
}
static double fm(const double *x) {
  double big = 0;
#pragma omp parallel
  { double m = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) m = std::fmax(m, x[i]);
#pragma omp critical
    big = std::fmax(big, m); }
  return big;
}
static double sm(const double *x) {
  double big = 0;
#pragma omp parallel
  { double m = 0;
#pragma omp for
    for (int i = 0; i < n; ++i) m = std::max(m, x[i]);
#pragma omp critical
    big = std::max(big, m); }
  return big;
}
static double priv(const double *x) {
  double s = 0, t; int i;
#pragma omp parallel private(i, t) shared(s)
  { t = 0.0;
#pragma omp for
    for (i = 0; i < n; ++i) t += x[i] * x[i];
#pragma omp critical
    s += t; }
  return s;
}
static void hist(const double *x, double *h) {
#pragma omp parallel for reduction(+ : h[:16])
  for (int i = 0; i < n; ++i) h[i % 16] += x[i] * 2.5;
}
static double atom(const double *x) {
  float s = 0; double e = 0; int hits = 0;
#pragma omp parallel
  { int mine = 0;
#pragma omp for schedule(guided)
    for (int i = 0; i < n; ++i) if (x[i] > 50) mine++;
#pragma omp atomic update
    hits += mine; }
  return hits;
}
int main() {
  std::vector<double> x(n); for (int i = 0; i < n; ++i) x[i] = (i * 37) % 101;
  Stats st; st.add(x); double sum = 1, most = -5, h[16] = {0};
  pointers(x.data(), &sum, &most, &st);
  hist(x.data(), h);
  std::printf("%g %ld %g %g %g %g %g %g %g\n", st.sum, st.count, sum, most, fm(x.data()), sm(x.data()), priv(x.data()), h[3], atom(x.data()));
}
