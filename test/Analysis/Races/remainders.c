// Remainders by numbers that are not known: digits of an id, and places that go round.
// RUN: sluice check -DACCESS='a[(x + 1) %% n] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[(x + k) %% n] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[(x + n - 1) %% n] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[(n - 1 - x) %% n] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[((unsigned long)x + 3) %% (unsigned long)n] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[y * n + (x + 1) %% n] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[((y + 1) %% n) * n + (x + n - 1) %% n] = 1;' -DTWO %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='if (k > 0) a[(x %% k) * n + x / k] = 1;' '-DEXTENTS=1, leaf, k * n' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='if (k > 0) a[(x / k) * k + x %% k] = 1;' '-DEXTENTS=1, leaf, k * n' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='if (k > 0) a[(x / k) * (k + 3) + x %% k] = 1;' '-DEXTENTS=1, leaf, k * n' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='if (n > 0) { int i = x / (int)n, j = x %% (int)n; a[(long)j * n + i] = 1; }' '-DEXTENTS=1, leaf, n * n' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='a[(x / k) * k + x %% k] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='long at = x / k * 2 * k + x %% k; a[at] += a[at + k]; a[at + k] = a[at];' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='unsigned long u = x, h = k; a[u / h * 2 * h + u %% h] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: not sluice check -DACCESS='a[k != 0 ? x / k * k + x %% k : 0] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: sluice check -DACCESS='long at = x / k * 2 * k + x %% k; a[at] += a[at + k + 1];' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='int h = k; if (h < 0 && x < 0xffffffff) a[(unsigned)x %% h] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[(x + 1) %% k] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[(2 * x) %% n] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[(x * k) %% n] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='if (k > 0) a[(x / k) * (k - 1) + x %% k] = 1;' '-DEXTENTS=1, leaf, k * n' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[(x %% k) * n + x / k] = 1;' '-DEXTENTS=1, leaf, k * n' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not sluice check -DACCESS='a[(x + 3) %% (n - 1)] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='a[(x + 1) %% n] = a[x];' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='a[x] = 1; a[(x + 1) %% n] = 2;' %s 2>&1 | FileCheck %s --check-prefix=RACY
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
