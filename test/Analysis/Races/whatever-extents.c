// Where all that a leaf uses are its extents, a launch is known by these: two
// instances that meet in all launches of several ones are a race, also where they
// are others each time. What other arguments decide about is not.
// RUN: not sluice check -DACCESS='a[x] = 1; b[x] = a[n - 1 - x];' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='a[n - 1 - x] = a[x];' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='a[(x + 1) %% n] = a[x];' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY: error: {{.*}} meet
// RUN: sluice check -DACCESS='a[x] = 1; b[x] = a[k - 1 - x];' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[(x + 1) %% k] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN-NOT: error
// OPEN: remark: cannot tell
// RUN: sluice check -DACCESS='a[x] = 1; b[x] = a[2 * n - 1 - x];' %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: sluice check -DACCESS='for (long j = 0; j <= x; ++j) a[x * n + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// Instance n - 2 writes the first place of the row of n - 1.
// RUN: not sluice check -DACCESS='for (long j = 0; j <= x + 2; ++j) a[x * n + j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='for (long j = x; j < 4 * n; j += n - 1) a[j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: sluice check -DACCESS='for (long j = x; j < k; j += n - 1) a[j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='for (long j = x; j < 4 * n; j += n + 1) a[j] = 1;' %s 2>&1 | FileCheck %s --check-prefix=FREE
// Shifts and masks that a host may choose to keep instances apart.
// RUN: sluice check -DACCESS='a[x >> k] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[x / k] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[x & k] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[x & (n - 1)] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[x & (k - 1)] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: sluice check -DACCESS='a[(x ^ k) & (n - 1)] = 1;' %s 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not sluice check -DACCESS='a[x >> (k & 1) >> 1] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DACCESS='a[x & (n - 1) & ~1] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// FREE-NOT: {{error|remark}}
// FREE: proven free of races

#include <hpvm.h>

#define PARAMETERS int *a, size_t aBytes, int *b, size_t bBytes, long k, long n
void leaf(PARAMETERS) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 2, a, b);
  long x = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  ACCESS
}
void root(PARAMETERS) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 2, a, b);
  void *node = __hpvm__createNodeND(1, leaf, n);
  for (int i = 0; i < 6; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
