// Sweeps whose elements are found by unsigned arithmetic of 32 bits, which
// wraps around in grids of more than 87,381 rows: elements that these rows read
// are far away. The arguments are numbers of rows.
#include "hpvm.h"
#include <stdio.h>
#include <stdlib.h>

void sweep(int *from, size_t bytes_from, int *to, size_t bytes_to) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, from, 1, to);
  unsigned row = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  unsigned near = row * 49152u / 49152u;
  unsigned value = from[near] * 3u + from[near + 1] + row;
  for (int round = 0; round < 30; ++round)
    value = (value ^ value >> 7) * 77u + round;
  to[row] = (int)value;
  __hpvm__return(1, bytes_to);
}

#define SWEEP(NODE, FROM, TO)                                                  \
  void *NODE = __hpvm__createNodeND(1, sweep, rows);                           \
  __hpvm__bindIn(NODE, FROM, 0, 0);                                            \
  __hpvm__bindIn(NODE, TO, 2, 0);                                              \
  __hpvm__bindIn(NODE, TO + 1, 3, 0);

void root(int *a, size_t bytes_a, int *b, size_t bytes_b, long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(2, a, b, 2, a, b);
  SWEEP(first, 0, 2)
  __hpvm__bindIn(first, 1, 1, 0);
  SWEEP(second, 2, 0)
  __hpvm__edge(first, second, 1, 0, 1, 0);
  SWEEP(third, 0, 2)
  __hpvm__edge(second, third, 1, 0, 1, 0);
}

struct __attribute__((packed)) Arguments {
  int *a;
  size_t bytes_a;
  int *b;
  size_t bytes_b;
  long rows;
};

static unsigned sumAfterSweeps(long rows) {
  size_t bytes = (rows + 1) * sizeof(int);
  int *a = malloc(bytes), *b = malloc(bytes);
  for (long i = 0; i <= rows; ++i) {
    a[i] = i % 1000;
    b[i] = i % 77;
  }
  struct Arguments arguments = {a, bytes, b, bytes, rows};
  __hpvm__wait(__hpvm__launch(0, root, &arguments));
  unsigned sum = 0;
  for (long i = 0; i <= rows; ++i)
    sum = sum * 31 + (unsigned)a[i] * 7 + (unsigned)b[i];
  free(a);
  free(b);
  return sum;
}

int main(int argc, char **argv) {
  __hpvm__init();
  for (int i = 1; i < argc; ++i)
    printf("%s rows: %u\n", argv[i], sumAfterSweeps(atol(argv[i])));
  __hpvm__cleanup();
  return 0;
}
