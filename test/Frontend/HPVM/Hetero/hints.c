// Hints that name what there is not, and those that name what there is.
//
// RUN: not %sluice check -DTARGET=3 %s 2>&1 | FileCheck %s --check-prefix=CUDNN
// RUN: not %sluice check -DTARGET=4 %s 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not %sluice check -DTARGET=7 %s 2>&1 | FileCheck %s --check-prefix=FPGA
// RUN: %sluice run -DTARGET=1 %s | FileCheck %s
// RUN: %sluice run -DTARGET=5 %s | FileCheck %s
// RUN: %sluice run -DTARGET=3 -DHETERO_SEQUENTIAL %s | FileCheck %s

// CUDNN: error: the hint of 'count.loop1': target CUDNN runs tensor operations of ApproxHPVM and is not supported; use CPU, GPU or CPU_OR_GPU [H37]
// TENSOR: error: the hint of 'count.loop1': target PROMISE runs tensor operations of ApproxHPVM and is not supported; use CPU, GPU or CPU_OR_GPU [H37]

#include <hetero.h>
#include <stdio.h>

void count(int *x, size_t xBytes, int n) {
  void *section = __hetero_section_begin();
  for (int i = 0; i < n; ++i) {
    __hetero_parallel_loop(1, 2, x, xBytes, n, 1, x, xBytes);
    // FPGA: [[@LINE+1]]:{{[0-9]+}}: error: integer 7 names no target this compiler has; use CPU, GPU, CPU_OR_GPU or CPU_OR_SPIR
    __hetero_hint(TARGET);
    x[i] = i;
  }
  __hetero_section_end(section);
}

int main(void) {
  int x[10] = {0};
  void *graph = __hetero_launch(count, 2, x, sizeof(x), 10, 1, x, sizeof(x));
  __hetero_wait(graph);
  // CHECK: 9
  printf("%d\n", x[9]);
}
