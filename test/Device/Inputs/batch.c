//===- batch.c - Many small nodes, launched again and again ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enough of them that equal launches are issued as one batch.
//
//===----------------------------------------------------------------------===//

#include <hpvm.h>
#include <stdio.h>

enum { length = 300, launches = 6 };

void step(long *values, size_t bytes) {
  __hpvm__hint(GPU_TARGET);
  __hpvm__attributes(1, values, 1, values);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  values[i] = 3 * values[i] + i;
  __hpvm__return(1, bytes);
}

#define FIRST(node)                                                            \
  void *node = __hpvm__createNodeND(1, step, (size_t)length);                  \
  __hpvm__bindIn(node, 0, 0, 0);
#define NEXT(before, node)                                                     \
  FIRST(node)                                                                  \
  __hpvm__edge(before, node, 1, 0, 1, 0);

void root(long *values, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, values, 1, values);
  FIRST(a)
  __hpvm__bindIn(a, 1, 1, 0);
  NEXT(a, b)
  NEXT(b, c)
  NEXT(c, d)
  NEXT(d, e)
  NEXT(e, f)
  NEXT(f, g)
  NEXT(g, h)
  NEXT(h, i)
  NEXT(i, j)
}

typedef struct __attribute__((__packed__)) {
  long *values;
  size_t bytes;
} Arguments;

int main(void) {
  static long values[length];
  Arguments arguments = {values, sizeof(values)};
  __hpvm__init();
  llvm_hpvm_track_mem(values, sizeof(values));
  for (int launch = 0; launch < launches; ++launch)
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
  llvm_hpvm_request_mem(values, sizeof(values));
  llvm_hpvm_untrack_mem(values);
  unsigned long sum = 0;
  for (int i = 0; i < length; ++i)
    sum = 31 * sum + (unsigned long)values[i];
  printf("sum %lx\n", sum);
  __hpvm__cleanup();
  return 0;
}
