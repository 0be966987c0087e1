// How C++ writes the update of an element that is reduced: by the library's
// functions and the program's own, by references, by variables in between. A
// form that is no update is one error, which says what may be written.

// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 SLUICE_WORKERS=1 %sluice run %s | FileCheck %s
// CHECK: 18 of 18 agree
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=VERDICT
// VERDICT: proven free of races

// RUN: not %sluice check -DWRONG=0 %s 2>&1 | FileCheck %s --check-prefix=NEGATED
// NEGATED: error: input 2 'e' of 'wrong.loop1' is declared as a reduction, but the leaf reads an element for another purpose than to update it with 'max'; write the update of an element 'e' as 'e = v > e ? v : e', 'if (v > e) e = v', 'e = fmax(e, v)' or 'e = std::max(e, v)' [reduce]
// NEGATED-NOT: error:
// RUN: not %sluice check -DWRONG=1 %s 2>&1 | FileCheck %s --check-prefix=MIN
// RUN: not %sluice check -DWRONG=2 %s 2>&1 | FileCheck %s --check-prefix=MIN
// RUN: not %sluice check -DWRONG=3 %s 2>&1 | FileCheck %s --check-prefix=MIN
// MIN: error: input 2 'e' of 'wrong.loop1' is declared as a reduction, but the leaf keeps the smaller value, which is a 'min'; declare it as SLUICE_MIN [reduce]
// MIN-NOT: error:
// RUN: not %sluice check -DWRONG=4 %s 2>&1 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: error: input 2 'e' of 'wrong.loop1' is declared as a reduction, but the leaf passes the address to a call; write the update of an element 'e' as 'e = v > e ? v : e',
// ATOMIC-NOT: error:
// RUN: not %sluice check -DWRONG=5 %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %sluice check -DWRONG=6 %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %sluice check -DWRONG=7 %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %sluice check -DWRONG=8 %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %sluice check -DWRONG=9 %s 2>&1 | FileCheck %s --check-prefix=ATOMIC
// OTHER: error: input 2 'e' of 'wrong.loop1' is declared as a reduction, but the leaf {{replaces an element by a value that does not update it|writes an element without updating it}} with '
// OTHER-NOT: error:

#include <algorithm>
#include <cmath>
#include <functional>
#include <hetero.h>
#include <stdio.h>

template <typename T> static T larger(T a, T b) { return a > b ? a : b; }
template <typename T> static void raise(T &element, const T &value) {
  if (element < value)
    element = value;
}
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
[[gnu::weak]] void replaceable(double *element, double value) {
  *element = *element > value ? *element : value;
}
static void add(double &element, double value) { element += value; }

template <typename T, int Form> static void maximum(T *e, T v) {
  if constexpr (Form == 0)
    *e = std::max(*e, v);
  else if constexpr (Form == 1)
    *e = std::max<T>(v, e[0]);
  else if constexpr (Form == 2)
    *e = larger(*e, v);
  else if constexpr (Form == 3)
    raise(*e, v);
  else if constexpr (Form == 4)
    *e = std::max(*e, v, std::less<>());
  else {
    *e = LARGER(*e, LARGER(v, -v));
    if (v > 0 && v > *e)
      *e = v;
    *e = v <= *e ? *e : v;
  }
}
template <typename T, int Form>
static void sum(double *s, T *least, T v, long i) {
  if (i % 4 == 0)
    add(*s, (double)v);
  else if (i % 4 == 1)
    *s = std::plus<double>()((double)v, *s);
  else if (i % 4 == 2)
    *s -= -(double)v;
  else {
    double inBetween = *s;
    for (int k = 0; k < 3; ++k)
      inBetween += (double)v;
    *s = inBetween;
  }
  T &element = *least;
  if constexpr (Form < 3)
    element = std::min(element, v);
  else
    element = v < element ? v : element;
}

template <typename T, int Form>
void fold(const T *x, size_t xBytes, T *most, size_t mostBytes, T *least,
          size_t leastBytes, double *s, size_t sBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 5, x, xBytes, most, mostBytes, least, leastBytes,
                           s, sBytes, n, 3, most, mostBytes, least, leastBytes,
                           s, sBytes);
    sluice_reduce(most, mostBytes, SLUICE_MAX);
    sluice_reduce(least, leastBytes, SLUICE_MIN);
    sluice_reduce(s, sBytes, SLUICE_SUM);
    maximum<T, Form>(most, x[i]);
    if constexpr (Form == 2)
      *most = std::max(*most, x[i]); // a reference to one of two arrays
    sum<T, Form>(s, least, x[i], i);
  }
  __hetero_section_end(section);
}

#ifdef WRONG
void wrong(const double *x, size_t xBytes, double *e, size_t eBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, x, xBytes, e, eBytes, n, 1, e, eBytes);
    sluice_reduce(e, eBytes,
                  WRONG == 5 || WRONG == 6 ? SLUICE_SUM : SLUICE_MAX);
#if WRONG == 0
    *e = -std::min(-*e, -x[i]);
#elif WRONG == 1
    *e = std::min(*e, x[i]);
#elif WRONG == 2
    if (x[i] < *e)
      *e = x[i];
#elif WRONG == 3
    *e = *e <= x[i] ? *e : x[i];
#elif WRONG == 5
    *e = x[i] > 3 ? *e : x[i];
#elif WRONG == 6
    *e = x[i] > 0 ? *e + x[i] : x[i];
#elif WRONG == 7
    if (x[i] > *e)
      *e = x[i] - 100;
#elif WRONG == 8
    if (x[i] > *e || i == 0)
      *e = x[i];
#elif WRONG == 9
    replaceable(e, x[i]);
#else
    __hpvm__atomic_max((int *)e, (int)x[i]);
#endif
  }
  __hetero_section_end(section);
}
#endif

template <typename T, int Form> static int agrees() {
  enum { n = 1000 };
  T x[n], most[] = {5, 5}, least[] = {5, 5};
  double s[] = {1, 1};
  for (int i = 0; i < n; ++i)
    x[i] = (T)(i * 7919 % 4001 + 3);
  __hetero_wait(__hetero_launch((void *)fold<T, Form>, 5, x, sizeof x, most,
                                sizeof(T), least, sizeof(T), s, sizeof *s,
                                (long)n, 3, most, sizeof(T), least, sizeof(T),
                                s, sizeof *s));
  fold<T, Form>(x, sizeof x, most + 1, sizeof(T), least + 1, sizeof(T), s + 1,
                sizeof *s, n);
  return (most[0] == most[1]) + (least[0] == least[1]) + (s[0] == s[1]);
}
int main() {
  int count = agrees<double, 0>() + agrees<float, 1>() + agrees<int, 2>() +
              agrees<unsigned, 3>() + agrees<long long, 4>() +
              agrees<short, 5>();
#ifdef WRONG
  double x[4] = {1, 2, 3, 4}, e = 0;
  __hetero_wait(__hetero_launch((void *)wrong, 3, x, sizeof x, &e, sizeof e, 4L,
                                1, &e, sizeof e));
#endif
  printf("%d of 18 agree\n", count);
}
