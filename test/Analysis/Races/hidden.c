// What does not meet the eye: numbers of 64 bits that wrap around, what a loop
// carries to its next turn, functions that are called back, what others have
// written before a barrier.
// RUN: sluice check -DN=5000 -DACCESS='A[(size_t)i * 6364136223846793005ull >> 54] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DN=n -DACCESS='A[(size_t)i * 6364136223846793005ull %% 1000] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: sluice check -DN=20000 -DACCESS='A[(size_t)i << 50 >> 50] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DN=8 -DACCESS='_Bool ok = 0; for (int k = 0; k < 9; ++k) { if (ok) A[k] = 1; ok = k == i; } A[20 + i] = A[i];' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DN=20 -DACCESS='A[__builtin_elementwise_min((size_t)i - 1, (size_t)7)] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: sluice check -DN=16 -DACCESS='A[i] = i; __hpvm__barrier(); A[15 - i] = 7; __hpvm__barrier(); B[A[i]] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: sluice check -DN=2 -DACCESS='long *t = A + 16384 * i; t[2000] = i; __builtin_memset(t, 0, 1 << 17); B[t[2000]] = 1;' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: sluice check -DN=100 -DACCESS='qsort(A + 8 * i, 8, 8, counting);' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: not sluice check -DN=100 -DACCESS='char t[9] = "a b"; B[i] = *strtok(t, " ");' %s 2>&1 | FileCheck %s --check-prefix=RACY
// RACY-NOT: proven
// RACY: {{error|remark: cannot tell}}
// RACY-NOT: proven
//
// RUN: sluice check -DN=16384 -DACCESS='A[(size_t)i << 50 >> 50] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DN=n -DACCESS='__builtin_prefetch(&A[i + 16]); A[i] = 1;' %s 2>&1 | FileCheck %s
// RUN: sluice check -DN=n -DACCESS='long t[8]; __builtin_memcpy(t, A + 8 * i, 64); qsort(t, 8, 8, ordering); A[8 * i] = t[0];' %s 2>&1 | FileCheck %s
// RUN: sluice check -DN=n -DACCESS='double erfc(double); A[i] = erfc(i);' %s 2>&1 | FileCheck %s
// CHECK-NOT: {{error|remark}}
// CHECK: proven free of races

#include <hpvm.h>
#include <stdlib.h>
#include <string.h>

static long calls;
static int ordering(const void *a, const void *b) {
  return *(const long *)a < *(const long *)b;
}
static int counting(const void *a, const void *b) {
  ++calls;
  return ordering(a, b);
}

void work(long *A, size_t bytes, int *B, size_t bBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 2, A, B);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  ACCESS
}

void root(long *A, size_t bytes, int *B, size_t bBytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, B, 2, A, B);
  void *node = __hpvm__createNodeND(1, work, (size_t)(N));
  for (int i = 0; i < 4; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
