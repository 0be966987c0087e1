// Variables of the code around are values of a node although their addresses go
// into closures, references and functions, as long as nothing is written there.

// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// CHECK: 4 of 4 agree
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=VERDICT
// VERDICT-NOT: 'columns
// VERDICT: no problems in 2 graphs with 2 leaves

// RUN: not %sluice check -DWRONG=0 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=1 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=2 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=3 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=4 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=5 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=6 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=7 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// RUN: not %sluice check -DWRONG=8 %s 2>&1 | FileCheck %s --check-prefix=WRITES
// WRITES: error: 'n' is declared outside of this parallel loop, whose turns all {{(may )?}}write it; declare it inside, give each its own with '__hetero_priv', or use an array [hetero-loop]

// What closures write must be listed, too.
// RUN: not %sluice check '-DUNLISTED=[=]' %s 2>&1 | FileCheck %s --check-prefix=UNLISTED
// RUN: not %sluice check '-DUNLISTED=[&]' %s 2>&1 | FileCheck %s --check-prefix=UNLISTED
// UNLISTED: error: buffer 'x' is written in 'unlisted.loop1', which does not list it as an output; list it, so that other nodes wait [hetero-list]

#include <array>
#include <hetero.h>
#include <stdio.h>
#include <string.h>

template <typename F> static float twice(F function, int i) {
  return 2 * function(i, 0);
}
static const int &larger(const int &a, const int &b) { return a < b ? b : a; }
static int &same(int &n) { return n; }
struct Holder {
  int *pointer;
  Holder *self() { return this; }
};
void elsewhere(int *n);
union Bits {
  long bits;
  int *pointer;
};
static void poke(Bits bits) { *bits.pointer = 1; }
// The linker may choose another one, which writes.
__attribute__((weak)) int replaceable(int *n) { return *n; }

void closures(const float *x, size_t xBytes, float *y, size_t yBytes, int n,
              int m, std::array<float, 3> weights) {
  void *section = __hetero_section_begin();
  for (int r = m - 2; r >= 1; --r)
    for (int c = 1; c <= n - 2; ++c) {
      __hetero_parallel_loop(2, 5, x, xBytes, y, yBytes, n, m, weights, 1, y,
                             yBytes);
      auto at = [&](int dr, int dc) { return x[(r + dr) * n + c + dc]; };
      auto sum = [&] {
        float result = 0;
        for (int k = -1; k <= 1; ++k)
          result += weights[k + 1] * at(k, 0);
        return result;
      };
      const int &most = larger(r, c);
      int copy = same(m);
      auto put = [&](float value) { y[r * n + c] = value; };
      int sizes = 0;
      for (const int *size : {&n, &m})
        sizes += *size;
      put(sum() + twice(at, 1) + most + copy + sizes);
    }
  __hetero_section_end(section);
}
void columns(const double *x, size_t xBytes, double *y, size_t yBytes, size_t n,
             size_t m) {
  void *section = __hetero_section_begin();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) {
      __hetero_parallel_loop(2, 4, x, xBytes, y, yBytes, n, m, 1, y, yBytes);
      auto copy = [=] { y[j * n + i] = x[i * m + j]; };
      copy();
    }
  __hetero_section_end(section);
}
#ifdef WRONG
void wrong(int *y, size_t bytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < 8; ++i) {
    __hetero_parallel_loop(1, 2, y, bytes, n, 1, y, bytes);
#if WRONG == 0
    auto add = [&] { n += i; };
    add();
#elif WRONG == 1
    int &reference = n;
    reference = i;
#elif WRONG == 2
    ++same(n);
#elif WRONG == 3
    Holder holder{&n};
    *holder.self()->pointer = i;
#elif WRONG == 4
    Bits bits;
    bits.pointer = &n;
    poke(bits);
#elif WRONG == 5
    y[i] = replaceable(&n);
#elif WRONG == 6
    int *pointer = &n;
    *__atomic_exchange_n(&pointer, nullptr, __ATOMIC_RELAXED) = i;
#elif WRONG == 7
    int *from = &n, *to = nullptr;
    for (size_t k = 0; k < sizeof from; ++k)
      ((char *)&to)[k] = ((const char *)&from)[k];
    *to = i;
#else
    auto pass = [&](int *other) { elsewhere(other); };
    pass(&n);
#endif
    y[i] = n;
  }
  __hetero_section_end(section);
}
#endif

#ifdef UNLISTED
void unlisted(int *x, size_t xBytes, int *y, size_t yBytes) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < 8; ++i) {
    __hetero_parallel_loop(1, 2, x, xBytes, y, yBytes, 1, y, yBytes);
    auto put = UNLISTED(int value) { x[i] = value; };
    put(y[i]);
  }
  __hetero_section_end(section);
}
#endif

int main() {
  enum { n = 17, m = 12 };
  static float x[n * m], y[2][n * m];
  static double a[n * m], b[2][n * m];
  for (int i = 0; i < n * m; ++i)
    x[i] = a[i] = i * 7 % 31;
  int good = 0;
  std::array<float, 3> weights{0.25, 0.5, 0.25};
  for (int round = 0; round < 2; ++round) {
    __hetero_wait(__hetero_launch((void *)closures, 5, x, sizeof x, y[0],
                                  sizeof y[0], n, m - round, weights, 1, y[0],
                                  sizeof y[0]));
    closures(x, sizeof x, y[1], sizeof y[1], n, m - round, weights);
    __hetero_wait(__hetero_launch((void *)columns, 4, a, sizeof a, b[0],
                                  sizeof b[0], (size_t)n, (size_t)m, 1, b[0],
                                  sizeof b[0]));
    columns(a, sizeof a, b[1], sizeof b[1], n, m);
    good += (memcmp(y[0], y[1], sizeof y[0]) == 0) +
            (memcmp(b[0], b[1], sizeof b[0]) == 0);
  }
#ifdef WRONG
  int z[8];
  __hetero_wait(__hetero_launch((void *)wrong, 2, z, sizeof z, 3, 1, z,
                                sizeof z));
#endif
#ifdef UNLISTED
  int u[8], v[8];
  __hetero_wait(__hetero_launch((void *)unlisted, 2, u, sizeof u, v, sizeof v,
                                1, v, sizeof v));
#endif
  printf("%d of 4 agree\n", good);
}
