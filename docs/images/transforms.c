//===- transforms.c - The graph of the pictures in transforms.md ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An internal node with one instance, a chain of nodes from instance to
// instance, and a node whose result nobody takes.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>

void load(float *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 0);
  float v = x[__hpvm__getNodeInstanceID_x(__hpvm__getNode())];
  __hpvm__return(1, v);
}

void scale(float v) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  float w = 2 * v;
  __hpvm__return(1, w);
}

void filter(float *x, size_t bytes, size_t n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 0);
  void *Load = __hpvm__createNodeND(1, load, n);
  void *Scale = __hpvm__createNodeND(1, scale, n);
  __hpvm__bindIn(Load, 0, 0, 0);
  __hpvm__bindIn(Load, 1, 1, 0);
  __hpvm__edge(Load, Scale, 0, 0, 0, 0);
  __hpvm__bindOut(Scale, 0, 0, 0);
}

void shift(float v) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  float w = v + 1;
  int isNegative = v < 0;
  __hpvm__return(2, w, isNegative);
}

void count(int isNegative) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  int number = isNegative != 0;
  __hpvm__return(1, number);
}

void store(float v, float *y, size_t size) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, y);
  y[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = v;
}

void root(float *x, size_t bytes, float *y, size_t size, size_t n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  void *Filter = __hpvm__createNodeND(0, filter);
  void *Shift = __hpvm__createNodeND(1, shift, n);
  void *Count = __hpvm__createNodeND(1, count, n);
  void *Store = __hpvm__createNodeND(1, store, n);
  __hpvm__bindIn(Filter, 0, 0, 0);
  __hpvm__bindIn(Filter, 1, 1, 0);
  __hpvm__bindIn(Filter, 4, 2, 0);
  __hpvm__edge(Filter, Shift, 1, 0, 0, 0);
  __hpvm__edge(Shift, Count, 0, 1, 0, 0);
  __hpvm__edge(Shift, Store, 0, 0, 0, 0);
  __hpvm__bindIn(Store, 2, 1, 0);
  __hpvm__bindIn(Store, 3, 2, 0);
}

int main(void) { return 0; }
