// What is said of many places alike is said a few times, with how many more
// there are; in reports of messages as data all of them stand.
// RUN: %sluice check %s 2>&1 | FileCheck %s
// CHECK-COUNT-8: remark: cannot tell whether instances of
// CHECK-NOT: remark:
// CHECK: note: the same is said of 4 more places; '--diagnostics=json' names them
// CHECK: no problems in 1 graph with 12 leaves
// RUN: %sluice check --diagnostics=json %s 2>&1 | grep -o "cannot tell whether" | wc -l | FileCheck %s --check-prefix=DATA
// DATA: 12

// What LLVM's passes say is a message as well: each once, and none with -q.
// RUN: %sluice build %s -o %t 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: repeated.cpp:[[#@LINE+33]]:3: warning: loop not vectorized
// PASS-NOT: repeated.cpp:{{.*}}: warning:
// RUN: %sluice build -q -DQUIET %s -o %t 2>&1 | count 0

#include <hetero.h>

#define ADD(NUMBER)                                                            \
  for (int i = 0; i < n; ++i) {                                                \
    __hetero_parallel_loop(1, 2, y, yBytes, index, indexBytes, 1, y, yBytes);  \
    y[index[i] / 2] += NUMBER;                                                 \
  }
void f(double *y, size_t yBytes, int *index, size_t indexBytes, int n) {
  void *section = __hetero_section_begin();
  // clang-format off
  ADD(1)
  ADD(2)
  ADD(3)
  ADD(4)
  ADD(5)
  ADD(6)
  ADD(7)
  ADD(8)
  ADD(9)
  ADD(10)
  ADD(11)
  ADD(12)
  // clang-format on
  __hetero_section_end(section);
}
int main() {
  double y[99] = {};
  int index[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
#pragma clang loop vectorize(enable) vectorize_width(8)
  for (int k = 0; k < 98; ++k) {
    y[k + 1] = y[k] + 1;
    if (y[k] > 100)
      break;
  }
  __hetero_wait(__hetero_launch((void *)f, 3, y, sizeof y, index, sizeof index,
                                9, 1, y, sizeof y));
}
