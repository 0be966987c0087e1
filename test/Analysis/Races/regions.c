// What the race check believes, as rdir text: the check of that text agrees.
// RUN: sluice build -DFIXED %s --print=rdir > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: sluice check %t.mlir
// RUN: not sluice build %s --print=rdir > %t.racy.mlir
// RUN: not sluice check %t.racy.mlir 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice build -DFIXED -DONE_PLACE %s --print=rdir > %t.place.mlir
// RUN: not sluice check %t.place.mlir 2>&1 | FileCheck %s --check-prefix=PLACE

#include <hpvm.h>

void fill(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, data);
#ifdef ONE_PLACE
  data[0] = 1;
#else
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
#endif
  __hpvm__return(1, bytes);
}

void copy(long *data, size_t bytes, long *to, size_t toBytes, size_t done) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  to[i] = data[i];
}

// CHECK-DAG: rdir.root @root.data [@root.data.bytes] {byte : i8}
// CHECK-DAG: rdir.partition @root.fill.data.written of @root.data [@root.fill.x] disjoint incomplete
// CHECK-DAG: rdir.partition @root.copy.data.read of @root.data [8] aliased incomplete
// CHECK: rdir.graph @root {
// CHECK: %[[FILL:.*]] = rdir.task @fill over [@root.fill.x] discards({{.*}}) writes({{.*}})
// CHECK: rdir.task @copy over [8] reads({{.*}}) discards({{.*}}) writes({{.*}}) after(%[[FILL]])
// RACY: [D2]
// PLACE: [L1]
void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 2, data, to);
  void *a = __hpvm__createNodeND(1, fill, n);
  void *b = __hpvm__createNodeND(1, copy, 8);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(b, i, i, 0);
#ifdef FIXED
  __hpvm__edge(a, b, 1, 0, 4, 0);
#else
  __hpvm__bindIn(b, 1, 4, 0);
#endif
}
