// Private variables, hints, and the older spellings of all calls.
//
// RUN: %sluice run -DHETERO_SEQUENTIAL %s > %t.sequential
// RUN: %sluice run %s > %t.graph
// RUN: diff %t.sequential %t.graph
// RUN: env SLUICE_EXECUTOR=sequential %sluice run %s | diff %t.sequential -
// RUN: FileCheck %s < %t.graph

#include "heterocc.h"
#include <stdio.h>
#include <string.h>

void older(float *in, size_t inBytes, float *out, size_t outBytes, int n) {
  float window[3], weight = 0.5f;
  void *section = __hpvm_parallel_section_begin();
  void *task = __hpvm_task_begin(3, in, inBytes, out, outBytes, n, 1, out,
                                 outBytes, "wrapper");
  void *inner = __hpvm_parallel_section_begin();
  for (int i = 1; i < n - 1; ++i) {
    __hpvm_parallel_loop(1, 3, in, inBytes, out, outBytes, n, 1, out,
                         outBytes);
    __hpvm_priv(2, window, sizeof(window), weight);
    __hpvm__isNonZeroLoop(i, n);
    __hpvm__hint(CPU_TARGET);
    for (int k = 0; k < 3; ++k)
      window[k] = in[i - 1 + k];
    weight = 1.0f / (1 + i % 3);
    out[i] = weight * (window[0] + 2 * window[1] + window[2]);
  }
  __hpvm_parallel_section_end(inner);
  __hpvm_task_end(task);
  __hpvm_parallel_section_end(section);
}

int main(void) {
  enum { Count = 500 };
  float *in = __hetero_malloc(Count * sizeof(float));
  float *copy = __hetero_malloc(Count * sizeof(float));
  float out[Count] = {0};
  for (int i = 0; i < Count; ++i)
    in[i] = i % 23;
  __hetero_copy_mem(copy, in, Count * sizeof(float));
  void *graph = __hpvm_launch(older, 3, copy, Count * sizeof(float), out,
                              sizeof(out), Count, 1, out, sizeof(out));
  __hpvm_wait(graph);
  __hetero_request_mem(copy, Count * sizeof(float));
  double sum = 0;
  for (int i = 0; i < Count; ++i)
    sum += out[i] + copy[i];
  __hetero_free(copy);
  __hetero_free(in);
  // CHECK: sum 18739.6668
  printf("sum %.4f\n", sum);
  return 0;
}
