// Threads of LLVM's library sleep between its regions and loops of Sluice, but
// spin within a region, and after it if another one comes next.
// RUN: %sluice cc -O2 -fopenmp %s -o %t
// RUN: env OMP_NUM_THREADS=3 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t | FileCheck %s
// RUN: env OMP_NUM_THREADS=3 KMP_BLOCKTIME=5 %t | FileCheck %s --check-prefixes=CHECK,SET
// CHECK: sums: 1999000 1999000
// SET-NEXT: blocktime 5
//
// RUN: %sluice cc -O2 -fopenmp -c %s -o %t.o
// RUN: %llvm/bin/llvm-objdump -dr %t.o | FileCheck %s --check-prefix=CODE
// CODE-LABEL: <region>:
// CODE: sluiceStartsTeam
// CODE: __kmpc_fork_call
// CODE: sluiceEndsTeam
// CODE-LABEL: <region.omp_outlined>:
// CODE: __kmpc_barrier
// CODE: sluiceEndsThread
//
// Where all regions stay, nothing changes.
// RUN: %sluice cc -O2 -fopenmp -DALONE -c %s -o %t.o
// RUN: %llvm/bin/llvm-objdump -dr %t.o | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: sluice{{(Starts|Ends)}}T
#include <omp.h>
#include <stdio.h>

int kmp_get_blocktime(void);

enum { most = 2000 };
static int numbers[most], parts[64];

__attribute__((noinline)) static int region(void) {
  int sum = 0;
#pragma omp parallel
  {
    int own = 0, thread = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = thread; i < most; i += all)
      own += numbers[i];
    parts[thread] = own;
#pragma omp barrier
    if (thread == all - 1)
      for (int i = 0; i < all; ++i)
        sum += parts[i];
  }
  return sum;
}

static void loop(void) {
#ifndef ALONE
#pragma omp parallel for
#endif
  for (int i = 0; i < most; ++i)
    numbers[i] = i;
}

int main(void) {
  loop();
  int once = region(), last = 0;
  for (int round = 0; round < 50; ++round) {
    if (round % 7 == 3)
      loop();
    last = region();
    if (round % 5 == 1)
      last = region();
  }
  printf("sums: %d %d\n", once, last);
  printf("blocktime %d\n", kmp_get_blocktime());
}
