// Objects of C++ with operators of their own, and complex numbers.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: 7979 1000 15958 7980 1001 2001 7980 -7979 334
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: reduces by an operator of its own
// LEFT: no problems in 3 graphs with 3 leaves
#include <complex>
#include <cstdio>
#include <vector>
struct V { double x = 0, y = 0, z = 0; V() = default; V(double a, double b, double c) : x(a), y(b), z(c) {} V &operator+=(const V &o) { x += o.x; y += o.y; z += o.z; return *this; } };
V operator+(const V &a, const V &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
#pragma omp declare reduction(+ : V : omp_out += omp_in)
#pragma omp declare reduction(plus : V : omp_out = omp_out + omp_in) initializer(omp_priv = V())
#pragma omp declare reduction(+ : std::complex<double> : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(join : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))
int main() {
  const int n = 1000; std::vector<double> a(n); for (int i = 0; i < n; ++i) a[i] = i % 17;
  V v, w(1, 1, 1); std::complex<double> c(1, 0); std::vector<int> all;
#pragma omp parallel for reduction(+ : v)
  for (int i = 0; i < n; ++i) v += V(a[i], 1, 2 * a[i]);
#pragma omp parallel for reduction(plus : w)
  for (int i = 0; i < n; ++i) w += V(a[i], 1, 2);
#pragma omp parallel for reduction(+ : c)
  for (int i = 0; i < n; ++i) c += std::complex<double>(a[i], -a[i]);
#pragma omp parallel for reduction(join : all)
  for (int i = 0; i < n; ++i) if (i % 3 == 0) all.push_back(i);
  std::printf("%g %g %g %g %g %g %g %g %zu\n", v.x, v.y, v.z, w.x, w.y, w.z, c.real(), c.imag(), all.size());
}
