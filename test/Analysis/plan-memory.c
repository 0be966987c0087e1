// What plans say about memory: globals of leaves and of the functions they
// call, what the descendants of an internal node do to its inputs, and the
// pairs of arguments that must not overlap.
// RUN: sluice build --no-transforms --print=plan %s | FileCheck %s

#include <hpvm.h>

static int table[4] = {1, 2, 3, 4};
static const int fixed[4] = {1, 2, 3, 4};
static int counters[64];
static _Thread_local int last;

static int lookUp(long i) { return table[i & 3] + fixed[i & 3]; }

void write(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  data[i] = lookUp(i);
  last = 1;
  __hpvm__return(1, bytes);
}
void read(int *data, size_t bytes, int *other, size_t otherBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, other, 1, data);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  counters[i] = data[i] += other[i];
}
void inner(int *data, size_t bytes, int *other, size_t otherBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, other, 2, data, other);
  void *a = __hpvm__createNodeND(1, write, n);
  void *b = __hpvm__createNodeND(1, read, n);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(b, 0, 0, 0);
  __hpvm__edge(a, b, 1, 0, 1, 0);
  __hpvm__bindIn(b, 2, 2, 0);
  __hpvm__bindIn(b, 3, 3, 0);
}
void root(int *data, size_t bytes, int *other, size_t otherBytes, int *idle,
          size_t idleBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, data, other, idle, 3, data, other, idle);
  void *node = __hpvm__createNodeND(1, inner, 1);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
  __hpvm__bindIn(node, 6, 4, 0);
}

// Only what runs at the same time must be disjoint: 'idle' is used by nobody.
// CHECK: plan 'root'
// CHECK-NOT: disjoint
// CHECK: disjoint 'data' and 'other'
// CHECK-NOT: disjoint
// CHECK: node 0 'root/inner'
// CHECK-NEXT: in 'data' inout = argument 'data'
// CHECK: in 'other' in = argument 'other'
// CHECK-NOT: last
// CHECK-NOT: fixed
// CHECK: uses 'table' in
// CHECK-NEXT: uses 'counters' out
// CHECK-NOT: uses
