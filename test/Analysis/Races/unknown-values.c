// A value of which only the type is known, as one that a loop carries along or
// that memory holds, stays within its row where a mask or a clamp says so.
// RUN: sluice check -DROW=64 %s 2>&1 | FileCheck %s
// RUN: sluice check -DROW=64 -DSTEP='data[i * ROW] = state;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DROW=65 -DFIRST=1 %s 2>&1 | FileCheck %s
// RUN: sluice check -DROW=64 '-DNEXT=state ^ text[k]' -DPLACE='state < 9 ? 9 : state > 72 ? 72 : state' %s 2>&1 | FileCheck %s
// RUN: sluice check -DROW=63 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DROW=64 -DFIRST=-1 %s 2>&1 | FileCheck %s
// RUN: sluice check -DROW=64 -DPLACE='(state & 63) + (state & 1)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DROW=64 '-DNEXT=state ^ text[k]' -DPLACE='state < 9 ? 9 : state > 73 ? 73 : state' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
// UNKNOWN: remark: cannot tell

#include <hetero.h>

#ifndef FIRST
#define FIRST 0
#endif
#ifndef PLACE
#define PLACE (state & 63)
#endif
#ifndef NEXT
#define NEXT state * state + text[k]
#endif
#ifndef STEP
#define STEP
#endif

void count(const int *text, size_t textBytes, int *data, size_t dataBytes,
           long n, long rows) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < rows; ++i) {
    __hetero_parallel_loop(1, 4, text, textBytes, data, dataBytes, n, rows, 1,
                           data, dataBytes);
    int state = 7;
    for (long k = 0; k < n; ++k) {
      state = NEXT;
      data[i * ROW + FIRST + (PLACE)] += 1;
      STEP
    }
  }
  __hetero_section_end(section);
}

int main(void) {
  static int text[8], data[1024];
  __hetero_wait(__hetero_launch((void *)count, 4, text, sizeof text, data,
                                sizeof data, 8l, 8l, 1, data, sizeof data));
  return 0;
}
