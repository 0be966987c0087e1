// The smallest program: a parallel loop in a section.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s > %t.graph
// RUN: diff %t.sequential %t.graph
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.graph

#include <hetero.h>
#include <stdio.h>
#include <stdlib.h>

void saxpy(float a, float *x, size_t xBytes, float *y, size_t yBytes,
           size_t n) {
  void *section = __hetero_section_begin();
  for (size_t i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, a, x, xBytes, y, yBytes, n, 1, y, yBytes,
                           "saxpy_loop");
    y[i] = a * x[i] + y[i];
  }
  __hetero_section_end(section);
}

int main(void) {
  size_t n = 1000, bytes = n * sizeof(float);
  float *x = malloc(bytes), *y = malloc(bytes);
  for (size_t i = 0; i < n; ++i) {
    x[i] = i;
    y[i] = 2 * i;
  }
  void *graph = __hetero_launch(saxpy, 4, 3.0f, x, bytes, y, bytes, n, 1, y,
                                bytes);
  __hetero_wait(graph);
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += y[i];
  // CHECK: sum 2497500.0
  printf("sum %.1f\n", sum);
  free(x);
  free(y);
  return 0;
}
