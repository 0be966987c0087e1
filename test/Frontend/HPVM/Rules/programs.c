// Wrong programs in C and C++: messages name the places in the source, and what
// the user wrote.

// RUN: split-file --leading-lines %s %t
// RUN: not sluice-translate %t/cycle.c 2>&1 | FileCheck %s --check-prefix=CYCLE --implicit-check-not=error:
// RUN: not sluice-translate %t/types.cpp 2>&1 | FileCheck %s --check-prefix=TYPES --implicit-check-not=error:
// RUN: not sluice-translate %t/dimensions.c 2>&1 | FileCheck %s --check-prefix=DIMENSIONS --implicit-check-not=error:
// RUN: not sluice-translate %t/barrier.c 2>&1 | FileCheck %s --check-prefix=BARRIER --implicit-check-not=error:
// RUN: not sluice-translate %t/structure.c 2>&1 | FileCheck %s --check-prefix=STRUCTURE --implicit-check-not=error:
// RUN: not sluice-translate %t/arguments.c 2>&1 | FileCheck %s --check-prefix=ARGUMENTS --implicit-check-not=error:
// RUN: not sluice-translate %t/fields.c 2>&1 | FileCheck %s --check-prefix=FIELDS --implicit-check-not=error:
// RUN: not sluice-translate %t/pointers.c 2>&1 | FileCheck %s --check-prefix=POINTERS --implicit-check-not=error:
// RUN: not sluice-translate %t/streams.cpp 2>&1 | FileCheck %s --check-prefix=STREAMS --implicit-check-not=error:
// RUN: not sluice-translate %t/auxiliary.c 2>&1 | FileCheck %s --check-prefix=AUXILIARY --implicit-check-not=error:

//--- cycle.c
#include <hpvm.h>

void first(int value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, value);
}

void second(int value) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(1, value + 1);
}

void root(void) {
  __hpvm__hint(CPU_TARGET);
  void *a = __hpvm__createNodeND(0, first);
  void *b = __hpvm__createNodeND(0, second);
  __hpvm__edge(a, b, 1, 0, 0, 0);
  // CYCLE: cycle.c:[[@LINE+1]]:3: error: this edge from 'second' to 'first' closes a cycle; {{.*}} [H01]
  __hpvm__edge(b, a, 1, 0, 0, 0);
  // CYCLE: cycle.c:[[@LINE-3]]:3: note: 'first' feeds 'second' here
}

int main(void) {
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, 0));
  __hpvm__cleanup();
}

//--- types.cpp
// Two mistakes in one run, with C++ names.
#include <hpvm.h>

static void make(int seed) {
  __hpvm__hint(hpvm::CPU_TARGET);
  float height = seed * 0.5f;
  __hpvm__return(1, height);
}

static void take(double height) { __hpvm__hint(hpvm::CPU_TARGET); }

static void root(long seed) {
  __hpvm__hint(hpvm::CPU_TARGET);
  void *a = __hpvm__createNodeND(0, make);
  void *b = __hpvm__createNodeND(0, take);
  // TYPES: types.cpp:[[@LINE+1]]:3: error: input 0 'seed' of 'root' has type i64, but input 0 'seed' of 'make' has type i32; {{.*}} [H07]
  __hpvm__bindIn(a, 0, 0, 0);
  // TYPES: types.cpp:[[@LINE-6]]{{.*}}: note: 'root' is defined here
  // TYPES: types.cpp:[[@LINE-15]]{{.*}}: note: 'make' is defined here
  // TYPES: types.cpp:[[@LINE+1]]:3: error: output 0 'height' of 'make' has type float, but input 0 'height' of 'take' has type double; {{.*}} [H07]
  __hpvm__edge(a, b, 1, 0, 0, 0);
}

int main() {
  struct __attribute__((packed)) { long seed; } args = {1};
  __hpvm__init();
  __hpvm__wait(__hpvm__launch(0, root, &args));
  __hpvm__cleanup();
}

//--- dimensions.c
#include <hpvm.h>
#include <stddef.h>

void work(float *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__getNode();
  long x = __hpvm__getNodeInstanceID_x(node);
  // DIMENSIONS: dimensions.c:[[@LINE+1]]:12: error: 'getNodeInstanceID.y' asks for dimension y of 'work', but that node is replicated in 1 dimension; {{.*}} [H27]
  long y = __hpvm__getNodeInstanceID_y(node);
  void *root = __hpvm__getParentNode(node);
  // DIMENSIONS: dimensions.c:[[@LINE+1]]:18: error: 'getParentNode' asks for the parent of the root 'root', {{.*}} [H28]
  void *beyond = __hpvm__getParentNode(root);
  data[x + y] = 1;
}

void root(float *data, size_t bytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, work, n);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

//--- barrier.c
#include <hpvm.h>
#include <stddef.h>

void work(float *data, size_t bytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  long i = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  // BARRIER: barrier.c:[[@LINE+4]]:5: error: not every instance of 'work' reaches this barrier equally often; {{.*}} [H30]
  // BARRIER: barrier.c:[[@LINE+1]]:{{.*}}: note: instances of one work-group may take this branch differently
  if (i < n) {
    data[i] = i;
    __hpvm__barrier();
  }
}

void root(float *data, size_t bytes, long n) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, work, 64L);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
}

//--- structure.c
// The structure depends on an argument, and the root computes.
#include <hpvm.h>
#include <stdio.h>

void work(int value) { __hpvm__hint(CPU_TARGET); }

void root(int value, int count) {
  __hpvm__hint(CPU_TARGET);
  // STRUCTURE: structure.c:[[@LINE+1]]:3: error: internal node 'root' holds a call of 'puts', {{.*}} [H14]
  puts("creating nodes");
  // STRUCTURE: structure.c:[[@LINE+1]]:{{.*}}: error: internal node 'root' has control flow that depends on 'count', {{.*}} [H13]
  for (int i = 0; i < count; ++i) {
    void *node = __hpvm__createNodeND(0, work);
    __hpvm__bindIn(node, 0, 0, 0);
  }
}

//--- arguments.c
// The structure is padded where its type does not say 'packed', which is
// right; but it has no field for the result.
#include <hpvm.h>
#include <stdlib.h>

struct arguments {
  int value;
  long size;
};

void work(int value, long size) {
  __hpvm__hint(CPU_TARGET);
  double result = value + size;
  __hpvm__return(1, result);
}

void root(int value, long size) {
  __hpvm__hint(CPU_TARGET);
  void *node = __hpvm__createNodeND(0, work);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

int main(void) {
  __hpvm__init();
  struct arguments *arguments = malloc(sizeof(struct arguments));
  // ARGUMENTS: arguments.c:[[@LINE+1]]:17: error: the argument structure has 16 bytes, but the arguments and the result of 'root' need 20; {{.*}} [H41]
  void *graph = __hpvm__launch(0, root, (void *)arguments);
  // ARGUMENTS: arguments.c:[[@LINE-3]]: note: the structure is declared here
  __hpvm__wait(graph);
  __hpvm__cleanup();
}

//--- fields.c
// The fields stand in another order than the parameters.
#include <hpvm.h>

struct __attribute__((packed)) arguments {
  long size;
  int value;
};

void work(int value, long size) { __hpvm__hint(CPU_TARGET); }

void root(int value, long size) {
  __hpvm__hint(CPU_TARGET);
  void *node = __hpvm__createNodeND(0, work);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}

int main(void) {
  struct arguments arguments = {3, 4};
  __hpvm__init();
  // FIELDS: fields.c:[[@LINE+1]]:17: error: the argument structure 'arguments' does not fit 'root': field 0 'size' has 8 bytes, but input 0 'value' of 'root' of type i32 has 4; {{.*}} [H41]
  void *graph = __hpvm__launch(0, root, &arguments);
  // FIELDS: fields.c:[[@LINE-4]]: note: the structure is declared here
  __hpvm__wait(graph);
  __hpvm__cleanup();
}

//--- pointers.c
#include <hpvm.h>
#include <stddef.h>

// POINTERS: pointers.c:[[@LINE+1]]: error: input 0 'data' of 'first' is a pointer without in or out; {{.*}} [H32]
void first(float *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__return(2, data, bytes);
}

// POINTERS: pointers.c:[[@LINE+1]]: error: input 0 'data' of 'second' is a pointer and must be followed by its size in bytes as i64, but it is followed by i32; {{.*}} [H31]
void second(float *data, int count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 0);
}

void root(float *data, size_t bytes, int count) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 0);
  void *a = __hpvm__createNodeND(0, first);
  void *b = __hpvm__createNodeND(0, second);
  __hpvm__bindIn(a, 0, 0, 0);
  __hpvm__bindIn(a, 1, 1, 0);
  // POINTERS: pointers.c:[[@LINE+1]]:3: error: this edge carries the pointer output 0 'data' of 'first', {{.*}} [H33]
  __hpvm__edge(a, b, 1, 0, 0, 0);
  // POINTERS: pointers.c:[[@LINE-4]]:3: note: the pointer is input 0 'data' of 'root', which the host passes
  __hpvm__bindIn(b, 2, 1, 0);
}

//--- streams.cpp
#include <hpvm.h>

void work(int value) {
  __hpvm__hint(hpvm::CPU_TARGET);
  __hpvm__return(1, value);
}

void root(int value) {
  __hpvm__hint(hpvm::CPU_TARGET);
  void *node = __hpvm__createNodeND(0, work);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindOut(node, 0, 0, 0);
}

int main() {
  struct __attribute__((packed)) {
    int value;
    int result;
  } args = {1, 0};
  __hpvm__init();
  void *graph = __hpvm__launch(0, root, &args);
  // STREAMS: streams.cpp:[[@LINE+1]]:3: error: 'push' needs a streaming launch, {{.*}} [H43]
  __hpvm__push(graph, &args);
  // STREAMS: streams.cpp:[[@LINE-3]]:17: note: it is launched here
  // STREAMS: streams.cpp:[[@LINE+1]]:3: error: 'pop' needs a streaming launch, {{.*}} [H43]
  __hpvm__pop(graph);
  // STREAMS: note: it is launched here
  __hpvm__wait(graph);
  __hpvm__cleanup();
}

//--- auxiliary.c
#include <hpvm.h>
#include <stddef.h>

static long ownIndex(void) {
  // AUXILIARY: auxiliary.c:[[@LINE+2]]:10: error: 'getNodeInstanceID.x' is used in 'ownIndex', an auxiliary function of a node; {{.*}} [H24]
  // AUXILIARY: auxiliary.c:[[@LINE+1]]:38: error: 'getNode' is used in 'ownIndex', an auxiliary function of a node; {{.*}} [H24]
  return __hpvm__getNodeInstanceID_x(__hpvm__getNode());
}

void work(float *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  data[ownIndex()] = 1;
}

void root(float *data, size_t bytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, data, 1, data);
  void *node = __hpvm__createNodeND(1, work, 64L);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
}
