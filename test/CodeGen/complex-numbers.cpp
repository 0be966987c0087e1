// Complex products in leaves are those of the C library, also of infinite numbers
// and of NaN, and loops with them become vectors.
// RUN: sluice build -O2 -march=x86-64-v3 -fopenmp -Rpass=sluice %s -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: instances run as vectors of up to 16 elements
// REMARK-DAG: instances run as vectors of up to 8 elements
// REMARK-DAG: complex-numbers.cpp:[[@LINE+30]]:{{.*}} 16 instances run as lanes of a vector
// REMARK-DAG: complex-numbers.cpp:[[@LINE+29]]:{{.*}} 8 instances run as lanes of a vector
// RUN: env OMP_NUM_THREADS=1 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=2 SLUICE_SPECIALIZE=1 %t | FileCheck %s
// RUN: sluice run -O1 -fopenmp %s | FileCheck %s
// RUN: sluice run --reference -fopenmp %s | FileCheck %s
// CHECK: 0 wrong
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

template <typename T> using Numbers = std::vector<std::complex<T>>;

template <typename T>
void multiply(const Numbers<T> &a, const Numbers<T> &b, Numbers<T> &c) {
  const long n = a.size();
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    c[i] = a[i] * b[i];
}

template <typename T> void escape(const Numbers<T> &a, std::vector<int> &rounds) {
  const long n = a.size();
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    std::complex<T> z = 0;
    int round = 0;
    while (round < 20 && std::norm(z) < 4) {
      z = z * z + a[i];
      ++round;
    }
    rounds[i] = round;
  }
}

// The program's own call, which other tests guard, stays as it is.
extern "C" _Complex double __muldc3(double, double, double, double);
int testOwnCalls() {
  constexpr int n = 64;
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> parts(n, inf);
  Numbers<double> products(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const double a = parts[i], b = parts[i], real = a * a - b * b, imag = a * -b + b * a;
    products[i] = {real, imag};
    if (i % 3 == 1) {
      const _Complex double product = __muldc3(a, b, a, -b);
      products[i] = {__real__ product, __imag__ product};
    }
  }
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += std::isnan(products[i].real()) != (i % 3 != 1);
  return wrong;
}

template <typename T> bool areEqual(T left, T right) {
  return std::memcmp(&left, &right, sizeof left) == 0 || (std::isnan(left) && std::isnan(right));
}

template <typename T> int test() {
  using Limits = std::numeric_limits<T>;
  const T special[] = {0, -T(0), 1, -3, T(0.3), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                       Limits::max()};
  Numbers<T> left, right;
  for (T a : special)
    for (T b : special)
      for (T c : special)
        for (T d : special) {
          left.push_back({a, b});
          right.push_back({c, d});
        }
  const size_t numSpecial = left.size();
  unsigned seed = 1;
  auto draw = [&] { return T((seed = seed * 1664525 + 1013904223) >> 8) / T(1 << 22) - 2; };
  for (int i = 0; i < 3001; ++i) {
    left.push_back({draw(), draw()});
    right.push_back({draw(), draw()});
  }
  Numbers<T> product(left.size());
  std::vector<int> rounds(left.size());
  int wrong = 0;
  for (int again = 0; again < 4; ++again) {
    multiply(left, right, product);
    for (size_t i = 0; i < left.size(); ++i) {
      const volatile T a = left[i].real(), b = left[i].imag(), c = right[i].real(), d = right[i].imag();
      const volatile T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
      std::complex<T> expected(ac - bd, ad + bc);
      if (i < numSpecial && std::isnan(expected.real()) && std::isnan(expected.imag()))
        expected = std::complex<T>(a, b) * std::complex<T>(c, d);
      wrong += !areEqual(product[i].real(), expected.real()) || !areEqual(product[i].imag(), expected.imag());
    }
    escape(left, rounds);
    for (size_t i = numSpecial; i < left.size(); ++i) {
      volatile T x = 0, y = 0;
      int round = 0;
      while (round < 20) {
        const volatile T xx = x * x, yy = y * y, xy = x * y;
        if (!(xx + yy < 4))
          break;
        const volatile T real = xx - yy, imag = xy + xy;
        x = real + left[i].real();
        y = imag + left[i].imag();
        ++round;
      }
      wrong += rounds[i] != round;
    }
  }
  return wrong;
}

int main() {
  int wrong = test<float>() + test<double>() + testOwnCalls();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
