// Atomics of 8 to 64 bits and of floats, in global and local memory and in the
// instance's own.

// REQUIRES: pocl
// RUN: %sluice build %s -I %S/Inputs -o %t
// RUN: env SLUICE_DEVICE=host %t > %t.host
// RUN: env SLUICE_DEVICE=opencl %t > %t.device 2> %t.err
// RUN: diff %t.host %t.device
// RUN: count 0 < %t.err
// RUN: FileCheck %s < %t.device

#include "graphs.h"

// CHECK: longRoot
NODE(longs) {
  BEGIN long i = X(SELF), v = ((long)in[i] << 20) - in[i + 1];
  long *sums = (long *)out;
  __hpvm__atomic_add_i64(&sums[0], v);
  __hpvm__atomic_sub_i64(&sums[1], v);
  __hpvm__atomic_min_i64(&sums[2], v);
  __hpvm__atomic_max_i64(&sums[3], v);
  __hpvm__atomic_umin_i64(&sums[4], v);
  __hpvm__atomic_umax_i64(&sums[5], v);
  __hpvm__atomic_and_i64(&sums[6], v | 1);
  __hpvm__atomic_or_i64(&sums[7], v & 0xffff0000ffff);
  __hpvm__atomic_xor_i64(&sums[8], v);
  // The old values of one instance's own numbers are known.
  long *own = sums + 9 + 3 * i;
  own[1] = __hpvm__atomic_xchg_i64(&own[0], v);
  own[2] = __hpvm__atomic_max_i64(&own[0], v + i - 50) +
           __hpvm__atomic_xchg_i64(&own[0], own[1]);
}
AROUND(longRoot, longs, 1, n)

// Sums of numbers without fractions do not depend on their order.
// CHECK: realRoot
NODE(reals) {
  BEGIN long i = X(SELF);
  float *floats = (float *)out + 64;
  double *doubles = (double *)out;
  __hpvm__atomic_add_f32(&floats[i & 7], (float)(in[i] & 255));
  __hpvm__atomic_add_f64(&doubles[i & 7], (double)in[i]);
}
AROUND(realRoot, reals, 1, n)

// What all instances store, and a look at it; what only one stores.
// CHECK: looksRoot
NODE(looks) {
  BEGIN long i = X(SELF);
  long *wide = (long *)(out + 16);
  float *floats = (float *)(out + 32);
  double *doubles = (double *)(out + 48);
  __hpvm__atomic_store(&out[i & 7], 7 - (int)(i & 7));
  __hpvm__atomic_store_i64(&wide[i & 3], 5L << 40 | (i & 3));
  __hpvm__atomic_store_f32(&floats[i & 3], 0.5f * (i & 3));
  __hpvm__atomic_store_f64(&doubles[i & 3], 0.25 * (i & 3));
  int *own = out + 64 + 8 * i;
  __hpvm__atomic_store(own, in[i]);
  own[1] = __hpvm__atomic_load(own) + __hpvm__atomic_load(&out[i & 7]);
  own[2] = (int)(__hpvm__atomic_load_i64(&wide[i & 3]) >> 40);
  own[3] = (int)(8 * __hpvm__atomic_load_f32(&floats[i & 3]));
  own[4] = (int)(8 * __hpvm__atomic_load_f64(&doubles[i & 3]));
}
AROUND(looksRoot, looks, 1, n)

// Neighbours in one word.
// CHECK: byteRoot
NODE(bytes) {
  BEGIN long i = X(SELF);
  unsigned char *counts = (unsigned char *)out, bit = (unsigned char)in[i];
  short *shorts = (short *)(out + 16);
  __atomic_fetch_add(&counts[i % 7], 1, __ATOMIC_RELAXED);
  __atomic_fetch_or(&counts[8 + i % 3], bit, __ATOMIC_RELAXED);
  __atomic_fetch_add(&shorts[i % 5], (short)in[i], __ATOMIC_RELAXED);
  __atomic_fetch_min(&shorts[8 + i % 2], (short)in[i], __ATOMIC_RELAXED);
  // A lock-free maximum.
  unsigned short *most = (unsigned short *)(out + 24) + (i & 1);
  unsigned short seen = __atomic_load_n(most, __ATOMIC_RELAXED);
  while (seen < (unsigned short)in[i] &&
         !__atomic_compare_exchange_n(most, &seen, (unsigned short)in[i], 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  // Bytes 200 to 1099, 1200 to 2099, and 2400 to 5999: each has one writer.
  __atomic_store_n(&counts[200 + i], bit, __ATOMIC_RELAXED);
  out[600 + i] = __atomic_exchange_n(&counts[1200 + i], bit, __ATOMIC_RELAXED);
}
AROUND(byteRoot, bytes, 1, n)

// CHECK: ownRoot
NODE(own) {
  BEGIN long i = X(SELF);
  int numbers[4] = {1, 2, 3, in[i]};
  char small[4] = {1, 2, 3, 4};
  __hpvm__atomic_add(&numbers[in[i] & 3], in[i + 1]);
  int old = __hpvm__atomic_cmpxchg(&numbers[in[i + 2] & 3], 2, 99);
  __atomic_fetch_xor(&small[in[i] & 3], 85, __ATOMIC_RELAXED);
  out[i] = numbers[in[i + 1] & 3] * old + small[in[i + 2] & 3];
}
AROUND(ownRoot, own, 1, n)

// Of a work-group's memory.
void allocate(long count) {
  __hpvm__hint(TARGET);
  size_t bytes = count * sizeof(int);
  void *memory = __hpvm__malloc(bytes);
  __hpvm__return(2, memory, bytes);
}
void count(int *memory, size_t memoryBytes, int *in, size_t inBytes, int *out,
           size_t outBytes) {
  __hpvm__hint(TARGET);
  __hpvm__attributes(3, memory, in, out, 2, memory, out);
  long i = X(SELF), items = NX(SELF), at = X(PARENT(SELF)) * items + i;
  memory[i] = 0;
  __hpvm__barrier();
  __hpvm__atomic_add(&memory[in[at] & 7], 1);
  __atomic_fetch_add((short *)memory + 16 + (in[at] & 7), 1, __ATOMIC_RELAXED);
  __hpvm__barrier();
  out[at] = memory[i];
}
NODE(countGroup) {
  BEGIN void *memory = __hpvm__createNodeND(0, allocate);
  __hpvm__bindIn(memory, 4, 0, 0);
  void *items = __hpvm__createNodeND(1, count, n);
  __hpvm__edge(memory, items, 1, 0, 0, 0);
  __hpvm__edge(memory, items, 1, 1, 1, 0);
  __hpvm__bindIn(items, 0, 2, 0);
  __hpvm__bindIn(items, 1, 3, 0);
  __hpvm__bindIn(items, 2, 4, 0);
  __hpvm__bindIn(items, 3, 5, 0);
}
// CHECK: localRoot: {{.*}}, the last change is at 159
AROUND(localRoot, countGroup, 1, m)

int main(void) {
  __hpvm__init();
  RUN(longRoot, 500, 0)
  RUN(realRoot, 700, 0)
  RUN(looksRoot, 600, 0)
  RUN(byteRoot, 900, 0)
  RUN(ownRoot, 300, 0)
  RUN(localRoot, 32, 5)
  __hpvm__cleanup();
  return 0;
}
