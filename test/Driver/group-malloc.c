// Memory of a work-group from a node that runs once for each group, at every
// level of optimisation.

// RUN: %sluice run -O0 %s | FileCheck %s
// RUN: %sluice run -O1 %s | FileCheck %s
// RUN: env SLUICE_GUARD_MEMORY=1 %sluice run %s | FileCheck %s
// RUN: %sluice run --reference -O0 %s | FileCheck %s
// RUN: %sluice run --check -O0 %s | FileCheck %s
// CHECK: 40 30 20 10 0 41 31 21 11 1 42 32 22 12 2 ok

#include <hpvm.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct __attribute__((packed)) { int *o; size_t no; long g; long n; } Args;
void alloc(long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  int *p = (int*)__hpvm__malloc(n * 4);
  __hpvm__return(2, p, n * 4);
}
void work(int *p, size_t np, int *o, size_t no, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, p, 2, p, o);
  void *t = __hpvm__getNode();
  void *q = __hpvm__getParentNode(t);
  long i = __hpvm__getNodeInstanceID_x(t), g = __hpvm__getNodeInstanceID_x(q);
  p[i] = i * 10 + g;
  __hpvm__barrier();
  o[g * n + i] = p[n - 1 - i];
}
void group(int *o, size_t no, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, o);
  void *a = __hpvm__createNodeND(0, alloc);
  void *w = __hpvm__createNodeND(1, work, n);
  __hpvm__bindIn(a, 2, 0, 0);
  __hpvm__edge(a, w, 1, 0, 0, 0); __hpvm__edge(a, w, 1, 1, 1, 0);
  __hpvm__bindIn(w, 0, 2, 0); __hpvm__bindIn(w, 1, 3, 0); __hpvm__bindIn(w, 2, 4, 0);
}
void root(int *o, size_t no, long g, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, o);
  void *t = __hpvm__createNodeND(1, group, g);
  __hpvm__bindIn(t, 0, 0, 0); __hpvm__bindIn(t, 1, 1, 0); __hpvm__bindIn(t, 3, 2, 0);
}
int main(int argc, char **argv) {
  long g = 3, n = 5;
  int *o = malloc(4*n*g);
  Args *x = malloc(sizeof *x); *x = (Args){o, 4*n*g, g, n};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, x));
  __hpvm__cleanup();
  for (int i = 0; i < n*g; i++) printf("%d ", o[i]);
  puts("ok");
}
