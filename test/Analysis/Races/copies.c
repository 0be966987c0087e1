// Every instance clears 64 bytes with memset, at a distance of 32 bytes.
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
#ifdef FIXED
  char *start = (char *)to + 64 * i;
#else
  char *start = (char *)to + 32 * i;
#endif
  // CHECK: copies.c:[[@LINE+1]]:{{[0-9]+}}: error: 'work' writes the same place of argument 'to' of 'root' in several instances: instances ({{[0-9]+}}) and ({{[0-9]+}}) meet;
  __builtin_memset(start, 0, 64);
}

void root(long *data, size_t bytes, long *to, size_t toBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, data, to, 2, data, to);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 5; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
