// Extents that are arithmetic on arguments: there is an instance, so 'n + 4' is
// at least 1, although 'n' may be negative.
// RUN: sluice check '-DACROSS=n + 4' '-DDOWN=m + 4' -DSTRIDE=count %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check '-DACROSS=n + 4' '-DDOWN=m' '-DSTRIDE=(n + 4)' %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check '-DACROSS=n + 2' '-DDOWN=n + 4' '-DSTRIDE=(n + 9)' %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check '-DACROSS=2 * n' '-DDOWN=m' '-DSTRIDE=(2 * n)' %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check '-DACROSS=2 * n + 4' '-DDOWN=m' -DSTRIDE=count %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check '-DACROSS=n - 2' '-DDOWN=m' -DSTRIDE=n %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// RUN: sluice check '-DACROSS=n / 2' '-DDOWN=m / 2' -DSTRIDE=count %s 2>&1 | FileCheck %s --check-prefix=PROVEN
// PROVEN-NOT: {{error|remark}}
// PROVEN: proven free of races
//
// Rows that are too short.
// RUN: not sluice check '-DACROSS=n + 4' '-DDOWN=m + 4' '-DSTRIDE=1' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check '-DACROSS=n + 4' '-DDOWN=m' '-DSTRIDE=(count - count)' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check '-DACROSS=2 * n' '-DDOWN=m' '-DSTRIDE=1' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: 'work' writes the same place of argument 'data' of 'root' in several instances
//
// RUN: sluice check '-DACROSS=n + 4' '-DDOWN=m' '-DSTRIDE=(n + 3)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check '-DACROSS=2 * n + 4' '-DDOWN=m' '-DSTRIDE=(2 * n)' %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: remark: cannot tell whether instances of 'work' meet in argument 'data' of 'root'

#include <hpvm.h>

void work(long *data, size_t bytes, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  long count = __hpvm__getNumNodeInstances_x(self);
  data[y * STRIDE + x] = x;
}

void root(long *data, size_t bytes, long n, long m) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(2, work, ACROSS, DOWN);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
