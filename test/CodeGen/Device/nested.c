// Graphs in graphs: one that stands twice in a group with extents of its own,
// and groups whose launches are two and three levels deep.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: count 0 < %t.err
// RUN: FileCheck %s < %t.device
// RUN: %sluice build --print=device %s -I %S/Inputs | FileCheck %s --check-prefix=LEVELS

#include "graphs.h"

// Two arrays of local memory, of the larger size of both uses, and values for
// each instance.
void allocate(long count) {
  __hpvm__hint(TARGET);
  size_t bytes = count * sizeof(int);
  void *memory = __hpvm__malloc(bytes);
  __hpvm__return(2, memory, bytes);
}
#define CHAIN(name)                                                            \
  void name(int *memory, size_t memoryBytes, int *in, size_t inBytes,          \
            int *out, size_t outBytes, int value)
#define CHAIN_ATTRIBUTES                                                       \
  __hpvm__hint(TARGET);                                                        \
  __hpvm__attributes(3, memory, in, out, 2, memory, out);
void digits(int *in, size_t inBytes, long offset) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, in, 0);
  int value = in[X(SELF) + offset] & 1023;
  __hpvm__return(2, value, value);
}
CHAIN(fill) {
  CHAIN_ATTRIBUTES
  long i = X(SELF);
  memory[i] = value + (int)i;
  __hpvm__return(2, memory, memoryBytes);
}
CHAIN(add) {
  CHAIN_ATTRIBUTES
  long i = X(SELF), group = X(PARENT(PARENT(SELF)));
  out[100 * group + i] += memory[NX(SELF) - 1 - i] * (value | 1);
  __hpvm__return(1, outBytes);
}
void part(int *in, size_t inBytes, int *out, size_t outBytes, long count,
          long offset) {
  BEGIN void *memory = __hpvm__createNodeND(0, allocate);
  __hpvm__bindIn(memory, 4, 0, 0);
  void *values = __hpvm__createNodeND(1, digits, count);
  __hpvm__bindIn(values, 0, 0, 0);
  __hpvm__bindIn(values, 1, 1, 0);
  __hpvm__bindIn(values, 5, 2, 0);
  void *first = __hpvm__createNodeND(1, fill, count);
  __hpvm__edge(memory, first, 1, 0, 0, 0);
  __hpvm__edge(memory, first, 1, 1, 1, 0);
  __hpvm__bindIn(first, 0, 2, 0);
  __hpvm__bindIn(first, 1, 3, 0);
  __hpvm__bindIn(first, 2, 4, 0);
  __hpvm__bindIn(first, 3, 5, 0);
  __hpvm__edge(values, first, 0, 0, 6, 0);
  void *second = __hpvm__createNodeND(1, add, count);
  __hpvm__edge(first, second, 1, 0, 0, 0);
  __hpvm__edge(first, second, 1, 1, 1, 0);
  __hpvm__bindIn(second, 0, 2, 0);
  __hpvm__bindIn(second, 1, 3, 0);
  __hpvm__bindIn(second, 2, 4, 0);
  __hpvm__bindIn(second, 3, 5, 0);
  __hpvm__edge(values, second, 0, 1, 6, 0);
  __hpvm__bindOut(second, 0, 0, 0);
}
#define PART(node, count, offset)                                              \
  __hpvm__bindIn(node, 0, 0, 0);                                               \
  __hpvm__bindIn(node, 1, 1, 0);                                               \
  __hpvm__bindIn(node, 2, 2, 0);                                               \
  __hpvm__bindIn(node, count, 4, 0);                                           \
  __hpvm__bindIn(node, offset, 5, 0);
NODE(twiceGroup) {
  BEGIN void *one = __hpvm__createNodeND(0, part);
  PART(one, 4, 5)
  __hpvm__bindIn(one, 3, 3, 0);
  void *two = __hpvm__createNodeND(0, part);
  PART(two, 5, 4)
  __hpvm__edge(one, two, 1, 0, 3, 0);
}
// CHECK: twiceRoot: {{.*}}, the last change is at 490
AROUND(twiceRoot, twiceGroup, 1, 5)

// A group below two and three levels.
// LEVELS: kernel 'sluice_deepRoot_{{.*}}', groups of level 2, a launch for each instance of 2 levels
// One kernel does for both: the parameters say what is launched.
// LEVELS: node 'deeperRoot/deeperGroup' kernel 'sluice_deepRoot_pairPairs', groups of level 3, a launch for each instance of 3 levels
NODE(first) {
  BEGIN long i = X(SELF);
  void *group = PARENT(SELF), *outer = PARENT(group), *most = PARENT(outer);
  long at = ((X(most) * NX(outer) + X(outer)) * NX(group) + X(group)) * 40;
  out[at + i] = in[at + i] + (int)(i * X(outer));
  __hpvm__return(1, outBytes);
}
NODE(second) {
  BEGIN long i = X(SELF);
  void *group = PARENT(SELF), *outer = PARENT(group), *most = PARENT(outer);
  long at = ((X(most) * NX(outer) + X(outer)) * NX(group) + X(group)) * 40;
  int turned = out[at + NX(SELF) - 1 - i];
  __hpvm__barrier();
  out[at + i] = turned * 3 + (int)(Y(outer) + X(most));
}
NODE(pair) {
  BEGIN void *a = __hpvm__createNodeND(1, first, n);
  PASS(a)
  void *b = __hpvm__createNodeND(1, second, n);
  PASS_AFTER(a, b)
}
AROUND(pairs, pair, 1, m)
AROUND(pairPairs, pairs, 2, 3, 1)
// CHECK: deepRoot: {{.*}}, the last change is at {{[0-9]+}}
AROUND(deepRoot, pairPairs, 1, 2)
AROUND(deeperGroup, pairPairs, 1, 2)
// CHECK: deeperRoot: {{.*}}, the last change is at {{[0-9]+}}
AROUND(deeperRoot, deeperGroup, 1, 1)

int main(void) {
  __hpvm__init();
  RUN(twiceRoot, 37, 91)
  RUN(deepRoot, 33, 4)
  RUN(deeperRoot, 40, 5)
  __hpvm__cleanup();
  return 0;
}
