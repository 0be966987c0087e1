// RUN: %sluice run %s | FileCheck %s
// RUN: %sluice run %s -- natural | FileCheck %s

// Two launches that differ in nothing but how their structures lie: LLVM would
// make one call of them, were the layout not part of each.

// CHECK: 42

#include <hpvm.h>
#include <stdio.h>

typedef struct {
  char flag;
  long number;
  double result;
} Natural;

typedef struct __attribute__((__packed__)) {
  char flag;
  long number;
  struct __attribute__((__packed__)) {
    double result;
  } ret;
} Packed;

void work(char flag, long number) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  double result = flag + number;
  __hpvm__return(1, result);
}

void root(char flag, long number) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  void *node = __hpvm__createNodeND(0, work);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

int main(int argc, char **argv) {
  __hpvm__init();
  Natural natural = {2, 40, 0};
  Packed packed = {2, 40, {0}};
  void *graph;
  if (argc > 1)
    graph = __hpvm__launch(0, root, (void *)&natural);
  else
    graph = __hpvm__launch(0, root, (void *)&packed);
  __hpvm__wait(graph);
  printf("%g\n", argc > 1 ? natural.result : packed.ret.result);
  __hpvm__cleanup();
  return 0;
}
