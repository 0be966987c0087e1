// What is wrong with HPVM-C calls is told with its place, all in one run.
//
// RUN: not sluice-translate %s 2>&1 | FileCheck %s

#include <hpvm.h>

// CHECK: errors.c:[[#@LINE+4]]:3: error: '__hpvm__return' announces 3 outputs, but 2 follow [arguments]
void wrongCount(int a, int b) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 0);
  __hpvm__return(3, a, b);
}

// CHECK: errors.c:[[#@LINE+8]]:3: error: node 'disagree' returns {float} here, but {int} elsewhere [outputs]
// CHECK: errors.c:[[#@LINE+4]]:5: note: the other outputs are returned here
void disagree(int a, float b) {
  __hpvm__hint(CPU_TARGET);
  if (a) {
    __hpvm__return(1, a);
    return;
  }
  __hpvm__return(1, b);
}

// CHECK: errors.c:[[#@LINE+5]]:1: error: node 'sometimes' can end here without giving its outputs; call '__hpvm__return' on every path [outputs]
void sometimes(int a) {
  __hpvm__hint(CPU_TARGET);
  if (a)
    __hpvm__return(1, a);
}

// CHECK: errors.c:[[#@LINE+5]]:3: error: node 'twice' can get here after it has given its outputs; leave the function after '__hpvm__return' [outputs]
void twice(int a) {
  __hpvm__hint(CPU_TARGET);
  if (a)
    __hpvm__return(1, a);
  __hpvm__return(1, a);
}

// CHECK: errors.c:[[#@LINE+6]]:25: error: this input in '__hpvm__attributes' is not a parameter of 'marks' [attributes]
// CHECK: errors.c:[[#@LINE+5]]:33: error: parameter 'n' has type 'long'; only pointers are named in '__hpvm__attributes' [attributes]
// CHECK: errors.c:[[#@LINE+5]]:3: error: '__hpvm__attributes' announces 2 outputs, but 1 follows [arguments]
// CHECK: errors.c:[[#@LINE+4]]:3: error: '__hpvm__attributes' is called twice in node function 'marks' [attributes]
int *global;
void marks(int *p, long n) {
  __hpvm__attributes(2, global, n, 1, p);
  __hpvm__attributes(1, p, 2, p);
  // CHECK: errors.c:[[#@LINE+1]]:16: error: tensor targets (CUDNN, TENSOR, PROMISE) are not supported; use 'CPU_TARGET', 'GPU_TARGET' or 'CPU_OR_GPU_TARGET' [hint]
  __hpvm__hint(CUDNN_TARGET);
  // CHECK: errors.c:[[#@LINE+3]]:3: error: '__hpvm__hint' is called twice in node function 'marks' [hint]
  // CHECK: errors.c:[[#@LINE-2]]:3: note: the first call is here
  // CHECK: errors.c:[[#@LINE+1]]:16: error: integer 6 names no target in HPVM 1.0 [hint]
  __hpvm__hint(6);
}

// CHECK: errors.c:[[#@LINE+1]]:5: error: node function 'number' returns 'int'; it must return void and give its outputs to '__hpvm__return' [node-function]
int number(int a) {
  __hpvm__hint(CPU_TARGET);
  return a;
}

void leaf(int a) {
  __hpvm__hint(CPU_TARGET);
  // CHECK: errors.c:[[#@LINE+1]]:3: error: '__hpvm__tensor_relu' is a tensor operation, and these are not compiled; write it as the code of a leaf node [tensor]
  __hpvm__tensor_relu(0);
}

void graph(int n, float f) {
  __hpvm__hint(CPU_TARGET);
  // CHECK: errors.c:[[#@LINE+1]]:3: error: '__hpvm__createNodeND' announces 2 dimensions, but 1 follows [arguments]
  __hpvm__createNodeND(2, leaf, n);
  // CHECK: errors.c:[[#@LINE+1]]:24: error: a node has 0 to 3 dimensions, but 4 are asked for [arguments]
  __hpvm__createNodeND(4, leaf, n, n, n, n);
  // CHECK: errors.c:[[#@LINE+1]]:24: error: the number of dimensions must be an integer constant in a call of '__hpvm__createNodeND' [constant]
  __hpvm__createNodeND(n, leaf);
  // CHECK: errors.c:[[#@LINE+1]]:33: error: an extent must be an integer, but this one has type 'float' [arguments]
  __hpvm__createNodeND(1, leaf, f);
  // CHECK: errors.c:[[#@LINE+1]]:3: error: internal node 'graph' has no values to return; bind a child's output with '__hpvm__bindOut' [outputs]
  __hpvm__return(1, n);
}

int main(void) {
  int arguments[2];
  // CHECK: errors.c:[[#@LINE+1]]:3: error: '__hpvm__launch' takes a constant, a root function and its arguments, but 2 arguments are given [arguments]
  __hpvm__launch(0, graph);
  // CHECK: errors.c:[[#@LINE+1]]:18: error: whether the graph streams must be an integer constant in a call of '__hpvm__launch' [constant]
  __hpvm__launch(arguments[0], graph, arguments);
  // CHECK: errors.c:[[#@LINE+1]]:28: error: the arguments of a launch are given as a pointer, but this has type 'int' [arguments]
  __hpvm__launch(0, graph, 5);
  // CHECK: errors.c:[[#@LINE+1]]:{{[0-9]+}}: error: '__hpvm__getNode' can only be called: it has no address [arguments]
  void *(*query)(void) = __hpvm__getNode;
  return query() != 0;
}
