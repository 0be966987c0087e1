// Integers of any width up to 64 bits, as the program or LLVM makes them.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: count 0 < %t.err
// RUN: FileCheck %s < %t.device
// RUN: %sluice build --print=device %s -I %S/Inputs | FileCheck %s --check-prefix=DEVICE
// RUN: %sluice build --print=ptx %s -I %S/Inputs | FileCheck %s --check-prefix=PTX

#include "graphs.h"

// LLVM sees that this reverses ten bits.
// DEVICE-LABEL: define void @sluice_reverseRoot_reverse(
// DEVICE: llvm.bitreverse.i10
// PTX: .entry sluice_reverseRoot_reverse(
// CHECK: reverseRoot
NODE(reverse) {
  BEGIN long i = X(SELF), to = 0;
  for (int bit = 0; bit < 10; ++bit)
    to |= (i >> bit & 1) << (9 - bit);
  out[i] = (int)to;
}
AROUND(reverseRoot, reverse, 1, n)

// In memory, in registers, and from node to node.
typedef _BitInt(17) Odd;
typedef unsigned _BitInt(3) Small;
typedef _BitInt(49) Wide;
struct Fields {
  int low : 5;
  unsigned middle : 20;
  long high : 37;
  Odd odd;
};
void make(Odd odd, struct Fields fields, int *in, size_t inBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, in, 0);
  long i = X(SELF);
  odd = odd * 3 + (Odd)in[i];
  Small small = (Small)(in[i + 1] >> 3);
  Wide wide = (Wide)in[i] * (Wide)in[i + 1] - fields.high;
  fields.low += (int)i;
  fields.odd = odd / 7 % 1000;
  __hpvm__return(4, odd, small, wide, fields);
}
void use(Odd odd, Small small, Wide wide, struct Fields fields, int *out,
         size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  long i = X(SELF);
  Odd table[4] = {odd, (Odd)small, fields.odd, (Odd)(wide >> 20)};
  Small places[8];
  for (int k = 0; k < 8; ++k)
    places[k] = (Small)(k * small + fields.low);
  Odd sum = table[places[i & 7] & 3] << (small & 3);
  while (small++)
    sum += table[small & 3] >> small;
  out[i] = (int)sum + (int)(wide >> 31) * fields.low + (int)fields.middle;
}
void oddGraph(int *in, size_t inBytes, int *out, size_t outBytes, long n,
              long m, Odd odd, struct Fields fields) {
  BEGIN void *maker = __hpvm__createNodeND(1, make, n);
  __hpvm__bindIn(maker, 6, 0, 0);
  __hpvm__bindIn(maker, 7, 1, 0);
  __hpvm__bindIn(maker, 0, 2, 0);
  __hpvm__bindIn(maker, 1, 3, 0);
  void *user = __hpvm__createNodeND(1, use, n);
  __hpvm__edge(maker, user, 0, 0, 0, 0);
  __hpvm__edge(maker, user, 0, 1, 1, 0);
  __hpvm__edge(maker, user, 0, 2, 2, 0);
  __hpvm__edge(maker, user, 0, 3, 3, 0);
  __hpvm__bindIn(user, 2, 4, 0);
  __hpvm__bindIn(user, 3, 5, 0);
  __hpvm__bindOut(maker, 0, 0, 0);
  __hpvm__bindOut(maker, 2, 1, 0);
}
struct __attribute__((packed)) OddArguments {
  int *in;
  size_t inBytes;
  int *out;
  size_t outBytes;
  long n, m;
  Odd odd;
  struct Fields fields;
  Odd last;
  Wide lastWide;
};

int main(void) {
  __hpvm__init();
  RUN(reverseRoot, 1024, 0)
  prepare();
  struct OddArguments arguments = {
      in,  sizeof in, out, sizeof out, 200, 0, -4321, {-3, 77777, 1l << 35, 5},
      0, 0};
  llvm_hpvm_track_mem(in, sizeof in);
  llvm_hpvm_track_mem(out, sizeof out);
  __hpvm__wait(__hpvm__launch(0, oddGraph, &arguments));
  llvm_hpvm_request_mem(out, sizeof out);
  llvm_hpvm_untrack_mem(in);
  llvm_hpvm_untrack_mem(out);
  // CHECK: oddGraph: {{.*}}, the last change is at 199
  print("oddGraph");
  // CHECK-NEXT: last {{-?[0-9]+ -?[0-9]+}}
  printf("last %d %ld\n", (int)arguments.last, (long)arguments.lastWide);
  __hpvm__cleanup();
  return 0;
}
