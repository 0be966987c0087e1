// A node that reads one part of an array and writes another, beside one that
// writes a third part, or the one that it reads; and a global variable.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

static long total;

void move(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  for (int i = 0; i < 8; ++i)
    // CHECK-DAG: two-ranges.c:[[@LINE+1]]:{{[0-9]+}}: error: 'move' reads argument 'data' of 'root' here, and 'fill' writes it, but no edge orders the two; add an edge from 'fill' to 'move' [race]
    data[i + 8] = data[i];
  total = data[0];
}

#ifdef FIXED
enum { begin = 16 };
#else
enum { begin = 4 };
#endif

void fill(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  for (int i = 0; i < 4; ++i)
    // CHECK-DAG: two-ranges.c:[[@LINE+1]]:{{[0-9]+}}: note: 'fill' writes it here
    data[begin + i] = i;
}

void root(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *a = __hpvm__createNodeND(0, fill);
  void *b = __hpvm__createNodeND(0, move);
  for (int i = 0; i < 2; ++i) {
    __hpvm__bindIn(a, i, i, 0);
    __hpvm__bindIn(b, i, i, 0);
  }
}
