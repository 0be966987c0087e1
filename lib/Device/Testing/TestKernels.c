//===- TestKernels.c - Kernels of device tests ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled to SPIR-V and PTX for devices. The host device runs the functions
// with the same names in HostKernels.cpp.
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

static u64 index(int d) { return group(d) * items(d) + item(d); }

KERNEL void saxpy(GLOBAL float *y, GLOBAL const float *x, float a, u64 n) {
  u64 i = index(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

/// One argument of every kind, as 64 bits each.
KERNEL void everyKind(GLOBAL u64 *out, signed char a, unsigned short b, int c,
                      u64 d, float e, double f) {
  out[0] = (u64)a;
  out[1] = b;
  out[2] = (u64)c;
  out[3] = d;
  out[4] = __builtin_bit_cast(u32, e);
  out[5] = __builtin_bit_cast(u64, f);
}

/// data = data * factor + addend, `rounds` times: not commutative.
KERNEL void step(GLOBAL u32 *data, u32 factor, u32 addend, u32 rounds) {
  u64 i = index(0);
  u32 x = data[i];
  for (u32 round = 0; round < rounds; ++round)
    x = x * factor + addend;
  data[i] = x;
}

/// Sums the elements of each group; the number of items is a power of two.
KERNEL void sumGroup(GLOBAL u32 *out, GLOBAL const u32 *in,
                     LOCAL_PARAMETER(u32, part)) {
  LOCAL_START(u32, part);
  u64 i = item(0), n = items(0);
  part[i] = in[group(0) * n + i];
  barrier();
  for (u64 half = n / 2; half > 0; half /= 2) {
    if (i < half)
      part[i] += part[i + half];
    barrier();
  }
  if (i == 0)
    out[group(0)] = part[0];
}

/// Swaps adjacent elements with one memory and reverses groups with another.
KERNEL void twoLocals(GLOBAL u64 *data, LOCAL_PARAMETER(unsigned char, low),
                      LOCAL_PARAMETER(u64, high)) {
  LOCAL_START(unsigned char, low);
  LOCAL_START(u64, high);
  u64 i = item(0), n = items(0), first = group(0) * n;
  low[i] = (unsigned char)data[first + i];
  high[i] = data[first + i] & ~255ull;
  barrier();
  data[first + i] = high[n - 1 - i] | low[i ^ 1];
}

/// The numbers of each item and its group: 10 bits for each dimension.
KERNEL void shape(GLOBAL u64 *out, u64 groupsX, u64 groupsY) {
  u64 width = groupsX * items(0), height = groupsY * items(1);
  u64 number = 0;
  for (int d = 2; d >= 0; --d)
    number = number << 20 | group(d) << 10 | item(d);
  out[(index(2) * height + index(1)) * width + index(0)] = number;
}

/// Rounds twice: contraction would change the result.
KERNEL void multiplyAdd(GLOBAL double *out, double a, double b, double c) {
  out[0] = a * b + c;
}

KERNEL void address(GLOBAL u64 *out, GLOBAL const u32 *in) { out[0] = (u64)in; }

KERNEL void count(GLOBAL u32 *counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}
