// Thread-local objects of C++: each instance constructs its own when it first
// uses it, and destroys them in the reverse order when it ends.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=4 %sluice run --reference %s | FileCheck %s
// RUN: %sluice run -DHETERO_SEQUENTIAL %s | FileCheck %s
// CHECK: 1000 instances agree

#include <hetero.h>
#include <memory>
#include <numeric>
#include <stdio.h>
#include <string>
#include <vector>

static int computed(int value) { return value * 2 + 1; }
static thread_local int dynamic = computed(20); // 41
inline thread_local std::vector<int> scratch;
static thread_local std::string text = "abc";

/// Writes down when it goes.
static thread_local int *journal;
struct Witness {
  int id;
  Witness(int id) : id(id) {}
  ~Witness() { *journal++ = id; }
};
static void first() { static thread_local Witness witness(1); }
static void second() { static thread_local Witness witness(2); }

static std::vector<int> &buffer() {
  static thread_local std::vector<int> values(3, 1);
  return values;
}

/// What one thread of execution that starts anew computes.
static int work(int value) {
  scratch.clear();
  for (int k = 0; k <= value % 10; ++k)
    scratch.push_back(k);
  text.resize(3);
  text += std::string(value % 40, 'x');
  std::vector<int> &values = buffer();
  values.assign(3, 1);
  values.push_back(value);
  int result = std::accumulate(scratch.begin(), scratch.end(), 0);
  return result + (int)text.size() + buffer()[3] + dynamic;
}

void root(int *out, size_t outBytes, int *order, size_t orderBytes, long n) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 3, out, outBytes, order, orderBytes, n, 2, out,
                           outBytes, order, orderBytes);
    out[i] = work((int)i);
    journal = order + 2 * i;
    if (i % 2)
      second();
    first();
    second();
  }
  __hetero_section_end(section);
}

int main() {
  constexpr int n = 1000;
  static int out[n], order[2 * n];
  void *graph = __hetero_launch((void *)root, 3, out, sizeof(out), order,
                                sizeof(order), (long)n, 2, out, sizeof(out),
                                order, sizeof(order));
  __hetero_wait(graph);
  int good = 0;
  for (int i = 0; i < n; ++i) {
    int k = i % 10;
    bool isOrdered = true;
#ifndef HETERO_SEQUENTIAL
    isOrdered = order[2 * i] == 2 - i % 2 && order[2 * i + 1] == 1 + i % 2;
#endif
    good += isOrdered && out[i] == k * (k + 1) / 2 + 3 + i % 40 + i + 41;
  }
  printf("%d instances agree\n", good);
}
