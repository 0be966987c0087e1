// Leaves of one to four levels and one to three dimensions, with and without
// barriers, compute on a device what they compute on the host.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: count 0 < %t.err
// RUN: FileCheck %s < %t.device

#include "graphs.h"

// CHECK: oneRoot: {{.*}}, the last change is at 999
NODE(one) {
  BEGIN long i = X(SELF);
  out[i] = in[i] * 3 + NX(SELF) + __hpvm__getNumDims(SELF);
}
AROUND(oneRoot, one, 1, n * 10)

// CHECK: twoRoot: {{.*}}, the last change is at 1208
NODE(two) {
  BEGIN long x = X(SELF), y = Y(SELF);
  out[y * NX(SELF) + x] = in[x * NY(SELF) + y] + 1;
}
AROUND(twoRoot, two, 2, m + 6, 93)

// CHECK: threeRoot: {{.*}}, the last change is at 272
NODE(three) {
  BEGIN long at = (Z(SELF) * NY(SELF) + Y(SELF)) * NX(SELF) + X(SELF);
  out[at] = in[at] ^ (int)(X(SELF) * 100 + Y(SELF) * 10 + Z(SELF));
}
AROUND(threeRoot, three, 3, m, 3, m + 6)

// Groups of more instances than a device may have items.
// CHECK: wideRoot: {{.*}}, the last change is at 6999
NODE(wide) {
  BEGIN long at = X(PARENT(SELF)) * NX(SELF) * NY(SELF) + Y(SELF) * NX(SELF);
  out[at + X(SELF)] = in[at + X(SELF)] + (int)NX(PARENT(SELF));
}
AROUND(wideGroup, wide, 2, n * 7, m - 5)
AROUND(wideRoot, wideGroup, 1, 5)

// CHECK: smallRoot: {{.*}}, the last change is at 699
NODE(small) {
  BEGIN long at = (Y(PARENT(SELF)) * NX(PARENT(SELF)) + X(PARENT(SELF))) * 7;
  out[at + X(SELF)] = in[at + 6 - X(SELF)];
}
AROUND(smallGroup, small, 1, 7)
AROUND(smallRoot, smallGroup, 2, 10, n / 10)

// CHECK: deepRoot: {{.*}}, the last change is at 719
NODE(deep) {
  BEGIN void *self = SELF, *a = PARENT(self), *b = PARENT(a), *c = PARENT(b);
  long at = X(c) * NY(b) * NX(b) + Y(b) * NX(b) + X(b);
  at = (at * NX(a) + X(a)) * NX(self) + X(self);
  out[at] = in[at] + (int)(X(c) * 1000 + Y(b) * 100 + X(b) * 10 + X(a));
}
AROUND(deepC, deep, 1, 12)
AROUND(deepB, deepC, 1, 5)
AROUND(deepA, deepB, 2, 2, m - 4)
AROUND(deepRoot, deepA, 1, 2)

// CHECK: thirdRoot: {{.*}}, the last change is at 839
NODE(third) {
  BEGIN void *self = SELF, *a = PARENT(self), *b = PARENT(a);
  long at = ((Y(b) * NX(b) + X(b)) * NX(a) + X(a)) * NX(self) + X(self);
  out[at] = in[at] * (int)(Y(b) + 2) + (int)X(a);
}
AROUND(thirdB, third, 1, 20)
AROUND(thirdA, thirdB, 1, m - 1)
AROUND(thirdRoot, thirdA, 2, 3, 2)

// One group.
// CHECK: groupRoot: {{.*}}, the last change is at 63
NODE(group) {
  BEGIN long i = X(SELF), count = NX(SELF);
  out[i] = in[i];
  __hpvm__barrier();
  int other = out[count - 1 - i];
  __hpvm__barrier();
  out[i] = other + in[i];
}
AROUND(groupRoot, group, 1, 64)

// A barrier in a loop, in groups.
// CHECK: scanRoot: {{.*}}, the last change is at 639
NODE(scan) {
  BEGIN long i = X(SELF), count = NX(SELF);
  long at = X(PARENT(SELF)) * count;
  for (long step = 1; step < count; step *= 2) {
    int add = i >= step ? out[at + i - step] : 0;
    __hpvm__barrier();
    out[at + i] += add;
    __hpvm__barrier();
  }
}
AROUND(scanGroup, scan, 1, m * 2)
AROUND(scanRoot, scanGroup, 1, n / 3)

// The only instance of its group has nothing to wait for.
// CHECK: aloneRoot: {{.*}}, the last change is at 99
NODE(alone) {
  BEGIN long i = X(PARENT(SELF));
  out[i] = in[i];
  __hpvm__barrier();
  out[i] += in[i + 1];
}
NODE(aloneGroup) {
  BEGIN void *node = __hpvm__createNodeND(0, alone);
  PASS(node)
}
AROUND(aloneRoot, aloneGroup, 1, n)

// CHECK: noneRoot: {{.*}}, the last change is at 0
AROUND(noneRoot, one, 1, n - 100)

int main(void) {
  __hpvm__init();
  RUN(oneRoot, 100, 0)
  RUN(twoRoot, 0, 7)
  RUN(threeRoot, 0, 7)
  RUN(wideRoot, 100, 7)
  RUN(smallRoot, 100, 0)
  RUN(deepRoot, 0, 7)
  RUN(thirdRoot, 0, 8)
  RUN(groupRoot, 0, 0)
  RUN(scanRoot, 60, 16)
  RUN(aloneRoot, 100, 0)
  RUN(noneRoot, 100, 0)
  __hpvm__cleanup();
  return 0;
}
