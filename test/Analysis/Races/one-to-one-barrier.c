// A one-to-one edge orders equal instances, and a barrier those of a work-group:
// together they order all that stands before the barrier of the source, or
// behind the barrier of the sink, or on both sides of a node between with one.
// RUN: sluice check -DBEHIND %s 2>&1 | FileCheck %s
// RUN: sluice check -DBEFORE %s 2>&1 | FileCheck %s
// RUN: sluice check -DBETWEEN= %s 2>&1 | FileCheck %s
// RUN: sluice run -DBEHIND %s
// RUN: sluice run -DBEFORE %s
// RUN: env SLUICE_CHECK=1 sluice run -DBETWEEN= %s
// CHECK-NOT: {{remark|error}}
// CHECK: proven free of races
//
// RUN: not sluice check %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check "-DBETWEEN=if (to[0])" %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: 'take' reads argument 'data' of 'root' here, and 'fill' writes it: instance ({{.}}) of 'fill' and instance ({{.}}) of 'take' meet, but a one-to-one edge orders equal instances only
//
// A barrier on the other side of the access is none.
// RUN: not env SLUICE_CHECK=1 sluice run -DLATE -DMASK=mask[0] %s 2>&1 | FileCheck %s --check-prefix=FOUND
// FOUND: 'data', which instance 7 of node 'root/fill' wrote

#include <hpvm.h>

#ifndef MASK
#define MASK 7
#endif

void fill(long *data, size_t bytes, const long *mask, size_t maskBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, mask, 1, data);
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode()) ^ MASK] = 1;
#ifdef BEFORE
  __hpvm__barrier();
#endif
  __hpvm__return(1, bytes);
}

void pass(long *to, size_t toBytes, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, to, 1, to);
#ifdef BETWEEN
  BETWEEN
    __hpvm__barrier();
#endif
  __hpvm__return(1, bytes);
}

void take(long *data, size_t bytes, long *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#ifdef BEHIND
  __hpvm__barrier();
#endif
  to[8 + i] = data[i];
#ifdef LATE
  __hpvm__barrier();
#endif
}

void root(long *data, size_t bytes, long *to, size_t toBytes, const long *mask,
          size_t maskBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, mask, 2, data, to);
  void *a = __hpvm__createNodeND(1, fill, 8);
  void *b = __hpvm__createNodeND(1, pass, 8);
  void *c = __hpvm__createNodeND(1, take, 8);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__bindIn(a, 4, 2, 0);
  __hpvm__bindIn(a, 5, 3, 0);
  __hpvm__bindIn(b, 2, 0, 0);
  __hpvm__bindIn(b, 3, 1, 0);
  __hpvm__edge(a, b, HPVM_ONE_TO_ONE, 0, 2, 0);
  __hpvm__bindIn(c, 0, 0, 0);
  __hpvm__edge(b, c, HPVM_ONE_TO_ONE, 0, 1, 0);
  __hpvm__bindIn(c, 2, 2, 0);
  __hpvm__bindIn(c, 3, 3, 0);
}

struct __attribute__((packed)) Arguments {
  long *data;
  size_t bytes;
  long *to;
  size_t toBytes;
  const long *mask;
  size_t maskBytes;
};

int main(void) {
  static long data[8], to[16], mask[1] = {7};
  struct Arguments all = {data, sizeof data, to, sizeof to, mask, sizeof mask};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &all));
  __hpvm__cleanup();
  for (int i = 0; i < 8; ++i)
    if (to[8 + i] != 1)
      return 1;
}
