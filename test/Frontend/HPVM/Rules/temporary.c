// What is temporary is a pointer parameter of a graph.

// RUN: split-file --leading-lines %s %t
// RUN: not sluice-translate %t/wrong.c 2>&1 | FileCheck %s --check-prefix=WRONG --implicit-check-not=error:
// RUN: not sluice-translate %t/leaf.c 2>&1 | FileCheck %s --check-prefix=LEAF
// RUN: sluice-translate %t/right.c | FileCheck %s --check-prefix=RIGHT

//--- wrong.c
#include <hpvm.h>

float global[8];

void leaf(float *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  x[0] = 1;
}

void root(float *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  // WRONG: wrong.c:[[@LINE+1]]:3: error: what is temporary is {{.*}}, but it must be a pointer that 'root' takes; name that in the call [temporary]
  sluice_temporary(global);
  void *node = __hpvm__createNodeND(0, leaf);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

//--- leaf.c
#include <hpvm.h>

void leaf(float *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  // LEAF: leaf.c:[[@LINE+1]]:16: error: 'getNode' is for leaves, but 'leaf' creates a graph; {{.*}} [H19]
  void *self = __hpvm__getNode();
  // LEAF: leaf.c:[[@LINE+1]]:3: note: this call of 'sluice_temporary' makes it an internal node
  sluice_temporary(x);
  x[__hpvm__getNodeInstanceID_x(self)] = 1;
}

void root(float *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  void *node = __hpvm__createNodeND(1, leaf, bytes / 4);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

//--- right.c
#include <hpvm.h>

void leaf(float *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  x[0] = 1;
}

// RIGHT: dfg.graph @root(%x: !llvm.ptr inout temporary, %bytes: i64)
void root(float *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  sluice_temporary(x);
  sluice_temporary(x);
  void *node = __hpvm__createNodeND(0, leaf);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
