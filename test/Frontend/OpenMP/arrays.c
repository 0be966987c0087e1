// Arrays that are reduced: iterations update them in place. Loops that do more
// with an array keep the copies of LLVM's library.
// RUN: env SLUICE_WORKERS=1 %sluice run -q %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run -q %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run -q %s | FileCheck %s --match-full-lines
// CHECK: counts 66 62 62 63
// CHECK-NEXT: bits ffffffff ffffaaaa ffff5555
// CHECK-NEXT: sums 10114 10104 499500
// CHECK-NEXT: section 0 0 570 590 610 0
// CHECK-NEXT: largest 15 14 13
// CHECK-NEXT: odd 1200 1275
// CHECK-NEXT: loops 793 791 125
// CHECK-NEXT: copies 2 252 150
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=LEFT --implicit-check-not=remark:
// LEFT: arrays.c:39:23: remark: following the program from its start decides no more, since what it uses depends on its input, or on the order of threads [openmp]
// LEFT: arrays.c:57:1: remark: nothing was checked here: this parallel region runs on LLVM's OpenMP library, since it reduces arrays [openmp]
// LEFT: arrays.c:61:1: remark: nothing was checked here: this parallel region runs on LLVM's OpenMP library, since it does more with a reduced array than to update it [openmp]
// LEFT: arrays.c:{{.*}} since it reduces around its loop [openmp]
// LEFT: arrays.c:{{.*}} since it reduces around its loop [openmp]
// LEFT: no problems in 4 graphs with 4 leaves

#include <stdio.h>

static int in[1000];

int main(int argc, char **argv) {
  int count[16] = {3}, most[3] = {0}, odd[4] = {0};
  unsigned bits[4] = {~0u, ~0u, ~0u, ~0u};
  double sums[2][4] = {{0}};
  long sum = 0, section[6] = {0}, n = 4 + argc, *parts = section;
  for (int i = 0; i < 1000; i++)
    in[i] = (i * 7919) % 16;
#pragma omp parallel for reduction(+ : count)
  for (int i = 0; i < 1000; i++)
    count[in[i]]++;
  printf("counts %d %d %d %d\n", count[0], count[1], count[8], count[15]);
#pragma omp parallel for reduction(& : bits[1 : 2]) schedule(dynamic, 7)
  for (int i = 0; i < 1000; i++)
    bits[1 + (i & 1)] &= ~(1u << in[i]);
  printf("bits %x %x %x\n", bits[0], bits[1], bits[2]);
#pragma omp parallel
  {
    for (int k = 0; k < 2; ++k) {
#pragma omp for reduction(+ : sums, sum)
      for (int i = 0; i < 1000; i++) {
        sums[i & 1][i % 5 & 3] += k ? i % 101 : 1;
        sum += i * k;
      }
    }
  }
  printf("sums %g %g %ld\n", sums[0][0], sums[1][0], sum);
#pragma omp parallel for reduction(+ : parts[ : n])
  for (int i = 0; i < 60; i++)
    parts[2 + i % 3] += i;
  printf("section %ld %ld %ld %ld %ld %ld\n", parts[0], parts[1], parts[2],
         parts[3], parts[4], parts[5]);
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < 1000; i++)
    most[i % 3] = most[i % 3] > in[i] - i % 3 ? most[i % 3] : in[i] - i % 3;
  printf("largest %d %d %d\n", most[0], most[1], most[2]);
#pragma omp parallel for reduction(+ : odd)
  for (int i = 0; i < 100; i++) {
    odd[i & 3] += i;
    if (odd[i & 3] < 0)
      odd[0] = 5;
  }
  printf("odd %d %d\n", odd[0], odd[3]);
  int both[8] = {0};
#pragma omp parallel reduction(+ : both)
  {
#pragma omp for
    for (int i = 0; i < 1000; i++)
      both[i % 8] += 1;
#pragma omp for
    for (int i = 0; i < 1000; i++)
      both[i % 3] += 2;
  }
  printf("loops %d %d %d\n", both[0], both[1], both[7]);
  // Code for one thread has a copy, too.
  double own[4] = {50, 50, 50, 50}, seen = -1;
#pragma omp parallel reduction(+ : own)
  {
#pragma omp single
    {
      own[0] += 2;
      seen = own[0];
    }
#pragma omp for
    for (int i = 0; i < 400; i++)
      own[i & 3] += i < 400;
  }
  printf("copies %g %g %g\n", seen, own[0] + 100, own[3]);
}
