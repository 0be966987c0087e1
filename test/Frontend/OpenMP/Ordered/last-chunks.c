// Where the last value of a loop is asked for, LLVM's library gives out chunks in
// order: of threads that take them from each other, none may learn that its
// chunk is the last one.
// RUN: %sluice cc -O1 -fopenmp -c %s -o %t.o
// RUN: %llvm/bin/llvm-objdump -d %t.o | FileCheck %s --check-prefix=CODE
// CODE-LABEL: <asked.omp_outlined>:
// CODE: $0x20000023
// CODE-NOT: $0x40000023
// CODE-LABEL: <notAsked.omp_outlined>:
// CODE: $0x40000023
// RUN: %sluice cc -O2 -fopenmp -DWITH_MAIN %s -o %t
// RUN: env OMP_NUM_THREADS=5 %t | FileCheck %s
// CHECK: wrong: 0
#include <omp.h>
#include <stdio.h>

int n = 200, wrong;

void asked(void) {
  int x = -1;
#pragma omp parallel
  for (int k = 0; k < 30; ++k) {
#pragma omp for schedule(dynamic, 2) lastprivate(x)
    for (int i = 0; i < n - k; ++i)
      x = i + omp_get_thread_num() * 1000;
#pragma omp single
    {
      wrong += x % 1000 != n - k - 1;
      x = -1;
    }
  }
}

void notAsked(int *a) {
#pragma omp parallel
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < n; ++i)
    a[i] = omp_get_thread_num();
}

#ifdef WITH_MAIN
int main(void) {
  asked();
  printf("wrong: %d\n", wrong);
}
#endif
