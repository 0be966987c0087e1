// Nodes with the same leaf and the same operands have one kernel, though each
// hands on a value of its own, which nobody reads. Values that are read, other
// operands and other extents make kernels of their own.
// RUN: %sluice build --no-fuse %s --print=kernels | FileCheck %s --check-prefix=KERNELS \
// RUN:   --implicit-check-not='define internal void @"sluice.root/sweep.fourth"' \
// RUN:   --implicit-check-not='define internal void @"sluice.root/sweep.fifth"'
// KERNELS-DAG: define internal void @"sluice.root/sweep.first"(
// KERNELS-DAG: define internal void @"sluice.root/sweep.second"(
// KERNELS-DAG: define internal void @"sluice.root/sweep.third"(
// KERNELS-DAG: define internal void @"sluice.root/sweep.shorter"(
// KERNELS-DAG: define internal void @"sluice.root/step.one"(
// KERNELS-DAG: define internal void @"sluice.root/step.two"(
// RUN: rm -rf %t.cache && %sluice build --no-fuse %s -o %t && %t | FileCheck %s
// RUN: env SLUICE_TILE_CACHE=0 SLUICE_WORKERS=3 %t | FileCheck %s
// RUN: %sluice build --reference %s -o %t.reference && %t.reference | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// CHECK: wrong 0, steps 3
//
// A number that is only handed on makes no variants: none is asked for.
// RUN: env SLUICE_SPECIALIZE=1 SLUICE_CACHE_DIR=%t.cache %t | FileCheck %s
// RUN: not ls %t.cache/variants
//
// One that is known at launch does, one for nodes with one kernel.
// RUN: %sluice build -DAT_LAUNCH %s -o %t.launch && %t.launch | FileCheck %s
// RUN: env SLUICE_SPECIALIZE=1 SLUICE_CACHE_DIR=%t.cache %t.launch | FileCheck %s

#include <hpvm.h>
#include <stdio.h>
#include <string.h>

enum { size = 3000 };
#ifdef AT_LAUNCH
#define LENGTH(ARGUMENT) ARGUMENT
#else
#define LENGTH(ARGUMENT) size
#endif

void sweep(float *from, size_t fromBytes, float *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, from, to, 1, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode()) + 1;
  to[i] = 0.25f * (from[i - 1] + from[i] + from[i + 1]) + LENGTH(n);
  __hpvm__return(1, toBytes);
}

// A second leaf, of one instance: its number is read.
void step(long *steps, size_t stepsBytes, long number) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, steps, 1, steps);
  steps[0] += number;
  __hpvm__return(1, number + 1);
}

#define SWEEP(NODE, FROM, TO, COUNT)                                           \
  void *NODE = __hpvm__createNodeND(1, sweep, COUNT);                          \
  __hpvm__bindIn(NODE, FROM, 0, 0);                                            \
  __hpvm__bindIn(NODE, TO, 2, 0);                                              \
  __hpvm__bindIn(NODE, TO + 1, 3, 0);                                          \
  __hpvm__bindIn(NODE, 6, 4, 0)

void root(float *a, size_t aBytes, float *b, size_t bBytes, long *steps,
          size_t stepsBytes, long n, long number) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, a, b, steps, 3, a, b, steps);
  SWEEP(first, 0, 2, LENGTH(n) - 2);
  __hpvm__bindIn(first, 1, 1, 0);
  SWEEP(second, 2, 0, LENGTH(n) - 2);
  __hpvm__edge(first, second, 1, 0, 1, 0);
  SWEEP(third, 0, 2, LENGTH(n) - 2);
  __hpvm__edge(second, third, 1, 0, 1, 0);
  SWEEP(fourth, 2, 0, LENGTH(n) - 2);
  __hpvm__edge(third, fourth, 1, 0, 1, 0);
  SWEEP(fifth, 0, 2, LENGTH(n) - 2);
  __hpvm__edge(fourth, fifth, 1, 0, 1, 0);
  SWEEP(shorter, 2, 0, 100);
  __hpvm__edge(fifth, shorter, 1, 0, 1, 0);
  void *one = __hpvm__createNodeND(0, step);
  __hpvm__bindIn(one, 4, 0, 0);
  __hpvm__bindIn(one, 5, 1, 0);
  __hpvm__bindIn(one, 7, 2, 0);
  void *two = __hpvm__createNodeND(0, step);
  __hpvm__bindIn(two, 4, 0, 0);
  __hpvm__bindIn(two, 5, 1, 0);
  __hpvm__edge(one, two, 1, 0, 2, 0);
}

typedef struct __attribute__((packed)) {
  float *a;
  size_t aBytes;
  float *b;
  size_t bBytes;
  long *steps;
  size_t stepsBytes;
  long n, number;
} Arguments;

static float a[size], b[size], x[size], y[size];

static void plain(const float *from, float *to, long count) {
  for (long i = 1; i <= count; ++i)
    to[i] = 0.25f * (from[i - 1] + from[i] + from[i + 1]) + size;
}

int main(void) {
  __hpvm__init();
  long wrong = 0, steps = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < size; ++i) {
      a[i] = x[i] = (float)(i * 7 % 13 + round);
      b[i] = y[i] = -1;
    }
    steps = 0;
    Arguments arguments = {a,      sizeof(a),     b,    sizeof(b),
                           &steps, sizeof(steps), size, 1};
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
    for (int i = 0; i < 5; ++i)
      plain(i % 2 ? y : x, i % 2 ? x : y, size - 2);
    plain(y, x, 100);
    for (int i = 0; i < size; ++i)
      wrong += a[i] != x[i] || b[i] != y[i];
  }
  __hpvm__cleanup();
  printf("wrong %ld, steps %ld\n", wrong, steps);
  return wrong != 0;
}
