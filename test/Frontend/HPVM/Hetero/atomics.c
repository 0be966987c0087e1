// Atomic operations in parallel loops and tasks, as in HPVM-C: they are atomic
// where the graph runs, and where its function is called as plain code.
//
// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// RUN: %sluice run -DHETERO_SEQUENTIAL %s | FileCheck %s
// RUN: %sluice check %s | FileCheck %s --check-prefix=PROVEN
// RUN: not %sluice check -DPLAIN %s 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not %sluice check -DUNLISTED %s 2>&1 | FileCheck %s --check-prefix=UNLISTED
// RUN: %sluice check -DUNLISTED -DLOOK %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: not %sluice check -DHOST %s 2>&1 | FileCheck %s --check-prefix=HOST
// CHECK: 25 25 25 25, largest 99, sum 4950.0
// CHECK-NEXT: 50 50 50 50, largest 99, sum 9900.0
// PROVEN: proven free of races

#include <hetero.h>
#include <stdio.h>

#ifdef UNLISTED
#define OUTPUTS 1, sum, sumBytes
#else
#define OUTPUTS 2, bins, binsBytes, sum, sumBytes
#endif

void histogram(int *data, size_t dataBytes, int *bins, size_t binsBytes,
               double *sum, size_t sumBytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 4, data, dataBytes, bins, binsBytes, sum,
                           sumBytes, n, OUTPUTS);
#if defined(PLAIN)
    // PLAIN: atomics.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}} argument 'bins' of
    bins[0] = bins[data[i] % 4] + 1;
#elif defined(LOOK)
    data[i] * __hpvm__atomic_load(&bins[4]);
#else
    // UNLISTED: atomics.c:[[@LINE+1]]:{{[0-9]+}}: error: buffer 'bins' is written in {{.*}}, which does not list it as an output
    __hpvm__atomic_add(&bins[data[i] % 4], 1);
    if (__hpvm__atomic_load(&bins[4]) < data[i])
      __hpvm__atomic_max(&bins[4], data[i]);
#endif
    __hpvm__atomic_add_f64(sum, data[i]);
  }
  void *task = __hetero_task_begin(1, bins, binsBytes, 1, bins, binsBytes);
  __hpvm__atomic_inc(&bins[5]);
  __hpvm__atomic_store(&bins[6], bins[5]);
  __hetero_task_end(task);
  __hetero_section_end(section);
}

int main(void) {
  int data[100], bins[8] = {0};
  double sum = 0;
  for (int i = 0; i < 100; ++i)
    data[i] = i;
  void *graph = __hetero_launch((void *)histogram, 4, data, sizeof(data), bins,
                                sizeof(bins), &sum, sizeof(sum), 100, 2, bins,
                                sizeof(bins), &sum, sizeof(sum));
  __hetero_wait(graph);
  printf("%d %d %d %d, largest %d, sum %.1f\n", bins[0], bins[1], bins[2],
         bins[3], bins[4], sum);
  // A plain call.
  histogram(data, sizeof(data), bins, sizeof(bins), &sum, sizeof(sum), 100);
  printf("%d %d %d %d, largest %d, sum %.1f\n", bins[0], bins[1], bins[2],
         bins[3], bins[4], sum);
#ifdef HOST
  // HOST: atomics.c:[[@LINE+1]]:{{[0-9]+}}: error: 'atomic.add' is for leaves, but 'main' is host code
  __hpvm__atomic_add(&bins[0], 1);
#endif
  return bins[5] == 2 && bins[6] == 2 ? 0 : 1;
}
