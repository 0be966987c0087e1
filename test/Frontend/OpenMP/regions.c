// Shared loops in loops of a region, and what threads do between them: the same
// as the code without directives, and all of it as graphs.
// RUN: env SLUICE_WORKERS=1 %sluice run %s | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=2 %sluice run %s -- many | FileCheck %s --match-full-lines
// RUN: env SLUICE_WORKERS=5 %sluice run %s | FileCheck %s --match-full-lines
// RUN: %sluice check --require-proof %s | FileCheck %s --check-prefix=PROVEN
// PROVEN: no problems in 19 graphs with 19 leaves
// PROVEN: proven free of races; results may depend on the order in which instances take turns
// CHECK: steps 281501 2006 36 117.684
// CHECK-NEXT: until 7 0.0078125
// CHECK-NEXT: singles 45 15 10 4 1
// CHECK-NEXT: critical 499500 1998
// CHECK-NEXT: nowait 1000 3997
// CHECK-NEXT: functions 6 27
// CHECK-NEXT: dynamic 40 10
// CHECK-NEXT: own 19 20
// CHECK-NEXT: tasks 3 150 24906

#include <stdio.h>

enum { n = 2000 };
static float a[n], b[n];
static int numbers[1000], others[1000], steps = 9;

static void inSteps(void) {
  double total = 0;
  int last = 0, rounds = 0;
  for (int i = 0; i < n; i++)
    a[i] = i % 17;
#pragma omp parallel
  for (int t = 0; t < steps; t++) {
    const float *from = t % 2 ? b : a;
    float *to = t % 2 ? a : b;
    int shift = t * 3;
#pragma omp for schedule(static)
    for (int i = 1; i < n - 1; i++)
      to[i] = (from[i - 1] + from[i + 1]) * 0.5f + shift;
    if (t % 3 == 1) {
#pragma omp for reduction(+ : total) lastprivate(last)
      for (int i = 0; i < n; i++) {
        total += to[i];
        last = i + t;
      }
    }
#pragma omp single
    rounds += t;
  }
  printf("steps %g %d %d %g\n", total, last, rounds, b[n / 2]);
}

/// As often as what a reduction gives says.
static void untilSmall(void) {
  double error = 1, worst = 1;
  int rounds = 0;
#pragma omp parallel
  while (error > 0.01) {
#pragma omp barrier
#pragma omp single
    {
      error = 0;
      worst /= 2;
      rounds++;
    }
#pragma omp for reduction(max : error)
    for (int i = 0; i < n; i++) {
      double here = worst * (i + 1) / n;
      error = here > error ? here : error;
    }
  }
  printf("until %d %g\n", rounds, error);
}

static void forOneThread(void) {
  int sum = 0, product = 0, given = 0, seen = 0;
#pragma omp parallel
  {
    int own = 1;
    for (int k = 0; k < 10; ++k) {
#pragma omp single nowait
      sum += k;
#pragma omp barrier
      if (k % 2) {
#pragma omp master
        product += 3;
      }
#pragma omp barrier
    }
#pragma omp single copyprivate(own)
    own = sum / 9;
#pragma omp for
    for (int i = 0; i < 1000; ++i)
      numbers[i] = own + i;
#pragma omp masked
    given = numbers[5];
#pragma omp barrier
#pragma omp single
    {
      seen = own - 1;
      if (given != 10)
        seen = 0;
    }
#pragma omp flush
  }
  printf("singles %d %d %d %d %d\n", sum, product, given, seen, 1);
}

static void inCritical(void) {
  int sum = 0, most = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
      int twice = 2 * i;
#pragma omp critical
      sum += i;
#pragma omp critical(most)
      if (twice > most)
        most = twice;
    }
  }
  printf("critical %d %d\n", sum, most);
}

/// Loops that need no barrier between them.
static void withoutWaiting(void) {
  int sum = 0;
#pragma omp parallel
  {
    for (int k = 0; k < 2; ++k) {
#pragma omp for nowait
      for (int i = 0; i < 1000; ++i)
        numbers[i] = 2 * i + k;
#pragma omp for
      for (int i = 0; i < 1000; ++i)
        others[i] = 2 * i - k;
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 1000; ++i)
      sum += numbers[i] - others[i] - 1;
  }
  printf("nowait %d %d\n", sum, numbers[999] + others[999] + 2 - 1);
}

/// Directives in functions belong to the region that calls them.
static void fill(int *to, int value) {
  if (value > 4) {
#pragma omp for
    for (int i = 0; i < 1000; ++i)
      to[i] = value;
    return;
  }
#pragma omp for schedule(guided)
  for (int i = 0; i < 1000; ++i)
    to[i] = value * i;
}

static void inFunctions(void) {
#pragma omp parallel
  for (int k = 2; k <= 6; ++k) {
    fill(numbers, k);
    fill(others, k - 3);
  }
  printf("functions %d %d\n", numbers[9], others[9]);
}

static void byTurns(void) {
  int rows = 0, columns = 0;
#pragma omp parallel
  for (int k = 0; k < 4; ++k) {
#pragma omp for schedule(dynamic, 3) reduction(+ : rows)
    for (int i = 0; i < 10; ++i)
      rows++;
#pragma omp for schedule(dynamic) collapse(2) reduction(+ : columns)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 5; ++j)
        columns += k == 3;
  }
  printf("dynamic %d %d\n", rows, columns);
}

/// Variables of the threads, set and used around the loops and in them.
static void ofThreads(void) {
  int j, total = 0;
#pragma omp parallel private(j)
  {
    int table[8] = {1}, scale = 3;
    for (j = 1; j < 8; ++j)
      table[j] = table[j - 1] * 2;
    for (int k = 0; k < 2; ++k) {
      int own[4];
      scale += k;
#pragma omp for
      for (int i = 0; i < 1000; ++i) {
        for (j = 0; j < 4; ++j)
          own[j] = table[(i + j) & 7];
        numbers[i] = own[i & 3] + scale;
      }
#pragma omp single
      total = total * 1000 + numbers[10];
    }
    scale = 0;
    for (j = 0; j < 3; ++j)
      scale += j;
    // Nobody gets here.
    const int never = 0;
    if (never) {
#pragma omp for
      for (int i = 0; i < 1000; ++i)
        numbers[i] = scale;
    }
  }
  printf("own %d %d\n", total / 1000, total % 1000);
}

/// One thread makes tasks of iterations, and the others run them.
static void inTasks(int stride, unsigned many) {
  int table[4] = {1, 2, 3, 4}, rounds = 0, sum = 0;
#pragma omp parallel num_threads(steps)
#pragma omp single
  {
#pragma omp taskloop
    for (unsigned i = 1000; i > 0; --i)
      numbers[i - 1] = 1;
    for (int round = 0; round < 3; ++round) {
      int shift = round * stride;
#pragma omp taskloop firstprivate(table) collapse(2)
      for (int i = 0; i < 250; ++i)
        for (int j = 0; j < 4; ++j)
          others[i * 4 + j] = numbers[i * 4 + j] * table[j] + shift;
#pragma omp taskloop num_tasks(8)
      for (int i = 0; i < 1000; i += 3)
        numbers[i] += others[i];
      ++rounds;
    }
    // More iterations than there are positive numbers of 32 bits.
#pragma omp taskloop
    for (unsigned i = 0; i < many; ++i)
      if (i == many - 1)
        numbers[3] += 4;
  }
  for (int i = 0; i < 1000; ++i)
    sum += numbers[i];
  printf("tasks %d %d %d\n", rounds, numbers[3], sum);
}

int main(int argc, char **argv) {
  inSteps();
  untilSmall();
  forOneThread();
  inCritical();
  withoutWaiting();
  inFunctions();
  byTurns();
  ofThreads();
  inTasks(3, argc > 1 ? 2200000000 : 2200);
}
