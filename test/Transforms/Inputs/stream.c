// A stream through an internal node with two stages, a dead stage, a replicated
// chain, and a stage that counts items in memory that they share.
#include "hpvm.h"
#include <stdio.h>
#include <stdlib.h>

void first(long v) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(2, v * 3, v + 1);
}
void second(long v) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, v ^ 5);
}
void ignored(long v) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, v * v);
}
void spread(long v) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, v + __hpvm__getNodeInstanceID_x(__hpvm__getNode()));
}
void square(long v) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, v * v);
}
void count(long v, long *total, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, total, 1, total);
  *total += v % 7;
  __hpvm__return(2, v + *total, v);
}
void filter(long v) {
  __hpvm__hint(CPU_TARGET);
  void *a = __hpvm__createNodeND(0, first);
  void *b = __hpvm__createNodeND(0, second);
  void *c = __hpvm__createNodeND(0, ignored);
  __hpvm__bindIn(a, 0, 0, 1);
  __hpvm__edge(a, b, 1, 0, 0, 1);
  __hpvm__edge(a, c, 1, 1, 0, 1);
  __hpvm__bindOut(b, 0, 0, 1);
  __hpvm__bindOut(c, 0, 1, 1);
}
void root(long v, long *total, size_t bytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, total, 1, total);
  void *f = __hpvm__createNodeND(0, filter);
  void *s = __hpvm__createNodeND(1, spread, n);
  void *q = __hpvm__createNodeND(1, square, n);
  void *c = __hpvm__createNodeND(0, count);
  __hpvm__bindIn(f, 0, 0, 1);
  __hpvm__edge(f, s, 1, 0, 0, 1);
  __hpvm__edge(s, q, 0, 0, 0, 1);
  __hpvm__edge(q, c, 1, 0, 0, 1);
  __hpvm__bindIn(c, 1, 1, 0);
  __hpvm__bindIn(c, 2, 2, 0);
  __hpvm__bindOut(c, 0, 0, 1);
  __hpvm__bindOut(c, 1, 1, 1);
}
struct __attribute__((packed)) Arguments {
  long v;
  long *total;
  size_t bytes;
  long n;
};
struct __attribute__((packed)) Results {
  long sum, v;
};

int main(void) {
  static long total;
  struct Arguments arguments = {0, &total, sizeof total, 9};
  __hpvm__init();
  void *graph = __hpvm__launch(1, root, &arguments);
  for (long i = 0; i < 300; ++i) {
    arguments.v = i;
    __hpvm__push(graph, &arguments);
    if (i < 20)
      continue;
    struct Results *results = __hpvm__pop(graph);
    printf("%ld %ld\n", results->sum, results->v);
  }
  for (int i = 0; i < 20; ++i)
    printf("%ld\n", ((struct Results *)__hpvm__pop(graph))->sum);
  __hpvm__wait(graph);
  __hpvm__cleanup();
  printf("total %ld\n", total);
  return 0;
}
