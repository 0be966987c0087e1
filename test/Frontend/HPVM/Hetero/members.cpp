// Bounds of parallel loops, and what is computed between nodes, may use members
// of structures that the graph takes: nested ones, arrays in them, references
// and pointers to them, copies that are changed, and functions that only
// compute.

// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 SLUICE_WORKERS=1 %sluice run %s | FileCheck %s
// CHECK: 6 of 6 graphs agree with plain code

// RUN: not %sluice check -DCALL_IN_BOUND %s 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: error: a parallel loop must have bounds and a step without assignments, calls and choices, which are computed in variables before the loop; write it as 'for (i = a; i < b; i += s)' [hetero-loop]
// RUN: not %sluice check -DMEMORY %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: the bounds of the loop over 'i' must be known before it starts, but what they use is read from memory; use inputs of the graph that are numbers, or members of structures passed by value, and arithmetic on them [hetero-loop]
// RUN: not %sluice check -DUNSET %s 2>&1 | FileCheck %s --check-prefix=UNSET
// UNSET: error: the bounds of the loop over 'i' must be known before it starts, but what they use has no value;
// RUN: not %sluice check -DEFFECT %s 2>&1 | FileCheck %s --check-prefix=EFFECT
// EFFECT: error: a call of 'counted' stands between the nodes of a section; put it into a task [hetero-section]
// EFFECT-NOT: error

#include <algorithm>
#include <array>
#include <hetero.h>
#include <stdio.h>
#include <string.h>
#include <utility>

struct Size {
  int width, height;
  long area() const { return (long)width * height; }
};
struct Inner {
  short first;
  unsigned char start;
  long ends[3];
};
struct Outer {
  Inner inner;
  Size size;
};
struct Large {
  long before[20];
  Size size;
  int value;
};
template <typename T> struct Range {
  T low, high;
  T length() const { return high - low; }
};
constexpr Size constant{5, 2};
enum { Few = 3 };

void rows(int *x, size_t bytes, Size size) {
  void *section = __hetero_section_begin();
  for (int y = 0; y < size.height; ++y)
    for (int i = 0; i < size.width; ++i) {
      __hetero_parallel_loop(2, 2, x, bytes, size, 1, x, bytes);
      x[y * size.width + i] += y * 100 + i;
    }
  __hetero_section_end(section);
}
void nested(int *x, size_t bytes, Outer outer) {
  void *section = __hetero_section_begin();
  const Inner &inner = outer.inner;
  const long &end = inner.ends[1];
  for (long i = inner.start; i <= end - inner.first; ++i) {
    __hetero_parallel_loop(1, 2, x, bytes, outer, 1, x, bytes);
    x[i] += outer.size.width;
  }
  void *task = __hetero_task_begin(2, x, bytes, outer, 1, x, bytes);
  void *inside = __hetero_section_begin();
  for (long i = 0; i < outer.size.width * outer.size.height; ++i) {
    __hetero_parallel_loop(1, 2, x, bytes, outer, 1, x, bytes);
    x[i] += outer.inner.first;
  }
  __hetero_section_end(inside);
  __hetero_task_end(task);
  __hetero_section_end(section);
}
void copies(int *x, size_t bytes, Size size) {
  void *section = __hetero_section_begin();
  Size half{size.width / 2, size.height};
  half.height -= 1;
  Size copy = half;
  const Size *pointer = &copy;
  long area = pointer->area();
  for (long i = 0; i < area; ++i) {
    __hetero_parallel_loop(1, 2, x, bytes, half, 1, x, bytes);
    x[i] += half.width + half.height;
  }
  for (long i = 0; i < constant.width + Few; ++i) {
    __hetero_parallel_loop(1, 1, x, bytes, 1, x, bytes);
    x[i] -= 1;
  }
  __hetero_section_end(section);
}
void large(int *x, size_t bytes, Large large) {
  void *section = __hetero_section_begin();
  for (long i = large.before[19]; i < large.size.width; ++i) {
    __hetero_parallel_loop(1, 2, x, bytes, large, 1, x, bytes);
    x[i] += large.value;
  }
  __hetero_section_end(section);
}
void library(int *x, size_t bytes, std::pair<int, long> pair,
             std::array<int, 3> three, int n) {
  void *section = __hetero_section_begin();
  int least = std::min(pair.first, n);
  int most = std::max(three[1], std::min(3, n));
  for (int i = 0; i < least; ++i) {
    __hetero_parallel_loop(1, 2, x, bytes, pair, 1, x, bytes);
    x[i] += (int)pair.second;
  }
  for (int i = 0; i < most; ++i) {
    __hetero_parallel_loop(1, 1, x, bytes, 1, x, bytes);
    x[i] += 10;
  }
  __hetero_section_end(section);
}
void members(int *x, size_t bytes, Range<long> range) {
  void *section = __hetero_section_begin();
  long length = range.length();
  for (long i = 0; i < length; ++i) {
    __hetero_parallel_loop(1, 2, x, bytes, range, 1, x, bytes);
    x[i] += (int)range.low;
  }
  __hetero_section_end(section);
}

int calls;
int counted(int n) { return n + ++calls; }
void wrong(int *x, size_t bytes, Size size) {
  void *section = __hetero_section_begin();
  Size unset;
  unset.width = size.width;
  (void)unset;
#if defined(CALL_IN_BOUND)
  for (long i = 0; i < size.area(); ++i) {
#elif defined(MEMORY)
  for (long i = 0; i < x[0]; ++i) {
#elif defined(UNSET)
  for (long i = 0; i < unset.height; ++i) {
#elif defined(EFFECT)
  int n = counted(size.width);
  for (long i = 0; i < n; ++i) {
#else
  for (long i = 0; i < unset.width; ++i) {
#endif
    __hetero_parallel_loop(1, 1, x, bytes, 1, x, bytes);
    x[i] += 10;
  }
  __hetero_section_end(section);
}

template <auto root, typename... T> static int agrees(T... values) {
  int x[64] = {}, y[64] = {};
  __hetero_wait(__hetero_launch((void *)root, 1 + sizeof...(T), x, sizeof x,
                                values..., 1, x, sizeof x));
  root(y, sizeof y, values...);
  return memcmp(x, y, sizeof x) == 0;
}
int main() {
  const Size size{4, 6};
  Large big{};
  big.before[19] = 1;
  big.size = size;
  big.value = 2;
  int count = agrees<rows>(size) +
              agrees<nested>(Outer{{3, 2, {1, 40, 3}}, size}) +
              agrees<copies>(size) + agrees<large>(big) +
              agrees<library>(std::pair<int, long>{9, 2},
                              std::array<int, 3>{1, 17, 3}, 8) +
              agrees<members>(Range<long>{3, 12});
  int x[8] = {};
  __hetero_wait(__hetero_launch((void *)wrong, 2, x, sizeof x, Size{8, 1}, 1, x,
                                sizeof x));
  printf("%d of 6 graphs agree with plain code\n", count);
}
