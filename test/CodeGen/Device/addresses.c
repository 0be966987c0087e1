// Addresses may be compared with null and within one argument, and not between
// arguments: the device has copies elsewhere.

// REQUIRES: pocl
// RUN: %sluice build --print=device %s -I %S/Inputs | FileCheck %s --check-prefix=REFUSED
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: FileCheck %s < %t.device
// RUN: FileCheck %s --check-prefix=WARNING < %t.err

#include "graphs.h"

// CHECK: nullRoot
static int valueOr(const int *p, int otherwise) { return p ? *p : otherwise; }
NODE(nulls) {
  BEGIN long i = X(SELF);
  const int *chosen = in[i] & 1 ? &in[i] : NULL;
  out[i] = valueOr(chosen, -7) + (in == NULL) + 2 * (out != NULL);
}
AROUND(nullRoot, nulls, 1, n)

// The first byte of local memory has the address 0 on some devices.
// CHECK: localRoot
void allocate(long count) {
  __hpvm__hint(TARGET);
  size_t bytes = count * sizeof(int);
  void *memory = __hpvm__malloc(bytes);
  __hpvm__return(2, memory, bytes);
}
void check(int *memory, size_t bytes, int *out, size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(2, memory, out, 2, memory, out);
  long i = X(SELF), at = X(PARENT(SELF)) * NX(SELF) + i;
  if (memory)
    memory[i] = (int)at;
  __hpvm__barrier();
  out[at] = memory != NULL ? memory[NX(SELF) - 1 - i] : -1;
}
NODE(localGroup) {
  BEGIN void *memory = __hpvm__createNodeND(0, allocate);
  __hpvm__bindIn(memory, 4, 0, 0);
  void *items = __hpvm__createNodeND(1, check, n);
  __hpvm__edge(memory, items, 1, 0, 0, 0);
  __hpvm__edge(memory, items, 1, 1, 1, 0);
  __hpvm__bindIn(items, 2, 2, 0);
  __hpvm__bindIn(items, 3, 3, 0);
}
AROUND(localRoot, localGroup, 1, m)

// CHECK: withinRoot
NODE(within) {
  BEGIN long i = X(SELF);
  const int *p = in + i, *end = in + n;
  int sum = 0;
  while (p < end && *p & 3)
    sum += *p++;
  out[i] = sum + (int)(end - p) + (p == in + i);
}
AROUND(withinRoot, within, 1, n)

// REFUSED-LABEL: kernels of plan 'betweenRoot'
// REFUSED: runs on the host: {{.*}}addresses.c:[[@LINE+7]]:{{[0-9]+}}: leaf 'between{{[^']*}}': compares addresses of two arguments, which are others on a device
// WARNING: node 'betweenRoot/between' runs on the host
// WARNING-NOT: runs on the host
// CHECK: betweenRoot
NODE(between) {
  BEGIN long i = X(SELF);
  out[i] = in + i < out ? in[i] : in[i];
  if (in == out)
    out[i] = 7;
}
AROUND(betweenRoot, between, 1, n)

int main(void) {
  __hpvm__init();
  RUN(nullRoot, 500, 0)
  RUN(localRoot, 32, 5)
  RUN(withinRoot, 100, 0)
  RUN(betweenRoot, 100, 0)
  __hpvm__cleanup();
  return 0;
}
