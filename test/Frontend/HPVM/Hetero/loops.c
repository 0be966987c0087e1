// Loops of every canonical form: offsets, strides, downwards, inclusive,
// unsigned, three levels, bounds that are arithmetic, no turns at all.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s > %t.graph
// RUN: diff %t.sequential %t.graph
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.graph

#include <hetero.h>
#include <stdio.h>
#include <string.h>

void loops(int *a, size_t aBytes, int low, int high, unsigned step,
           long depth) {
  void *section = __hetero_section_begin();
  for (int i = low; i < high; i += step) {
    __hetero_parallel_loop(1, 2, a, aBytes, high, 1, a, aBytes);
    a[i] += 1 + i;
  }
  for (int i = high - 1; i >= low; i = i - 3) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes);
    a[i] += 100 * i;
  }
  for (unsigned char i = 3; 200 >= i; i += 7) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes);
    a[i] -= i;
  }
  for (long z = 0; z < depth; ++z)
    for (long y = 1; y <= depth / 2; y++) {
      for (long x = depth; x > 0; --x) {
        __hetero_parallel_loop(3, 2, a, aBytes, depth, 1, a, aBytes, "cube");
        a[(z * depth + y) * depth + x] ^= (int)(x + 10 * y + 100 * z);
      }
    }
  for (int i = 7; i < low - 5; ++i) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes, "never");
    a[i] = -1;
  }
  for (int i = -3; i < 5u; ++i) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes, "unsigned");
    a[i + 900] = -1;
  }
  int j;
  for (j = 2; j < high; j = 2 + j) {
    __hetero_parallel_loop(1, 1, a, aBytes, 1, a, aBytes, "outside");
    if (a[j] % 2)
      continue;
    a[j] /= 2;
  }
  __hetero_section_end(section);
}

int main(void) {
  enum { Count = 1000 };
  int a[Count];
  memset(a, 0, sizeof(a));
  void *graph = __hetero_launch(loops, 5, a, sizeof(a), 11, 400, 6, 8L, 1, a,
                                sizeof(a));
  __hetero_wait(graph);
  long sum = 0;
  for (int i = 0; i < Count; ++i)
    sum += (long)a[i] * (i % 101);
  // CHECK: sum 111240117 0 0
  printf("sum %ld %d %d\n", sum, a[0], a[1]);
  return 0;
}
