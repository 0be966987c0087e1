// Code around the loops of regions: other loops, reductions, reads, the state
// of threads. The results are those of the code without directives.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// CHECK: loops 2722135 53 43 42 43
// CHECK-NEXT: reductions 1 499500 1 40
// CHECK-NEXT: reads 2 1001 4 103 l l 4 3 2 1
// CHECK-NEXT: state 133541510 1
// RUN: %sluice check %s 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT-COUNT-2: since it reduces around its loop
// LEFT-COUNT-1: since it passes on the address of a variable of its threads
// LEFT-NOT: nothing was checked

#include <omp.h>
#include <stdio.h>
#include <string.h>

static int a[1000], t[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static void loopsBefore(int x, int n, int one) {
#pragma omp parallel
  {
    int s = 0;
    for (int k = 0; k < n; k++)
      s += k * x;
    int m = t[0], k = 0;
    while (k < n && t[k] < 7)
      m += t[k++];
    int table[16];
    for (int q = 0; q < 16; q++)
      table[q] = q * q * x;
#pragma omp for
    for (int i = 0; i < 100; i++)
      a[i] = s + m * 1000 + table[i & 15] * 100000;
  }
  printf("loops %d ", a[99]);
#pragma omp parallel
  {
    int s = x > one ? 9 : 11, u = n > 5 ? t[1] : t[2];
    do {
      s += u;
    } while (s < 50);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++)
      a[i] = s + u;
  }
  printf("%d ", a[99]);
#pragma omp parallel
  {
    int s = 7;
    for (int q = 0;; q++) {
      s += q;
      if (s > 40)
        break;
    }
    if (s > 3) {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; i++)
        a[i] = s;
    }
  }
  printf("%d ", a[99]);
#pragma omp parallel
  {
    int s = 0;
    for (int k = 0; k < n; k++)
      if (k != 3)
        s += k;
#pragma omp sections
    {
#pragma omp section
      a[0] = s;
#pragma omp section
      a[1] = s + 1;
    }
  }
  printf("%d %d\n", a[0], a[1]);
}

static void reducedAround(void) {
  int threads = 0, n = 5;
  long sum = 0;
#pragma omp parallel reduction(+ : threads, sum)
  {
    threads += 1;
#pragma omp for
    for (int i = 0; i < 1000; i++)
      sum += i;
  }
#pragma omp parallel reduction(* : n)
  {
    n *= 1;
#pragma omp for nowait
    for (int i = 0; i < 3; i++)
      n *= 2;
  }
  printf("reductions %d %ld %d %d\n", threads == omp_get_max_threads(), sum, 1,
         n);
}

struct Item {
  int k, j;
  double d[4];
};
static struct Item items[100];
static char text[200];

__attribute__((pure, noinline)) static int first(const int *p) { return *p; }

static void readsAround(void) {
  int four[4] = {1, 2, 3, 4};
  for (int i = 0; i < 1000; i++)
    a[i] = i + 1;
  for (int i = 0; i < 100; i++)
    items[i].k = i + 1, items[i].d[0] = 2;
  strcpy(text, "hello world");
#pragma omp parallel
  {
    int k = first(a);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 1000; i++)
      a[i] += k;
  }
#pragma omp parallel
  {
    struct Item item = items[0];
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 100; i++)
      items[i].k += item.k + (int)item.d[0];
  }
#pragma omp parallel
  {
    int n = (int)strlen(text);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 200; i++)
      text[i] = 'a' + n;
  }
#pragma omp parallel
  {
    int own[4];
    memcpy(own, four, sizeof four);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 4; i++)
      four[i] = own[3 - i];
  }
  printf("reads %d %d %d %d %c %c %d %d %d %d\n", a[0], a[999], items[0].k,
         items[99].k, text[0], text[199], four[0], four[1], four[2], four[3]);
}

static unsigned numbers[1000];

static void stateBehindPointers(void) {
#pragma omp parallel num_threads(1)
  {
    unsigned s0 = 1, s1 = 2, *states[2] = {&s0, &s1};
#pragma omp for
    for (int i = 0; i < 1000; i++) {
      unsigned *p = states[i & 1];
      *p = *p * 1664525U + 1013904223U;
      numbers[i] = *p;
    }
  }
  printf("state %u 1\n", numbers[999]);
}

int main(int argc, char **argv) {
  loopsBefore(3, 10, argc);
  reducedAround();
  readsAround();
  stateBehindPointers();
}
