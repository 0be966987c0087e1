// Nodes whose instances run several children: a work-group's memory, values
// between children, children of different extents, and graphs in graphs.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: count 0 < %t.err
// RUN: FileCheck %s < %t.device

#include "graphs.h"

// Memory whose size is an input, used by two children: one waits inside, the
// other has more instances than the group has items.
void allocate(long count) {
  __hpvm__hint(TARGET);
  size_t bytes = count * sizeof(int);
  void *memory = __hpvm__malloc(bytes);
  __hpvm__return(2, memory, bytes);
}

#define LOCAL_ATTRIBUTES                                                       \
  __hpvm__hint(TARGET);                                                        \
  __hpvm__attributes(3, memory, in, out, 2, memory, out);

void turn(int *memory, size_t memoryBytes, int *in, size_t inBytes, int *out,
          size_t outBytes) {
  LOCAL_ATTRIBUTES
  long i = X(SELF), count = NX(SELF), group = X(PARENT(SELF));
  memory[i] = in[group * count + i];
  __hpvm__barrier();
  int turned = memory[count - 1 - i];
  __hpvm__barrier();
  memory[i] = turned + 1;
  __hpvm__return(2, memory, memoryBytes);
}
void spread(int *memory, size_t memoryBytes, int *in, size_t inBytes, int *out,
            size_t outBytes) {
  LOCAL_ATTRIBUTES
  long y = Y(SELF), x = X(SELF), group = X(PARENT(SELF));
  long at = (group * NY(SELF) + y) * NX(SELF) + x;
  out[at] = memory[x] + in[at] * (int)y;
}

#define LOCAL_EDGES(source, node)                                              \
  __hpvm__edge(source, node, 1, 0, 0, 0);                                      \
  __hpvm__edge(source, node, 1, 1, 1, 0);                                      \
  __hpvm__bindIn(node, 0, 2, 0);                                               \
  __hpvm__bindIn(node, 1, 3, 0);                                               \
  __hpvm__bindIn(node, 2, 4, 0);                                               \
  __hpvm__bindIn(node, 3, 5, 0);

NODE(memoryGroup) {
  BEGIN void *memory = __hpvm__createNodeND(0, allocate);
  __hpvm__bindIn(memory, 4, 0, 0);
  void *first = __hpvm__createNodeND(1, turn, n);
  LOCAL_EDGES(memory, first)
  void *second = __hpvm__createNodeND(2, spread, n, m);
  LOCAL_EDGES(first, second)
}
// CHECK: memoryRoot: {{.*}}, the last change is at 999
AROUND(memoryRoot, memoryGroup, 1, 10)

// Values: of one child that reads memory, of the last instance, of each
// instance; and an extent that differs between groups.
void choose(int *in, size_t inBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, in, 0);
  long count = 3 + (in[X(PARENT(SELF))] & 31);
  int key = in[X(PARENT(SELF))] & 0xff;
  __hpvm__return(2, count, key);
}
void square(int key, int *in, size_t inBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, in, 0);
  long i = X(SELF);
  int value = (in[i] & 0xff) * key;
  double half = value / 2.0;
  __hpvm__return(4, value, half, i, half);
}
void combine(int value, double half, long last, double lastHalf, int *out,
             size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  long group = X(PARENT(SELF)), i = X(SELF);
  out[group * 40 + i] = value + (int)half + (int)last + (int)lastHalf;
  __hpvm__return(1, value);
}
NODE(valueGroup) {
  BEGIN void *chooser = __hpvm__createNodeND(0, choose);
  __hpvm__bindIn(chooser, 0, 0, 0);
  __hpvm__bindIn(chooser, 1, 1, 0);
  void *squares = __hpvm__createNodeND(1, square, m);
  __hpvm__edge(chooser, squares, 1, 1, 0, 0);
  __hpvm__bindIn(squares, 0, 1, 0);
  __hpvm__bindIn(squares, 1, 2, 0);
  void *sums = __hpvm__createNodeND(1, combine, m);
  __hpvm__edge(squares, sums, 0, 0, 0, 0);
  __hpvm__edge(squares, sums, 0, 1, 1, 0);
  __hpvm__edge(squares, sums, 1, 2, 2, 0);
  __hpvm__edge(squares, sums, 1, 3, 3, 0);
  __hpvm__bindIn(sums, 2, 4, 0);
  __hpvm__bindIn(sums, 3, 5, 0);
  __hpvm__bindOut(sums, 0, 0, 0);
}
void finish(int last, int *out, size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  out[8000 + X(SELF)] = last + (int)X(SELF);
}
// CHECK: valueRoot: {{.*}}, the last change is at 8004
NODE(valueRoot) {
  BEGIN void *groups = __hpvm__createNodeND(2, valueGroup, n, 1l);
  PASS(groups)
  void *end = __hpvm__createNodeND(1, finish, 5l);
  __hpvm__edge(groups, end, 1, 0, 0, 0);
  __hpvm__bindIn(end, 2, 1, 0);
  __hpvm__bindIn(end, 3, 2, 0);
}

// As many instances as an earlier child of the group says.
void fill(int key, int *out, size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  out[X(PARENT(SELF)) * 40 + X(SELF)] = key + (int)NX(SELF);
}
NODE(ownGroup) {
  BEGIN void *chooser = __hpvm__createNodeND(0, choose);
  __hpvm__bindIn(chooser, 0, 0, 0);
  __hpvm__bindIn(chooser, 1, 1, 0);
  void *filler = __hpvm__createNodeND(1, fill, n);
  __hpvm__edge(chooser, filler, 1, 1, 0, 0);
  __hpvm__bindIn(filler, 2, 1, 0);
  __hpvm__bindIn(filler, 3, 2, 0);
}
// CHECK: ownRoot: {{.*}}, the last change is at 2756
AROUND(ownRoot, ownGroup, 1, m)

// A replicated graph in a group: its instances run one after another and reuse
// their local memory.
NODE(innerGraph) {
  BEGIN void *memory = __hpvm__createNodeND(0, allocate);
  __hpvm__bindIn(memory, 4, 0, 0);
  void *first = __hpvm__createNodeND(1, turn, n);
  LOCAL_EDGES(memory, first)
  void *second = __hpvm__createNodeND(2, spread, n, m);
  LOCAL_EDGES(first, second)
}
NODE(before) {
  BEGIN long group = X(PARENT(SELF));
  if (X(SELF) == 0)
    out[6000 + group] = in[group];
}
NODE(outerGraph) {
  BEGIN void *start = __hpvm__createNodeND(1, before, 3l);
  PASS(start)
  void *inner = __hpvm__createNodeND(1, innerGraph, 4l);
  PASS(inner)
}
// CHECK: nestedRoot: {{.*}}, the last change is at 6000
AROUND(nestedRoot, outerGraph, 1, 1)

// Without instances a child's values are zero.
NODE(zeroGroup) {
  BEGIN void *chooser = __hpvm__createNodeND(0, choose);
  __hpvm__bindIn(chooser, 0, 0, 0);
  __hpvm__bindIn(chooser, 1, 1, 0);
  void *squares = __hpvm__createNodeND(1, square, m);
  __hpvm__edge(chooser, squares, 1, 1, 0, 0);
  __hpvm__bindIn(squares, 0, 1, 0);
  __hpvm__bindIn(squares, 1, 2, 0);
  void *filler = __hpvm__createNodeND(1, fill, n);
  __hpvm__edge(squares, filler, 1, 0, 0, 0);
  __hpvm__bindIn(filler, 2, 1, 0);
  __hpvm__bindIn(filler, 3, 2, 0);
}
// CHECK: zeroRoot: {{.*}}, the last change is at 96
AROUND(zeroRoot, zeroGroup, 1, 3)

int main(void) {
  __hpvm__init();
  RUN(memoryRoot, 20, 5)
  RUN(valueRoot, 12, 33)
  RUN(ownRoot, 37, 69)
  RUN(nestedRoot, 24, 13)
  RUN(zeroRoot, 17, 0)
  __hpvm__cleanup();
  return 0;
}
