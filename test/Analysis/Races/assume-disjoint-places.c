// What sluice_assume_disjoint says, leaves say.
// RUN: not sluice check -DINTERNAL %s 2>&1 | FileCheck %s --check-prefix=INTERNAL
// RUN: not sluice check -DHOST %s 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not sluice check -DADDRESS %s 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: sluice check %s 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT-NOT: {{error|remark}}
// RIGHT: proven free of races

#include <hpvm.h>

void work(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  data[__hpvm__getNodeInstanceID_x(__hpvm__getNode())] = 1;
}

void root(long *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, work, bytes / sizeof(long));
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
#ifdef INTERNAL
  // INTERNAL: assume-disjoint-places.c:[[@LINE+1]]:{{[0-9]+}}: error: 'sluice_assume_disjoint' is for leaves
  sluice_assume_disjoint(data, bytes, data, bytes);
#endif
}

int main(void) {
  long data[4] = {0};
#ifdef HOST
  // HOST: assume-disjoint-places.c:[[@LINE+1]]:{{[0-9]+}}: error: 'sluice_assume_disjoint' is for leaves, but 'main' is host code
  sluice_assume_disjoint(data, sizeof data, data, sizeof data);
#endif
#ifdef ADDRESS
  // ADDRESS: assume-disjoint-places.c:[[@LINE+2]]:{{[0-9]+}}: error: 'sluice_assume_disjoint' can only be called
  void (*volatile say)(const void *, size_t, const void *, size_t);
  say = sluice_assume_disjoint;
#endif
  struct __attribute__((packed)) {
    long *data;
    size_t bytes;
  } args = {data, sizeof data};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
}
