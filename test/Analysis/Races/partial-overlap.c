// One node writes the first 64 elements; another reads 64, of which the last 32
// of these are a part, or those behind them.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void fill(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
  for (int i = 0; i < 64; ++i)
    // CHECK-DAG: partial-overlap.c:[[@LINE+1]]:{{[0-9]+}}: note: 'fill' writes it here
    data[i] = i;
}

#ifdef FIXED
enum { begin = 64 };
#else
enum { begin = 32 };
#endif

void sum(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  long total = 0;
  for (int i = begin; i < begin + 64; ++i)
    // CHECK-DAG: partial-overlap.c:[[@LINE+1]]:{{[0-9]+}}: error: 'sum' reads argument 'data' of 'root' here, and 'fill' writes it, but no edge orders the two; add an edge from 'fill' to 'sum' [race]
    total += data[i];
  *to = total;
}

void root(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *a = __hpvm__createNodeND(0, fill);
  void *b = __hpvm__createNodeND(0, sum);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(b, i, i, 0);
}
