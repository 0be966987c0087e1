// Between nodes, choices of values are followed like other arithmetic; what
// repeats nodes or chooses between them is said to belong to the host.

// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// CHECK: 12 of 12 graphs agree with plain code
// CHECK: 24 of 24 nested choices

// RUN: not %sluice check -DREPEAT %s 2>&1 | FileCheck %s --check-prefix=REPEAT
// REPEAT: error: this loop stands around nodes of a section, but a graph runs each of its nodes once; launch the section in a loop of the host [hetero-section]
// REPEAT-NOT: error:
// RUN: not %sluice check -DBRANCH %s 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not %sluice check -DRETURN %s 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: not %sluice check -DSWITCH %s 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: error: a branch chooses between nodes of a section, but the structure of a graph does not depend on values; let the host choose what it launches, or branch inside of the nodes [hetero-section]
// BRANCH-NOT: error:
// RUN: not %sluice check -DASSERT %s 2>&1 | FileCheck %s --check-prefix=ASSERT
// ASSERT: error: a branch stands between the nodes of a section; the structure of a graph does not depend on values, so put the branch into a task [hetero-section]
// RUN: not %sluice check -DWEAK %s 2>&1 | FileCheck %s --check-prefix=WEAK
// WEAK: error: a call of 'replaceable' stands between the nodes of a section; put it into a task [hetero-section]
// RUN: not %sluice check -DLONG %s 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: a call of 'often5' stands between the nodes of a section; put it into a task [hetero-section]
// RUN: not %sluice check -DBOUND %s 2>&1 | FileCheck %s --check-prefix=BOUND
// BOUND: error: a parallel loop must have bounds and a step without assignments, calls and choices, which are computed in variables before the loop; write it as 'for (i = a; i < b; i += s)' [hetero-loop]
// RUN: not %sluice check -DUNEQUAL %s 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// UNEQUAL: error: a parallel loop must step its variable towards its end, as with '++' or '+='; write it as

#include <hetero.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int clamped(int value, int low, int high) {
  if (value < low)
    return low;
  if (value > high)
    value = high;
  return value;
}

static long counted(long start) {
  for (int k = 0; k < 4; ++k)
    start += k % 2 ? 10 : 1;
  return start;
}
static unsigned long mixed(unsigned long h) {
  for (int k = 0; k < 10; ++k) {
    h ^= h << 13;
    h ^= h >> 7;
    h ^= h << 17;
  }
  return h;
}
static long quotient(long n, long k) {
  if (k != 0)
    return n % k + n / k;
  return -1;
}
__attribute__((weak)) long replaceable(long n) { return n; }
static long often(long n) { return n + 1; }
#define TIMES(f, g)                                                            \
  static long f(long n) {                                                      \
    for (int k = 0; k < 9; ++k)                                                \
      n += g(n);                                                               \
    return n;                                                                  \
  }
TIMES(often1, often)
TIMES(often2, often1)
TIMES(often3, often2)
TIMES(often4, often3)
TIMES(often5, often4)

struct Pair {
  long first, second;
};

void logic(long *x, size_t bytes, long a, long b, long d, long k) {
  void *section = __hetero_section_begin();
  bool either = (a && b) || d, both = !a || (b && d);
  long chosen = a && b ? a : 2, nested = a ? (b ? 1 : 2) : 3;
  long fixed = counted(d);
  unsigned long hash = mixed(a + 1);
  long safe = k ? 20 / k : 7;
  safe += 100 * quotient(20, k) + (k && 30 % k == 0 ? 1000 : 0);
  Pair pair{a, d};
  if (a)
    pair.first += 3;
  if (b)
    pair.first += 4;
#ifdef WEAK
  fixed += replaceable(a);
#elif defined(LONG)
  fixed += often5(a);
#endif
  void *task = __hetero_task_begin(9, x, bytes, either, both, chosen, nested,
                                   fixed, hash, safe, pair, 1, x, bytes);
  x[0] = either + 2 * both;
  x[1] = chosen;
  x[2] = nested;
  x[3] = fixed;
  x[4] = (long)hash;
  x[5] = safe;
  x[6] = pair.first + 10 * pair.second;
  __hetero_task_end(task);
  __hetero_section_end(section);
}

void choices(long *x, size_t bytes, int n, int k) {
  void *section = __hetero_section_begin();
  int m = k > 3 ? k : 3;
  bool isBoth = k > 3 && n > 5, isOne = k > 3 || n == 1;
  int step;
  if (n > 6)
    step = 2;
  else if (n > 4)
    step = 3;
  else
    step = 1;
  if (isBoth)
    step += 1;
  int least = clamped(k, 2, 5);
  for (int i = 0; i < m; i += step) {
    __hetero_parallel_loop(1, 4, x, bytes, isBoth, isOne, step, 1, x, bytes);
    x[i] += 10 * isBoth + isOne + 100 * step;
  }
  for (int i = 0; i != least; ++i) {
    __hetero_parallel_loop(1, 1, x, bytes, 1, x, bytes);
    x[i] += 1000;
  }
  for (unsigned i = 9; 2 != i; i--) {
    __hetero_parallel_loop(1, 1, x, bytes, 1, x, bytes);
    x[i] += i;
  }
  __hetero_section_end(section);
}

void again(long *x, size_t bytes, double *error, size_t errorBytes) {
  void *section = __hetero_section_begin();
#ifdef REPEAT
  void *task =
      __hetero_task_begin(2, x, bytes, error, errorBytes, 2, x, bytes, error,
                          errorBytes);
  while (*error > 0.1) {
#elif defined(BRANCH)
  if (bytes > 8) {
#elif defined(SWITCH)
  switch (bytes) {
  case 8:
    break;
  default:
#elif defined(RETURN)
  if (bytes == 8)
    return;
  {
#elif defined(ASSERT)
  bytes > 8 ? (void)0 : abort();
  {
#else
  {
#endif
#ifdef BOUND
    for (size_t i = 0; i < (bytes > 8 ? 8 : bytes); ++i) {
#elif defined(UNEQUAL)
    for (size_t i = 0; i != 8; i += 2) {
#else
    for (int i = 0; i < 8; ++i) {
#endif
      __hetero_parallel_loop(1, 2, x, bytes, error, errorBytes, 1, x, bytes);
      x[i] += (long)(*error * 16);
    }
    void *last = __hetero_task_begin(1, error, errorBytes, 1, error, errorBytes);
    *error /= 2;
    __hetero_task_end(last);
  }
#ifdef REPEAT
  __hetero_task_end(task);
#endif
  __hetero_section_end(section);
}

int main() {
  int good = 0;
  for (int n = 4; n != 8; ++n)
    for (int k = 2; k != 8; k += 2) {
      long x[16] = {}, y[16] = {};
      __hetero_wait(__hetero_launch((void *)choices, 3, x, sizeof x, n, k, 1, x,
                                    sizeof x));
      choices(y, sizeof y, n, k);
      good += memcmp(x, y, sizeof x) == 0;
    }
  long x[8] = {};
  double error = 1;
  do
    __hetero_wait(__hetero_launch((void *)again, 2, x, sizeof x, &error,
                                  sizeof error, 2, x, sizeof x, &error,
                                  sizeof error));
  while (error > 0.1);
  good -= x[7] != 16 + 8 + 4 + 2;
  printf("%d of 12 graphs agree with plain code\n", good);
  good = 0;
  for (int bits = 0; bits != 8; ++bits)
    for (long k = -1; k != 2; ++k) {
      long a = bits & 1 ? 5 : 0, b = bits >> 1 & 1, d = bits >> 2, r[8] = {},
           s[8] = {};
      __hetero_wait(__hetero_launch((void *)logic, 5, r, sizeof r, a, b, d, k,
                                    1, r, sizeof r));
      logic(s, sizeof s, a, b, d, k);
      good += memcmp(r, s, sizeof r) == 0;
    }
  printf("%d of 24 nested choices\n", good);
}
