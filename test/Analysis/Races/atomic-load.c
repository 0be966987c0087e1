// An atomic load does not race with atomic updates of the same place, and an
// atomic store not with atomic loads; plain accesses race with both.
// RUN: not sluice check "-DLOAD=data[0]" %s 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not sluice check "-DSTORE=data[0] = 1" %s 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: sluice check %s 2>&1 | FileCheck %s
// RUN: sluice check -DWIDE %s 2>&1 | FileCheck %s
// CHECK-NOT: {{error|remark|warning}}
// CHECK: proven free of races
// LOAD: error: 'work' reads argument 'data' of 'root' here, where another instance updates it at the same time:
// STORE: error: 'work' {{.*}} argument 'data' of 'root'

#include <hpvm.h>

#ifdef WIDE
typedef double number;
#define LOAD __hpvm__atomic_load_f64(data)
#define STORE __hpvm__atomic_store_f64(data, 1)
#define UPDATE __hpvm__atomic_add_f64(data, 2)
#else
typedef int number;
#define UPDATE __hpvm__atomic_add(data, 2)
#endif
#ifndef LOAD
#define LOAD __hpvm__atomic_load(data)
#endif
#ifndef STORE
#define STORE __hpvm__atomic_store(data, 1)
#endif

// Only reads `data`, so that it need not be marked as written.
void look(number *data, size_t bytes, number *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  to[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = LOAD;
}

void work(number *data, size_t bytes, number *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  UPDATE;
  if (i == 3)
    STORE;
  to[i] = LOAD;
}

void root(number *data, size_t bytes, number *to, size_t toBytes,
          number *seen, size_t seenBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(3, data, to, seen, 3, data, to, seen);
  void *node = __hpvm__createNodeND(1, work, n);
  void *beside = __hpvm__createNodeND(1, look, n);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(beside, i < 2 ? i : i + 2, i, 0);
}
