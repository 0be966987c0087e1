// Internal nodes whose instances run in order, with several nodes or a barrier
// below; and what cannot be in order.

// RUN: sluice run %s 2>&1 | FileCheck %s
// RUN: env SLUICE_WORKERS=4 sluice run --no-transforms %s 2>&1 | FileCheck %s
// RUN: env SLUICE_CHECK=1 sluice run %s 2>&1 | FileCheck %s
// CHECK: 0 wrong

// RUN: not sluice build -DBARRIER %s -o %t 2>&1 | FileCheck %s --check-prefix=BARRIER
// BARRIER: {{.*}}ordered-groups.c:[[#]]:[[#]]: error: instances of 'turn' run in order, but wait for each other at a barrier; remove the barrier, or order the instances of the node above
// RUN: not sluice build -DTWICE %s -o %t 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: {{.*}}ordered-groups.c:[[#]]:[[#]]: error: instances of 'mirror' run in order, and so do those of a node above it; order one level only
// RUN: not sluice build -DBELOW %s -o %t 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: {{.*}}ordered-groups.c:[[#]]:[[#]]: error: instances of 'shift' run in order, which is not possible below 'sweep'
// RUN: not sluice check -DONE_TO_ONE %s 2>&1 | FileCheck %s --check-prefix=EDGE
// EDGE: error: a one-to-one edge joins instances that run at any time, but those of 'take' run in order; use an all-to-all edge (replication type 1) [H10]
// RUN: sluice build --print=plan -DDEVICE=GPU_TARGET %s 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: runs on the host: {{.*}}node 'root/sweep': its instances run in order, which only the host does

#include <hpvm.h>
#include <stdio.h>

#ifndef DEVICE
#define DEVICE CPU_TARGET
#endif
enum { Width = 8, Sweeps = 50 };

void keep(int *data, size_t bytes) {
  __hpvm__hint(DEVICE);
  __hpvm__attributes(1, data, 1, data);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  data[Width + x] = data[x];
  __hpvm__return(1, bytes);
}

/// Of the copy that `keep` made.
void shift(int *data, size_t bytes) {
  __hpvm__hint(DEVICE);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node);
  long t = __hpvm__getNodeInstanceID_x(__hpvm__getParentNode(node));
  data[x] = data[x] % 100003 * 3 + data[Width + (x + t) % Width] % 1009;
}

void sweep(int *data, size_t bytes) {
  __hpvm__hint(DEVICE);
  __hpvm__attributes(1, data, 1, data);
  void *first = __hpvm__createNodeND(1, keep, (size_t)Width);
  void *second = __hpvm__createNodeND(1, shift, (size_t)Width);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__bindIn(second, 0, 0, 0);
  __hpvm__edge(first, second, 1, 0, 1, 0);
#ifdef BELOW
  sluice_ordered(second, SLUICE_X);
#endif
}

/// Row x of a matrix of groups, whose items wait for each other.
void turn(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node);
  int value = data[(x + 3) % Width];
  __hpvm__barrier();
  data[x] = value + 1;
}

void mirror(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, turn, (size_t)Width);
#if defined BARRIER
  sluice_ordered(node, SLUICE_X);
#endif
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

void give(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  data[x] += 5;
  __hpvm__return(1, bytes);
}

void take(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  if (x + 1 < Width)
    data[x + 1] += data[x] % 11;
}

void twice(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, mirror, (size_t)Sweeps);
  sluice_ordered(node, SLUICE_X);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

void root(int *data, size_t bytes, int *other, size_t otherBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, other, 2, data, other);
#ifdef BELOW
  void *sweeps = __hpvm__createNodeND(1, sweep, (size_t)1);
#else
  void *sweeps = __hpvm__createNodeND(1, sweep, (size_t)Sweeps);
  sluice_ordered(sweeps, SLUICE_X);
#endif
  __hpvm__bindIn(sweeps, 0, 0, 0);
  __hpvm__bindIn(sweeps, 1, 1, 0);
#if defined TWICE
  void *groups = __hpvm__createNodeND(1, twice, (size_t)1);
  sluice_ordered(groups, SLUICE_X);
#elif defined BARRIER
  void *groups = __hpvm__createNodeND(1, mirror, (size_t)1);
#else
  void *groups = __hpvm__createNodeND(1, mirror, (size_t)Sweeps);
  sluice_ordered(groups, SLUICE_X);
#endif
  __hpvm__bindIn(groups, 2, 0, 0);
  __hpvm__bindIn(groups, 3, 1, 0);
#ifdef ONE_TO_ONE
  void *source = __hpvm__createNodeND(1, give, (size_t)Width);
  void *sink = __hpvm__createNodeND(1, take, (size_t)Width);
  sluice_ordered(sink, SLUICE_X);
  __hpvm__bindIn(source, 0, 0, 0);
  __hpvm__bindIn(source, 1, 1, 0);
  __hpvm__bindIn(sink, 0, 0, 0);
  __hpvm__edge(source, sink, 0, 0, 1, 0);
#endif
}

int main(void) {
  int data[2 * Width], other[Width], plain[2 * Width], turned[Width];
  for (int i = 0; i < Width; ++i) {
    data[i] = plain[i] = 31 * i % 17;
    data[Width + i] = plain[Width + i] = 0;
    other[i] = turned[i] = i;
  }
  struct __attribute__((packed)) {
    int *data;
    size_t bytes;
    int *other;
    size_t otherBytes;
  } args = {data, sizeof data, other, sizeof other};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
  int wrong = 0;
  for (int t = 0; t < Sweeps; ++t) {
    for (int x = 0; x < Width; ++x)
      plain[Width + x] = plain[x];
    for (int x = 0; x < Width; ++x)
      plain[x] = plain[x] % 100003 * 3 + plain[Width + (x + t) % Width] % 1009;
    int copy[Width];
    for (int x = 0; x < Width; ++x)
      copy[x] = turned[(x + 3) % Width] + 1;
    for (int x = 0; x < Width; ++x)
      turned[x] = copy[x];
  }
  for (int i = 0; i < Width; ++i)
    wrong += data[i] != plain[i] || other[i] != turned[i];
  printf("%d wrong\n", wrong);
  return wrong;
}
