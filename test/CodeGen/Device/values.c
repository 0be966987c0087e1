// Values of all kinds, atomics, tables and own variables.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: count 0 < %t.err
// RUN: FileCheck %s < %t.device

#include "graphs.h"

#include <stdbool.h>

// CHECK: tableRoot
static const short table[] = {5, -3, 17, 1, 0, 99, -1000, 12};
static const struct {
  float scale;
  char shift;
} pairs[2] = {{1.5f, 1}, {-0.25f, 3}};
NODE(tables) {
  BEGIN long i = X(SELF);
  out[i] = table[in[i] & 7] + (int)(pairs[i & 1].scale * (in[i] & 255)) +
           (in[i] >> pairs[in[i] & 1].shift);
}
AROUND(tableRoot, tables, 1, n)

// Variables whose addresses are passed, and arrays.
// CHECK: ownRoot
static void split(int value, int *high, int *low) {
  *high = value >> 8;
  *low = value & 255;
}
NODE(own) {
  BEGIN long i = X(SELF);
  int high, low, digits[16];
  split(in[i], &high, &low);
  memset(digits, 0, sizeof digits);
  for (int k = 0; k < 40; ++k)
    digits[(high + k * low) & 15] += k;
  int copy[16];
  memcpy(copy, digits, sizeof copy);
  out[i] = copy[low & 15] * 1000 + digits[high & 15];
}
AROUND(ownRoot, own, 1, n)

// CHECK: atomicRoot
NODE(atomics) {
  BEGIN long i = X(SELF);
  int v = in[i] & 1023;
  __hpvm__atomic_add(&out[0], v);
  __hpvm__atomic_sub(&out[1], v);
  __hpvm__atomic_min(&out[2], v - 500);
  __hpvm__atomic_max(&out[3], v - 500);
  __hpvm__atomic_umin(&out[4], v + 1);
  __hpvm__atomic_umax(&out[5], v);
  __hpvm__atomic_and(&out[6], v | 0x7000);
  __hpvm__atomic_or(&out[7], v);
  __hpvm__atomic_xor(&out[8], v);
  __hpvm__atomic_inc(&out[9]);
  __hpvm__atomic_dec(&out[10]);
  __hpvm__atomic_add_i64((long *)&out[12], v * 1000000l);
  if (i == 5)
    __hpvm__atomic_xchg(&out[14], 77);
  if (i == 9)
    __hpvm__atomic_cmpxchg(&out[15], 15, 78);
}
AROUND(atomicRoot, atomics, 1, n)

// Structures by value: as arguments, and from node to node.
typedef float Vector __attribute__((vector_size(16)));
typedef struct {
  char c;
  bool flag;
  short s[3];
  double d;
  struct {
    long l;
    float f;
  } inner;
} Mixed;

void use(int *out, size_t outBytes, Mixed mixed, Vector vector) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  long i = X(SELF);
  out[i] += mixed.c + mixed.s[i % 3] + (int)mixed.d * 3 + (int)mixed.inner.l +
            (int)(mixed.inner.f * 4) + (mixed.flag ? 1000 : 2000) +
            (int)vector[i & 3];
}
void make(Mixed mixed, Vector vector, long n) {
  __hpvm__hint(TARGET);
  mixed.c += (char)X(SELF);
  mixed.flag = !mixed.flag;
  mixed.s[1] += (short)n;
  mixed.inner.f *= 2;
  vector = vector + vector;
  __hpvm__return(2, mixed, vector);
}
void structRoot(int *out, size_t outBytes, Mixed mixed, Vector vector, long n) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  void *maker = __hpvm__createNodeND(1, make, 5l);
  __hpvm__bindIn(maker, 2, 0, 0);
  __hpvm__bindIn(maker, 3, 1, 0);
  __hpvm__bindIn(maker, 4, 2, 0);
  void *first = __hpvm__createNodeND(1, use, n);
  __hpvm__bindIn(first, 0, 0, 0);
  __hpvm__bindIn(first, 1, 1, 0);
  __hpvm__edge(maker, first, 1, 0, 2, 0);
  __hpvm__edge(maker, first, 1, 1, 3, 0);
  __hpvm__bindOut(maker, 0, 0, 0);
}
struct __attribute__((packed)) StructArguments {
  int *out;
  size_t outBytes;
  Mixed mixed;
  Vector vector;
  long n;
  Mixed result;
};

// One-to-one values, last values, and an extent that a node computes.
// CHECK: arrayRoot
void produce(int *in, size_t inBytes, long n) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, in, 0);
  long i = X(SELF);
  int value = in[i] & 0xffff;
  long half = n / 2 + i;
  __hpvm__return(3, value, half, inBytes);
}
void consume(int value, int *out, size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  out[X(SELF)] = value * 2 + 1;
}
void count(long last, int *out, size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(1, out, 1, out);
  out[4000 + X(SELF)] = (int)last + (int)NX(SELF);
}
NODE(arrayRoot) {
  BEGIN void *producer = __hpvm__createNodeND(1, produce, n);
  __hpvm__bindIn(producer, 0, 0, 0);
  __hpvm__bindIn(producer, 1, 1, 0);
  __hpvm__bindIn(producer, 4, 2, 0);
  void *consumer = __hpvm__createNodeND(1, consume, n);
  __hpvm__edge(producer, consumer, 0, 0, 0, 0);
  __hpvm__bindIn(consumer, 2, 1, 0);
  __hpvm__bindIn(consumer, 3, 2, 0);
  void *counter = __hpvm__createNodeND(1, count, m);
  __hpvm__edge(producer, counter, 1, 1, 0, 0);
  __hpvm__bindIn(counter, 2, 1, 0);
  __hpvm__bindIn(counter, 3, 2, 0);
}

int main(void) {
  __hpvm__init();
  RUN(tableRoot, 1000, 0)
  RUN(ownRoot, 1000, 0)
  RUN(atomicRoot, 777, 0)
  RUN(arrayRoot, 321, 40)
  prepare();
  struct StructArguments arguments = {
      out, sizeof out, {1, 1, {2, 3, 4}, 5.5, {6, 7.25f}}, {1, 2, 3, 4}, 100};
  llvm_hpvm_track_mem(out, sizeof out);
  __hpvm__wait(__hpvm__launch(0, structRoot, &arguments));
  llvm_hpvm_request_mem(out, sizeof out);
  llvm_hpvm_untrack_mem(out);
  // CHECK: structRoot
  print("structRoot");
  // CHECK: 5 0 2 103 4 5.5 6 14.5
  Mixed r = arguments.result;
  printf("%d %d %d %d %d %g %ld %g\n", r.c, r.flag, r.s[0], r.s[1], r.s[2], r.d,
         r.inner.l, r.inner.f);
  __hpvm__cleanup();
  return 0;
}
