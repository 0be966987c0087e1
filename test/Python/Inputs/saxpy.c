/* y = a x + y, and a graph that counts in integers of 32 bits. */
#include "hpvm.h"
#include <stddef.h>
#include <stdint.h>

void saxpy(float a, float *x, size_t xBytes, float *y, size_t yBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  y[i] = a * x[i] + y[i];
}

void root(float a, float *x, size_t xBytes, float *y, size_t yBytes,
          size_t n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 1, y);
  void *node = __hpvm__createNodeND(1, saxpy, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
  __hpvm__bindIn(node, 4, 4, 0);
}
