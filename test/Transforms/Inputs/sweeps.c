// Four sweeps of a stencil over two arrays and back, in one graph: the mean of
// an element and its neighbours, which are clamped to the array. The arguments
// are the extents.
#include "hpvm.h"
#include <stdio.h>
#include <stdlib.h>

void sweep(float *from, size_t bytes_from, float *to, size_t bytes_to) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, to);
  void *self = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(self);
  long y = __hpvm__getNodeInstanceID_y(self);
  long columns = __hpvm__getNumNodeInstances_x(self);
  long rows = __hpvm__getNumNodeInstances_y(self);
  long above = y > 0 ? y - 1 : y, below = y < rows - 1 ? y + 1 : y;
  long left = x > 0 ? x - 1 : x, right = x < columns - 1 ? x + 1 : x;
  to[y * columns + x] =
      0.2f * (from[y * columns + x] + from[above * columns + x] +
              from[below * columns + x] + from[y * columns + left] +
              from[y * columns + right]);
  __hpvm__return(1, bytes_to);
}

#define SWEEP(NODE, FROM, TO)                                                  \
  void *NODE = __hpvm__createNodeND(2, sweep, columns, rows);                  \
  __hpvm__bindIn(NODE, FROM, 0, 0);                                            \
  __hpvm__bindIn(NODE, TO, 2, 0);                                              \
  __hpvm__bindIn(NODE, TO + 1, 3, 0);

void root(float *a, size_t bytes_a, float *b, size_t bytes_b, long columns,
          long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 2, a, b);
  SWEEP(first, 0, 2)
  __hpvm__bindIn(first, 1, 1, 0);
  SWEEP(second, 2, 0)
  __hpvm__edge(first, second, 1, 0, 1, 0);
  SWEEP(third, 0, 2)
  __hpvm__edge(second, third, 1, 0, 1, 0);
  SWEEP(fourth, 2, 0)
  __hpvm__edge(third, fourth, 1, 0, 1, 0);
}

struct __attribute__((packed)) Arguments {
  float *a;
  size_t bytes_a;
  float *b;
  size_t bytes_b;
  long columns, rows;
};

int main(int argc, char **argv) {
  long columns = argc > 1 ? atol(argv[1]) : 100;
  long rows = argc > 2 ? atol(argv[2]) : 300;
  size_t count = columns * rows;
  float *a = malloc(2 * count * sizeof(float) + 1), *b = a + count;
  for (size_t i = 0; i < 2 * count; ++i)
    a[i] = i * 2654435761u % 1000;
  struct Arguments arguments = {a,       count * sizeof(float), b,
                                count * sizeof(float), columns, rows};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  double sum = 0;
  for (size_t i = 0; i < 2 * count; ++i)
    sum += a[i] * (double)(i % 13);
  printf("sum %.17g\n", sum);
  free(a);
  return 0;
}
