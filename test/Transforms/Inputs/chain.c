// y = x * 3 + 1, in three nodes joined by one-to-one edges. The argument is
// the number of launches; 0: one with a negative extent.
#include "hpvm.h"
#include <stdio.h>
#include <stdlib.h>

void scale(int *x, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 0);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  __hpvm__return(1, x[i] * 3);
}

void shift(int value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, value + 1);
}

void store(int *y, size_t bytes, int value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, y);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  y[i] = value;
  __hpvm__return(1, value);
}

void root(int *x, size_t bytes_x, int *y, size_t bytes_y, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, x, 1, y);
  void *a = __hpvm__createNodeND(1, scale, n);
  void *b = __hpvm__createNodeND(1, shift, n);
  void *c = __hpvm__createNodeND(1, store, n);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  __hpvm__edge(a, b, 0, 0, 0, 0);
  __hpvm__bindIn(c, 2, 0, 0);
  __hpvm__bindIn(c, 3, 1, 0);
  __hpvm__edge(b, c, 0, 0, 2, 0);
  __hpvm__bindOut(c, 0, 0, 0);
}

enum { N = 10007 };
struct __attribute__((packed)) Arguments {
  int *x;
  size_t bytes_x;
  int *y;
  size_t bytes_y;
  long n;
  int last;
};

int main(int argc, char **argv) {
  static int x[N], y[N];
  for (int i = 0; i < N; ++i)
    x[i] = i;
  int launches = argc > 1 ? atoi(argv[1]) : 1;
  struct Arguments arguments = {x, sizeof x, y, sizeof y, launches ? N : -1, 0};
  __hpvm__init();
  do
    __hpvm__wait(__hpvm__launch(0, root, &arguments));
  while (--launches > 0);
  __hpvm__cleanup();
  long sum = 0;
  for (int i = 0; i < N; ++i)
    sum += y[i];
  printf("sum %ld last %d\n", sum, arguments.last);
  return 0;
}
