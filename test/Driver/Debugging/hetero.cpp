// Variables of a parallel loop in Hetero-C++, and of what it calls.

// UNSUPPORTED: sanitizer
// RUN: %sluice build -g -O0 %s -o %t
// RUN: env SLUICE_WORKERS=1 gdb -q -batch -iex "add-auto-load-safe-path /" -ex 'break hetero.cpp:30 if i == 3' -ex run -ex 'print i' -ex 'print n' -ex 'print data[2]' -ex 'print before' -ex 'print sluice_instance.levels[0].id[0]' -ex step -ex 'print value' -ex finish -ex next -ex 'print data[3]' %t | FileCheck %s
// CHECK: hetero.cpp:30
// CHECK: $1 = 3
// CHECK: $2 = 100
// CHECK: $3 = 4
// CHECK: $4 = 3
// CHECK: $5 = 3
// CHECK: $6 = 3
// CHECK: $8 = 6
// RUN: %t | FileCheck %s --check-prefix=RESULT
// RUN: %sluice run -g %s | FileCheck %s --check-prefix=RESULT
// RESULT: 198
#include <hetero.h>
#include <stdio.h>

static __attribute__((noinline)) int twice(int value) {
  int result = 2 * value;
  return result;
}

void all(int *data, size_t bytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, data, bytes, n, 1, data, bytes);
    int before = data[i];
    data[i] = twice(before);
    before = -1;
  }
  __hetero_section_end(section);
}

int main(void) {
  int data[100];
  for (int i = 0; i < 100; ++i)
    data[i] = i;
  __hetero_wait(
      __hetero_launch((void *)all, 2, data, sizeof(data), 100, 1, data, sizeof(data)));
  printf("%d\n", data[99]);
}
