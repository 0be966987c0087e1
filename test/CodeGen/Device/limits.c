// Kernels at the limits of devices: variables that are large on a driver's
// stack, extents of 0, nodes whose names meet, and many values.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: FileCheck %s --check-prefix=WARNING < %t.err
// RUN: %sluice build %s -I %S/Inputs --print=device | FileCheck %s

#include "graphs.h"

// Groups of an instance's own size, and groups whose items wait.
enum { many = 3000 };

NODE(large) {
  BEGIN long i = X(SELF);
  volatile int own[many];
  for (long k = 0; k < many; ++k)
    own[k] = in[(i + k) % Size];
  out[i] = own[i % many] + own[many - 1];
}
AROUND(largeRoot, large, 1, n)

NODE(largeItem) {
  BEGIN long i = X(SELF);
  volatile int own[many];
  for (long k = 0; k < many; ++k)
    own[k] = in[(i + k) % Size];
  __hpvm__barrier();
  out[X(PARENT(SELF)) * n + i] = own[i % many] + own[many - 1];
}
AROUND(waiting, largeItem, 1, n)
AROUND(waitingRoot, waiting, 1, 2)
// WARNING: node 'waitingRoot/waiting' cannot run on device opencl:0: 512 items per group with 12000 bytes of variables each, but opencl:0 has room for 2097152 bytes; it runs on the host
// WARNING-NOT: warning

// The group has one item, and neither child has instances.
NODE(wait) {
  BEGIN out[X(SELF)] += 1;
  __hpvm__barrier();
  out[X(SELF) + 100] += 5;
  __hpvm__return(1, outBytes);
}
NODE(after) { BEGIN out[X(SELF) + 50] += 1000; }
NODE(nobody) {
  BEGIN void *first = __hpvm__createNodeND(1, wait, (size_t)0);
  PASS(first)
  void *second = __hpvm__createNodeND(1, after, (size_t)0);
  PASS_AFTER(first, second)
}
AROUND(nobodyRoot, nobody, 1, 2)

// "r/s_t_2" and the second of "r/s_t" and "r_s/t" have one name in C.
// CHECK-DAG: node 'r/s_t' kernel 'sluice_r_s_t',
// CHECK-DAG: node 'r/s_t_2' kernel 'sluice_r_s_t_2',
// CHECK-DAG: node 'r_s/t' kernel 'sluice_r_s_t_3',
// CHECK-DAG: node 'q/s_t_2' kernel 'sluice_r_s_t_2',
NODE(s_t) {
  BEGIN out[X(SELF)] += 1;
  __hpvm__return(1, outBytes);
}
NODE(t) { BEGIN out[X(SELF) + 1000] += 10 + in[X(SELF)]; }
NODE(s_t_2) { BEGIN out[X(SELF) + 2000] ^= 100 + in[X(SELF)] * 3; }
NODE(r) {
  BEGIN void *first = __hpvm__createNodeND(1, s_t, n);
  PASS(first)
  void *second = __hpvm__createNodeND(1, s_t_2, n);
  PASS_AFTER(first, second)
}
AROUND(r_s, t, 1, n)
AROUND(q, s_t_2, 1, n)

// CHECK-DAG: node 'valuesRoot/sum' kernel {{.*}}{{$}}{{[[:space:]]+}}not in PTX: takes {{[0-9]+}} bytes of values, but CUDA devices at most 4096
// CHECK-DAG: node 'hugeRoot/huge' kernel {{.*}}{{$}}{{[[:space:]]+}}not in PTX: has 600000 bytes of variables in each instance, but CUDA devices at most 512000
typedef struct {
  int values[250];
} Values;
#define ADD(part)                                                              \
  for (int k = 0; k < 250; ++k)                                                \
    result += part.values[k] * (int)(X(SELF) + k);
void sum(int *out, size_t outBytes, Values a, Values b, Values c, Values d) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(0, 1, out);
  int result = 0;
  ADD(a) ADD(b) ADD(c) ADD(d) out[X(SELF)] = result;
}
void valuesRoot(int *out, size_t outBytes, Values a, Values b, Values c,
                Values d) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(0, 1, out);
  void *node = __hpvm__createNodeND(1, sum, (size_t)64);
  PASS(node)
}
struct __attribute__((packed)) ValuesArguments {
  int *out;
  size_t outBytes;
  Values a, b, c, d;
};
static void runValues(void) {
  static struct ValuesArguments arguments = {out, sizeof out};
  prepare();
  for (int i = 0; i < 250; ++i) {
    arguments.a.values[i] = arguments.b.values[i] = 3 * i;
    arguments.c.values[i] = arguments.d.values[i] = i * i;
  }
  llvm_hpvm_track_mem(out, sizeof out);
  __hpvm__wait(__hpvm__launch(0, valuesRoot, &arguments));
  llvm_hpvm_request_mem(out, sizeof out);
  llvm_hpvm_untrack_mem(out);
  print("values");
}

NODE(huge) {
  BEGIN volatile int own[150000];
  for (long k = 0; k < 150000; ++k)
    own[k] = in[(X(SELF) + k) % Size];
  out[X(SELF)] = own[(X(SELF) * 1001) % 150000];
}
AROUND(hugeRoot, huge, 1, n)

int main(void) {
  __hpvm__init();
  RUN(largeRoot, 2000, 1)
  RUN(waitingRoot, 512, 1)
  RUN(nobodyRoot, 64, 1)
  RUN(r, 64, 1)
  RUN(r_s, 64, 1)
  RUN(q, 64, 1)
  runValues();
  RUN(hugeRoot, 8, 1)
  __hpvm__cleanup();
  return 0;
}
