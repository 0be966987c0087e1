// A program that starts and ends the runtime itself, with all kinds of memory.
//
// RUN: %sluice run %s > %t.graph
// RUN: %sluice run -DHETERO_SEQUENTIAL %s | diff %t.graph -
// RUN: FileCheck %s < %t.graph

#include <hetero.h>
#include <stdio.h>

void count(int *x, size_t xBytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, x, xBytes, n, 1, x, xBytes);
    x[i] += i;
  }
  __hetero_section_end(section);
}

int main(void) {
  __hpvm__init();
  int x[10] = {0}, *y = __hetero_malloc(sizeof(x));
  for (int i = 0; i < 10; ++i)
    y[i] = 100;
  void *graph = __hetero_launch(count, 2, x, sizeof(x), 10, 1, x, sizeof(x));
  __hetero_wait(graph);
  graph = __hetero_launch(count, 2, y, sizeof(x), 10, 1, y, sizeof(x));
  __hetero_wait(graph);
  __hetero_request_mem(y, sizeof(x));
  // CHECK: 9 109
  printf("%d %d\n", x[9], y[9]);
  __hetero_free(y);
  __hpvm__cleanup();
}
