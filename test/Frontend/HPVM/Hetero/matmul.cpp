// Matrix product as HPVM 2.0 programs write it: two parallel loops in a
// section of a task, the counters int and the bounds size_t, and launches that
// say after every size where the buffer is.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s > %t.graph
// RUN: diff %t.sequential %t.graph
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.graph

#include "heterocc.h"
#include <cstdio>
#include <vector>

#ifndef DEVICE
#define DEVICE hetero::CPU_TARGET
#endif

void product(int *c, std::size_t cBytes, int *a, std::size_t aBytes, int *b,
             std::size_t bBytes, std::size_t rows, std::size_t columns,
             std::size_t inner) {
  void *outer = __hetero_section_begin();
  void *task = __hetero_task_begin(6, c, cBytes, a, aBytes, b, bBytes, rows,
                                   columns, inner, 1, c, cBytes, "product");
  void *section = __hetero_section_begin();
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      __hetero_parallel_loop(2, 6, c, cBytes, a, aBytes, b, bBytes, rows,
                             columns, inner, 1, c, cBytes, "element");
      __hetero_hint(DEVICE);
      c[i * columns + j] = 0;
      for (int k = 0; k < inner; k++)
        c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
    }
  }
  __hetero_section_end(section);
  __hetero_task_end(task);
  __hetero_section_end(outer);
}

int main() {
  int rows = 20, columns = 30, inner = 10;
  std::vector<int> a(rows * inner), b(inner * columns), c(rows * columns);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = int(i) % 17;
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = int(i) % 13 - 6;
  void *graph = __hetero_launch(
      (void *)product, 6, c.data(), c.size() * sizeof(int), false, a.data(),
      a.size() * sizeof(int), false, b.data(), b.size() * sizeof(int), false,
      rows, columns, inner, 1, c.data(), c.size() * sizeof(int), false);
  __hetero_wait(graph);
  long sum = 0;
  for (size_t i = 0; i < c.size(); ++i)
    sum += long(c[i]) * long(i + 1);
  // CHECK: sum -141701
  std::printf("sum %ld\n", sum);
}
