// Programs in OpenMP run as they are; what is not taken over, as clang's do.
// RUN: %sluice run %s | FileCheck %s --match-full-lines
// RUN: %sluice build %s -o %t && %t | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=1 %sluice run -fopenmp %s | FileCheck %s --match-full-lines
// CHECK: 0 1 2 3 4 3 3 144 77 4 3 3 1 1
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: left.c:32:1: remark: nothing was checked here: this parallel region runs on LLVM's OpenMP library, since it does something beside its loops [openmp]
// LEFT: no problems in 1 graph with 1 leaf
// RUN: not %sluice check --require-proof %s 2>&1 | FileCheck %s --check-prefix=LEFT
#include <omp.h>
#include <stdio.h>

static int fib(int n) {
  int a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static int counter;
#pragma omp threadprivate(counter)

int main(void) {
  int threads = 0, sum = 0, result = 0, found = -1, inner = 0, phases[4] = {0};
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  {
#pragma omp atomic
    threads++;
    omp_set_lock(&lock);
    sum += omp_get_thread_num();
    omp_unset_lock(&lock);
#pragma omp single
    result = fib(12);
#pragma omp sections
    {
#pragma omp section
      phases[0] = 1;
#pragma omp section
      phases[1] = 2;
    }
#pragma omp barrier
#pragma omp master
    phases[2] = phases[0] + phases[1];
#pragma omp critical(name)
    phases[3]++;
  }
  omp_destroy_lock(&lock);
#pragma omp parallel for ordered
  for (int i = 0; i < 5; ++i)
#pragma omp ordered
    printf("%d ", i);
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < 1000; ++i) {
    if (i == 77) {
#pragma omp critical
      found = i;
#pragma omp cancel for
    }
#pragma omp cancellation point for
  }
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    counter = 1;
#pragma omp atomic
    inner += counter;
  }
  printf("%d %d %d %d %d %d %d %d %d\n", threads, sum, result, found, inner,
         phases[2], phases[3], omp_get_max_threads() > 0, _OPENMP > 201100);
}
