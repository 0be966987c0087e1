// Masks, remainders and conversions to narrow types are followed exactly:
// places that repeat meet, and those that do not never do.
// RUN: not sluice check -DACCESS='A[i %% 8] = i;' %s 2>&1 | FileCheck %s --check-prefix=EIGHT
// RUN: not sluice check -DACCESS='A[i & 1] = 3;' %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sluice check -DACCESS='A[(i * 4) & 7] = 3;' %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sluice check -DACCESS='A[(unsigned char)i] = 3;' %s 2>&1 | FileCheck %s --check-prefix=BYTE
// RUN: not sluice check -DACCESS='if (i %% 2 == 0) A[0] = i;' %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sluice check -DACCESS='if (i < 1 || i == 5) A[0] = i;' %s 2>&1 | FileCheck %s --check-prefix=OR
// RUN: not sluice check -DACCESS='if (i / 2 == 0) A[0] = i;' %s 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not sluice check -DACCESS='A[(unsigned)i << 31] = 3;' %s 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sluice check -DACCESS='A[__builtin_popcount(i)] = 3;' %s 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: sluice check -DACCESS='if (i & 1) A[i] = A[i - 1];' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='A[8 + i] = A[i %% 8];' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='A[i / 4 * 4 + i %% 4] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='A[i ^ 1] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='A[(i & ~3) | (3 - (i & 3))] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='if (!(i & 1)) A[i >> 1] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='if (i < 16) A[(i + s) & 15] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='if (i < 200) A[(unsigned char)i] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='if (n >= 16) A[i / 16 * n + i %% 16] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DACCESS='A[i < 5 ? i : i + 10] = 1;' %s 2>&1 | FileCheck %s
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races
// EIGHT: error: {{.*}} instances (0) and (8) meet
// TWO: error: {{.*}} instances (0) and (2) meet
// ONE: error: {{.*}} instances (0) and (1) meet
// OR: error: {{.*}} instances (0) and (5) meet
// BYTE: error: {{.*}} instances (0) and (256) meet
// BITS: error: {{.*}} instances (1) and (2) meet

#include <hpvm.h>

void work(long *A, size_t bytes, long n, int s) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  ACCESS
}

void root(long *A, size_t bytes, long n, int s) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, A, 1, A);
  void *node = __hpvm__createNodeND(1, work, n);
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
