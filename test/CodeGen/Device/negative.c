// Negative extents of children are errors on the host, also of a device's
// nodes where the host knows them before the launch.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=opencl %t | FileCheck %s
// RUN: not env SLUICE_DEVICE=opencl %t known 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: not env SLUICE_DEVICE=host %t known 2>&1 | FileCheck %s --check-prefix=KNOWN

#include "graphs.h"

NODE(add) {
  BEGIN out[10 * X(PARENT(SELF)) + 2 * Y(SELF) + X(SELF)] += 5;
  __hpvm__return(1, outBytes);
}
NODE(addLater) {
  BEGIN out[10 * X(PARENT(SELF)) + 5 + X(SELF)] += 7;
}
// Two of them are no more instances than one.
// KNOWN: child '{{.*}}add' has a negative extent
NODE(knownGroup) {
  BEGIN void *first = __hpvm__createNodeND(2, add, n, m);
  PASS(first)
  void *second = __hpvm__createNodeND(1, addLater, 3l);
  PASS_AFTER(first, second)
}
AROUND(knownRoot, knownGroup, 1, 3)

// What only the device knows counts as none there.
void choose(long n) {
  __hpvm__hint(TARGET);
  long count = n - X(PARENT(SELF));
  __hpvm__return(1, count);
}
NODE(addInner) {
  BEGIN out[10 * X(PARENT(PARENT(SELF))) + 2 * Y(SELF) + X(SELF)] += 5;
}
AROUND(inner, addInner, 2, n, n)
NODE(readGroup) {
  BEGIN void *chooser = __hpvm__createNodeND(0, choose);
  __hpvm__bindIn(chooser, 4, 0, 0);
  void *node = __hpvm__createNodeND(0, inner);
  __hpvm__bindIn(node, 0, 0, 0);
  __hpvm__bindIn(node, 1, 1, 0);
  __hpvm__bindIn(node, 2, 2, 0);
  __hpvm__bindIn(node, 3, 3, 0);
  __hpvm__edge(chooser, node, 1, 0, 4, 0);
  __hpvm__bindIn(node, 5, 5, 0);
}
AROUND(readRoot, readGroup, 1, 5)

int main(int argc, char **argv) {
  __hpvm__init();
  // CHECK: knownRoot: {{.*}}, the last change is at 27
  RUN(knownRoot, 2, 2)
  if (argc > 1)
    RUN(knownRoot, -2, -2)
  // CHECK: readRoot: {{.*}}, the last change is at 10
  RUN(readRoot, 2, 2)
  __hpvm__cleanup();
  return 0;
}
