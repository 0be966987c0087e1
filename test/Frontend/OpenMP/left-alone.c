// Regions that stay with LLVM's library: a team of one thread needs none of it,
// and a loop of one chunk is for the thread that comes first.
// RUN: %sluice cc -O2 -fopenmp %s -o %t
// RUN: env OMP_NUM_THREADS=1 %t > %t.1
// RUN: env OMP_NUM_THREADS=3 %t > %t.3
// RUN: %clang -O2 -fopenmp %s -o %t.clang
// RUN: env OMP_NUM_THREADS=3 %t.clang > %t.3.clang
// RUN: diff %t.1 %t.3.clang
// RUN: diff %t.3 %t.3.clang
// RUN: FileCheck %s < %t.3
// CHECK: threads asked: 1
// CHECK-NEXT: as many as usual: 1
// CHECK-NEXT: sums: 17602
//
// RUN: %sluice cc -O2 -fopenmp -c %s -o %t.o
// RUN: %llvm/bin/llvm-objdump -dr %t.o | FileCheck %s --check-prefix=CODE
// CODE-LABEL: <several>:
// CODE-NOT: __kmpc_{{barrier|single|dispatch|ordered|master|for_static}}
// CODE: omp_get_max_threads
// CODE-NOT: __kmpc_{{barrier|single|dispatch|ordered|master|for_static}}
// CODE: __kmpc_fork_call
// CODE-LABEL: <several.omp_outlined>:
// CODE: __kmpc_dispatch_init_8u
// CODE: __kmpc_single
// CODE: __kmpc_barrier
#include <omp.h>
#include <stdio.h>

enum { most = 2000 };
static int marks[most], joined, rounds[4], tail, last;
static long longs[most];

static void counted(unsigned low, unsigned high, int chunk) {
#pragma omp parallel
  {
    int own = 0;
#pragma omp for schedule(dynamic, chunk) nowait
    for (unsigned i = low; i < high; ++i) {
      marks[i] += 1;
      own += 1;
    }
#pragma omp atomic
    joined += own;
  }
}

__attribute__((noinline)) void several(long low, long high, long step, long chunk) {
#pragma omp parallel
  for (int round = 0; round < 4; ++round) {
    int own = 0;
#pragma omp for schedule(guided, chunk) lastprivate(last)
    for (long i = low; i < high; i += step) {
      longs[i] += i + round;
      last = (int)i;
      own += 1;
    }
#pragma omp for schedule(static, 3) nowait
    for (long i = high; i > low; i -= step)
      own += 1;
#pragma omp for schedule(runtime) ordered nowait
    for (int i = 0; i < 5; ++i)
#pragma omp ordered
      tail = (tail * 31 + i) % 1000;
#pragma omp atomic
    joined += own;
#pragma omp barrier
#pragma omp single
    rounds[round] = joined + tail;
#pragma omp sections
    {
#pragma omp section
      rounds[round] += 1;
#pragma omp section
      longs[0] += 1;
    }
#pragma omp master
    longs[1] += 1;
  }
}

/// What the threads count is no more than one for each.
static int asked(int wished) {
  int sum = 0;
#pragma omp parallel num_threads(wished) reduction(+ : sum)
  sum += omp_get_num_threads() + omp_get_thread_num() * 0;
  return sum;
}

/// What is asked of a team that the host does not start is for no other one.
static int askedElsewhere(int wished) {
  int threads = 0;
#pragma omp parallel num_threads(wished) if (0)
  threads += omp_get_level();
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp single
    threads = omp_get_num_threads();
  }
  return threads;
}

static void show(const char *name) {
  long sum = joined + tail + last;
  for (int i = 0; i < most; ++i)
    sum = (sum * 7 + marks[i] * 3 + longs[i]) % 1000003;
  for (int i = 0; i < 4; ++i)
    sum += rounds[i];
  printf("%s %ld\n", name, sum);
}

int main(void) {
  static const int chunks[] = {1, 2, 7, 256, 1999, 2000, 100000};
  for (int c = 0; c < 7; ++c)
    for (unsigned high = 0; high < 30; high += 7) {
      counted(2, 2 + high, chunks[c]);
      several(5, 5 + (long)high * 9, 1 + c, chunks[c]);
      show("so far");
    }
  counted(0, most, most);
  counted(0, most, most - 1);
  show("all");
  printf("threads asked: %d\n", asked(1));
  printf("as many as usual: %d\n",
         askedElsewhere(1) == omp_get_max_threads());
  printf("sums: %d\n", joined);
}
