// Extents may be members of structures that an internal node takes.

// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_CHECK=1 %sluice run %s | FileCheck %s
// CHECK: x 16, y 6

#include <hpvm.h>
#include <stdio.h>

struct Size {
  int width, height;
};
struct Large {
  long before[20];
  struct Size size;
};

void leaf(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  void *self = __hpvm__getNode();
  x[__hpvm__getNodeInstanceID_x(self) + 4 * __hpvm__getNodeInstanceID_y(self)] =
      1;
}
void inner(int *x, size_t bytes, struct Large large) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, x);
  void *node = __hpvm__createNodeND(2, leaf, (long)large.size.width,
                                    (long)large.size.height);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
void root(int *x, size_t xBytes, int *y, size_t yBytes, struct Size size,
          struct Large large) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, x, y, 2, x, y);
  void *one = __hpvm__createNodeND(2, leaf, (long)size.width,
                                   size.height + large.before[19]);
  __hpvm__bindIn(one, 0, 0, 0);
  __hpvm__bindIn(one, 1, 1, 0);
  void *other = __hpvm__createNodeND(0, inner);
  __hpvm__bindIn(other, 2, 0, 0);
  __hpvm__bindIn(other, 3, 1, 0);
  __hpvm__bindIn(other, 5, 2, 0);
}

struct __attribute__((packed)) Arguments {
  int *x;
  size_t xBytes;
  int *y;
  size_t yBytes;
  struct Size size;
  struct Large large;
};
int main(void) {
  int x[64] = {0}, y[64] = {0}, xs = 0, ys = 0;
  struct Arguments arguments = {x,      sizeof x, y,
                                sizeof y, {4, 3}, {{[19] = 1}, {3, 2}}};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  for (int i = 0; i < 64; ++i) {
    xs += x[i];
    ys += y[i];
  }
  printf("x %d, y %d\n", xs, ys);
}
