// Loops over iterators and ranges, members, lambdas, exceptions, and programs
// that fork or end in a loop.
// RUN: %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice build %s -o %t && %t | FileCheck %s --match-full-lines
// RUN: not %sluice check %s -DRACY 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: classes.cpp:[[#@LINE+20]]:{{[0-9]+}}: error: an iteration of this parallel loop {{reads|writes}}
// CHECK: 4950 100 99 7 child 45
// CHECK: 45 ended
// CHECK-NOT: {{.}}

#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct Table {
  std::vector<int> values;
  int count = 0;
  void fill() {
#pragma omp parallel for
    for (int i = 0; i < int(values.size()); ++i) {
#ifdef RACY
      count += 1;
#endif
      values[i] = i;
    }
  }
};

template <typename T> static T sumOf(const std::vector<T> &values) {
  T sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (auto at = values.begin(); at < values.end(); ++at)
    sum += *at;
  return sum;
}

int main() {
  Table table;
  table.values.resize(100);
  table.fill();
  int caught = 0;
#pragma omp parallel for reduction(+ : caught)
  for (int &value : table.values)
    try {
      if (value % 1 == 0)
        throw value;
    } catch (int) {
      ++caught;
    }
  std::array<int, 100> large{};
  auto set = [&](int i) { large[i] = i; };
#pragma omp parallel for
  for (int i = 0; i < 100; ++i)
    set(i);
  int one = 0;
#pragma omp parallel sections
  {
#pragma omp section
    one = 3;
#pragma omp section
    large[0] = 4;
  }
  std::printf("%d %d %d %d ", sumOf(table.values), caught, large[99],
              one + large[0]);
  std::fflush(stdout);
  std::vector<int> few(10);
  std::iota(few.begin(), few.end(), 0);
  if (fork() == 0) {
    std::printf("child %d\n", sumOf(few));
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
  std::printf("%d ended\n", sumOf(few));
#pragma omp parallel for
  for (int i = 0; i < 100; ++i)
    if (i == 50)
      std::exit(0);
  std::printf("not here\n");
}
