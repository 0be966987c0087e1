// A loop needs two barriers: the second one keeps the next turn from writing
// what slow instances still read.
// RUN: not sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DFIXED %s 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED-NOT: {{error|remark}}
// FIXED: proven free of races

#include <hpvm.h>

void work(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *self = __hpvm__getNode();
  long i = __hpvm__getNodeInstanceID_x(self);
  for (long turn = 0; turn < 8; ++turn) {
    // CHECK-DAG: barrier-loop.c:[[@LINE+1]]:{{[0-9]+}}: note: 'work' writes it here
    data[i] = turn;
    __hpvm__barrier();
    // CHECK-DAG: barrier-loop.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' reads argument 'data' of 'root' here, where another instance writes it at the same time:
    to[i] += data[0];
#ifdef FIXED
    __hpvm__barrier();
#endif
  }
}

void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
