// Four blurs in one graph, through three pictures that are temporary. The
// arguments are the extents and the number of launches. Says how many elements of these were written. With
// -DUNWRITTEN a node reads what nobody has written.
#include "hpvm.h"
#include <stdio.h>
#include <stdlib.h>

void blur(float *from, size_t bytes_from, float *to, size_t bytes_to) {
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

#define BLUR(NODE, FROM, TO)                                                   \
  void *NODE = __hpvm__createNodeND(2, blur, columns, rows);                   \
  __hpvm__bindIn(NODE, FROM, 0, 0);                                            \
  __hpvm__bindIn(NODE, TO, 2, 0);                                              \
  __hpvm__bindIn(NODE, TO + 1, 3, 0);

void root(float *image, size_t bytes_image, float *a, size_t bytes_a, float *b,
          size_t bytes_b, float *c, size_t bytes_c, float *blurred,
          size_t bytes_blurred, long columns, long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(4, image, a, b, c, 4, a, b, c, blurred);
  sluice_temporary(a);
  sluice_temporary(b);
  sluice_temporary(c);
#ifdef UNWRITTEN
  BLUR(first, 0, 4)
#else
  BLUR(first, 0, 2)
#endif
  __hpvm__bindIn(first, 1, 1, 0);
  BLUR(second, 2, 4)
  __hpvm__edge(first, second, 1, 0, 1, 0);
  BLUR(third, 4, 6)
  __hpvm__edge(second, third, 1, 0, 1, 0);
  BLUR(fourth, 6, 8)
  __hpvm__edge(third, fourth, 1, 0, 1, 0);
}

struct __attribute__((packed)) Arguments {
  float *image;
  size_t bytes_image;
  float *a;
  size_t bytes_a;
  float *b;
  size_t bytes_b;
  float *c;
  size_t bytes_c;
  float *blurred;
  size_t bytes_blurred;
  long columns, rows;
};

int main(int argc, char **argv) {
  long columns = argc > 1 ? atol(argv[1]) : 1000;
  long rows = argc > 2 ? atol(argv[2]) : 900;
  size_t count = columns * rows, bytes = count * sizeof(float);
  float *pictures[5];
  for (int i = 0; i < 5; ++i) {
    pictures[i] = malloc(bytes + 1);
    for (size_t k = 0; k < count; ++k)
      pictures[i][k] = i == 0 ? (float)(k * 2654435761u % 1000) : -1;
  }
  struct Arguments arguments = {pictures[0], bytes,       pictures[1], bytes,
                                pictures[2], bytes,       pictures[3], bytes,
                                pictures[4], bytes,       columns,     rows};
  __hpvm__init();
  for (int i = argc > 3 ? atoi(argv[3]) : 3; i > 0; --i)
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
  __hpvm__cleanup();
  double sum = 0;
  size_t written = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += pictures[4][i] * (double)(i % 13);
    for (int p = 1; p < 4; ++p)
      written += pictures[p][i] != -1;
  }
  printf("sum %.17g\n", sum);
  fprintf(stderr, "%zu of %zu elements between written\n", written, 3 * count);
  for (int i = 0; i < 5; ++i)
    free(pictures[i]);
  return 0;
}
