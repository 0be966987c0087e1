// Packed triangles have no strides: all of a row comes before all of the next one.
// RUN: sluice check -DACCESS='if (x <= y) a[y * (y + 1) / 2 + x] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='if (x < y) a[y * (y - 1) / 2 + x] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='if (x >= y) a[y * n - y * (y + 1) / 2 + x] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='if (x > y) a[y * (2 * n - y - 1) / 2 + x] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='for (long j = 0; j <= x; ++j) a[x * (x + 1) / 2 + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='for (int j = 0; j <= (int)x; ++j) a[(int)x * ((int)x + 1) / 2 + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='for (long j = x + 1; j < n; ++j) a[x * n - x * (x + 1) / 2 + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[x * x] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='for (long j = 0; j <= 2 * x; ++j) a[x * x + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: not sluice check -DACCESS='if (x <= y) a[y * (y - 1) / 2 + x] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='if (x <= y + 1) a[y * (y + 1) / 2 + x] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='for (long j = 0; j <= x + 1; ++j) a[x * (x + 1) / 2 + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='for (long j = 0; j <= 2 * x + 1; ++j) a[x * x + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='a[x * (x - 1)] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: {{.*}} meet
// OPEN-NOT: error
// OPEN: remark: cannot tell
// FREE-NOT: {{error|remark}}
// FREE: {{^}}proven free of races

#include <hpvm.h>

#ifdef TWO
#define EXTENTS 2, leaf, n, n
#elif !defined EXTENTS
#define EXTENTS 1, leaf, n
#endif

#define PARAMETERS int *a, size_t aBytes, long k, long n
void leaf(PARAMETERS) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#ifdef TWO
  long y = __hpvm__getNodeInstanceID_y(__hpvm__getNode());
#endif
  ACCESS
}
void root(PARAMETERS) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, a, 1, a);
  void *node = __hpvm__createNodeND(EXTENTS);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
