// An error is a real execution of the leaf: the two instances are executed, and
// so is the launch around them. What is undefined is no execution, and what
// takes too long is not known.
// RUN: not sluice check -DLONG %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DABORT %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DBEFORE %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DDIVIDED %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DREAL %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DREALLOOP %s 2>&1 | FileCheck %s --check-prefix=RACE
// RUN: not sluice check -DCALLED %s 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: error: 'work' {{reads|writes}} {{.*}}instances ({{[01]}}) and ({{[01]}}) meet
//
// RUN: sluice check -DENDLESS %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DFAR %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DBEYOND %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DOVERFLOW %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sluice check -DONLYCALLED %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN-NOT: error
// UNKNOWN: remark: cannot tell whether instances of 'work' meet
// UNKNOWN-NOT: error

#include <hpvm.h>
#include <stdlib.h>

int table[8];
double elsewhere(double) __attribute__((const));

void work(long *A, size_t bytes, long *x, size_t xBytes, int s,
          float f) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, x, 1, A);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
#if defined(LONG)
  // Two instances may take more steps than a whole grid.
  for (int k = 0; k < 5000; ++k)
    A[0] += x[k] * (k ^ i);
#elif defined(ABORT)
  if (s < 0)
    abort();
  A[0] += x[i];
#elif defined(BEFORE)
  // The host may pass a pointer to the middle of an array.
  A[i] += A[i - 1];
#elif defined(DIVIDED)
  A[0] += x[i] / x[i + 1];
#elif defined(REAL)
  // Whichever way this goes, all write the same place after it.
  long t = 1;
  if (f > 0) {
    A[1 + i] = 3;
    t = 2;
  }
  A[0] = t;
#elif defined(REALLOOP)
  for (float y = 0; y < f; y += 1)
    x[i] += 1;
  A[0] = i;
#elif defined(CALLED)
  if (elsewhere(i) > 0)
    A[i + 1] = 3;
  A[0] = i;
#elif defined(ONLYCALLED)
  if (elsewhere(i) > 0)
    A[0] = i;
#elif defined(ENDLESS)
  for (long k = 0; k < 1000000000; ++k)
    if (k == 999999999 - i % 2)
      A[k / 1000000] += x[k];
#elif defined(FAR)
  // All instances but the first two leave all memory.
  A[i < 2 ? 0 : i << 50] = i;
#elif defined(BEYOND)
  A[0] = table[i];
#elif defined(OVERFLOW)
  A[0] = 1;
  A[20 + ((int)i + 0x7ffffff8)] = i;
#endif
}

void root(long *A, size_t bytes, long *x, size_t xBytes, int s,
          float f) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, A, x, 1, A);
  void *node = __hpvm__createNodeND(1, work, (size_t)16);
  for (int i = 0; i < 6; ++i)
    __hpvm__bindIn(node, i, i, 0);
}
