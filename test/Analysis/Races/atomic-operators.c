// Two atomic operations do not race, with the same operator or with different
// ones; a plain read beside them does. The regions say which operator it is.
// RUN: sluice check -DFIRST=__hpvm__atomic_add %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DFIRST=__hpvm__atomic_max %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: not sluice check -DFIRST=__hpvm__atomic_add -DPLAIN %s 2>&1 | FileCheck %s
// FREE-NOT: {{error|remark}}
// FREE: proven free of races
// RUN: sluice build -DFIRST=__hpvm__atomic_add %s --print=rdir > %t.same.mlir
// RUN: FileCheck %s --check-prefix=SAME < %t.same.mlir
// RUN: sluice check %t.same.mlir
// SAME-COUNT-2: rdir.task {{.*}}continues{{.*}} reduces<"+">
// RUN: sluice build -DFIRST=__hpvm__atomic_max %s --print=rdir > %t.both.mlir
// RUN: FileCheck %s --check-prefix=BOTH < %t.both.mlir
// RUN: sluice check %t.both.mlir
// BOTH-COUNT-2: rdir.task {{.*}}continues{{.*}} reduces<@atomic>

#include <hpvm.h>

void first(int *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  // CHECK-DAG: atomic-operators.c:[[@LINE+1]]:{{[0-9]+}}: note: 'first' updates it here
  FIRST(data, (int)__hpvm__getNodeInstanceID_x(__hpvm__getNode()));
}
void second(int *data, size_t bytes, int *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
#ifdef PLAIN
  // CHECK-DAG: atomic-operators.c:[[@LINE+1]]:{{[0-9]+}}: error: 'second' reads argument 'data' of 'root' here, and 'first' updates it, but no edge orders the two; add an edge from 'first' to 'second' [race]
  to[0] = data[0];
#else
  __hpvm__atomic_add(data, 1);
#endif
}
void root(int *data, size_t bytes, int *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *a = __hpvm__createNodeND(1, first, n);
  void *b = __hpvm__createNodeND(0, second);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(b, i, i, 0);
}
