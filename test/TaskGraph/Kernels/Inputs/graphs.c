#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>

static double bias = 0.5;

void scale(double *data, size_t bytes, double factor) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  data[i] = data[i] * factor + bias;
}

void root(double *data, size_t bytes, double factor) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, scale, bytes / sizeof(double));
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
}

void copyLeaf(double *from, size_t fromBytes, double *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, to);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  to[i] = from[i];
}

void copy(double *from, size_t fromBytes, double *to, size_t toBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, to);
  void *node = __hpvm__createNodeND(1, copyLeaf, toBytes / sizeof(double));
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
}

#ifndef NO_HOST
static void launch(double *x, size_t bytes) {
  struct __attribute__((packed)) {
    double *data;
    size_t bytes;
    double factor;
  } arguments = {x, bytes, 2.0};
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
}

int main(void) {
  double x[4] = {1, 2, 3, 4};
  __hpvm__init();
  launch(x, sizeof x);
  __hpvm__cleanup();
  printf("host %g\n", x[0]);
  return 0;
}
#endif
