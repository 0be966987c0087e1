// Variables in memory that instances have for themselves: each lane has its own,
// element by element beside those of the others.
// RUN: %clang -ffp-contract=on -w -O2 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.raw.ll
// RUN: opt -passes=mem2reg -S %t.raw.ll -o %t.ll
//
// At an index that all lanes share, an element of all lanes is a vector.
// RUN: sluice-codegen-test %t.ll -leaf=ring -levels=?64 -cpu=x86-64-v4 -emit=optimized | FileCheck %s --check-prefix=RING
// RING: alloca [1024 x i8], align 64
// RING: lanes.loop
// RING-NOT: {{gather|scatter|masked}}
// RING: load <16 x i32>, ptr {{.*}}, align 64
// RING-NOT: {{gather|scatter}}
// RING: store <16 x i32> {{.*}}, align 64
// RING-NOT: {{gather|scatter}}
// RING: lanes.rest:
//
// RUN: sluice-codegen-test %t.ll -leaf=ring -levels=?70 -lanes=8 -in=i32[70],i32[70],300 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=counts -levels=?70 -lanes=8 -in=i32[70],i32[70] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=sorted -levels=?70 -lanes=4 -in=i32[560],i32[560] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=records -levels=?70 -lanes=8 -in=i32[70],i32[70],37 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=swapped -levels=?70 -lanes=8 -in=i32[70],i32[70],9 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=walked -levels=?70 -lanes=16 -in=i32[70],i32[70],11 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=copied -levels=?70 -lanes=8 -in=i32[1120],i32[1120],13 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=some -levels=?70 -lanes=8 -in=i32[70],i32[70],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=mixed -levels=?70 -lanes=8 -in=i32[70],i32[70],5 -emit=run | FileCheck %s --check-prefix=SAME
// SAME: {{^}}same{{$}}
//
// Somebody else has the address, or bytes of an element are looked at alone.
// RUN: sluice-codegen-test %t.ll -leaf=passed -levels=?64 -lanes=8 -emit=optimized | FileCheck %s --check-prefix=NONE
// RUN: sluice-codegen-test %t.ll -leaf=passed -levels=?70 -lanes=8 -in=i32[70],i32[70] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=bytes -levels=?70 -lanes=8 -in=i32[70],i32[70],9 -emit=run | FileCheck %s --check-prefix=SAME
// NONE-NOT: {{^}}lanes.loop

// Lanes that lie apart, but access elements side by side: rows are loaded and
// stored, and shuffled.
// RUN: sluice-codegen-test %t.ll -leaf=blocks -levels=?64 -cpu=x86-64-v4 -lanes=16 -emit=optimized | FileCheck %s --check-prefix=ROWS
// ROWS: lanes:
// ROWS: load <16 x float>
// ROWS-NOT: {{gather|scatter}}
// ROWS: store <16 x float>
// ROWS-NOT: {{gather|scatter}}
// ROWS: lanes.rest:
// RUN: sluice-codegen-test %t.ll -leaf=blocks -levels=?70 -lanes=8 -in=f32[1120],f32[1120],f32[70] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=blocks -levels=?70 -lanes=2 -cpu=x86-64 -in=f32[1120],f32[1120],f32[70] -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=fields -levels=?70 -lanes=16 -in=i8[210],i8[210],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=fields -levels=?70 -lanes=4 -cpu=x86-64-v3 -in=i8[210],i8[210],5 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=apart -levels=?20 -lanes=8 -in=f64[400],f64[400],11,20 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=places -levels=?40 -lanes=8 -in=i32[400],i32[400],4 -emit=run | FileCheck %s --check-prefix=SAME
// RUN: sluice-codegen-test %t.ll -leaf=twice -levels=?40 -lanes=4 -in=i32[400],i32[400],4 -emit=run | FileCheck %s --check-prefix=SAME

#include "Inputs/leaf.h"

void ring(unsigned *in, unsigned *out, long rounds) {
  unsigned w[16], sum = 0;
  for (int k = 0; k < 16; ++k)
    w[k] = in[X] + k;
  for (long r = 0; r < rounds; ++r)
    w[r & 15] += w[(r + 1) & 15] ^ (w[(r + 9) & 15] >> 3);
  for (int k = 0; k < 16; ++k)
    sum = 3 * sum + w[k];
  out[X] = sum;
}

void counts(int *in, int *out) {
  int own[16] = {0};
  for (int i = 0; i < (in[X] & 31); ++i)
    ++own[in[i] & 15];
  out[X] = own[in[X] & 15] + own[3];
}

void sorted(int *in, int *out) {
  int own[8];
  for (int k = 0; k < 8; ++k)
    own[k] = in[8 * X + k];
  for (int k = 1; k < 8; ++k) {
    int key = own[k], at = k - 1;
    while (at >= 0 && own[at] > key) {
      own[at + 1] = own[at];
      --at;
    }
    own[at + 1] = key;
  }
  for (int k = 0; k < 8; ++k)
    out[8 * X + k] = own[k];
}

struct Record {
  short a;
  int b;
  double c;
};
void records(int *in, int *out, long rounds) {
  struct Record own[8];
  for (int k = 0; k < 8; ++k)
    own[k] = (struct Record){k, in[X] + k, in[X] * 0.5 + k};
  for (long r = 0; r < rounds; ++r) {
    own[r & 7].b += own[(r + 3) & 7].a;
    own[r & 7].a ^= own[(r * 5) & 7].b;
    own[(r + 1) & 7].c += own[r & 7].c * 0.25;
    if (in[X] & 1)
      own[(r + 2) & 7] = own[(r + in[X]) & 7];
  }
  double sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += own[k].a + own[k].b * 3.0 + own[k].c;
  out[X] = (int)(sum / 1e6);
}

void swapped(int *in, int *out, int rounds) {
  int a[12], b[12], *from = a, *to = b;
  for (int k = 0; k < 12; ++k)
    a[k] = b[k] = in[X] ^ (k * 77);
  for (int r = 0; r < rounds; ++r) {
    for (int k = 1; k < 11; ++k)
      to[k] = from[k - 1] + 3 * from[k] - from[k + 1];
    int *other = from;
    from = to;
    to = other;
  }
  int sum = 0;
  for (int k = 0; k < 12; ++k)
    sum = 5 * sum + from[k];
  out[X] = sum;
}

void walked(int *in, int *out, int rounds) {
  int own[32];
  for (int *at = own; at != own + 32; ++at)
    *at = in[X] + (int)(at - own) * (in[X] & 3);
  int sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (int *at = own + 31; at > own; at -= 2)
      sum += (*at ^= sum + at[-1]);
  out[X] = sum;
}

void copied(int *in, int *out, int rounds) {
  struct {
    int all[16];
  } a, b;
  __builtin_memcpy(&a, in + 16 * X, sizeof a);
  for (int r = 0; r < rounds; ++r) {
    if (a.all[r & 15] & 1)
      b = a;
    else
      __builtin_memset(&b, r, sizeof b);
    a.all[(r + 5) & 15] += b.all[(r * 3) & 15];
  }
  __builtin_memcpy(out + 16 * X, &a, sizeof a);
}

void some(int *in, int *out, int rounds) {
  int own[10];
  for (int k = 0; k < 10; ++k)
    own[k] = k;
  for (int r = 0; r < rounds; ++r)
    if (in[X] & (1 << r)) {
      own[r] += in[X];
      for (int k = 0; k < (in[X] >> r & 7); ++k)
        own[k] -= own[k + 1];
    } else if (in[X] % 3 == 0)
      return;
  out[X] = own[1] ^ own[5] ^ own[in[X] & 7];
}

void mixed(int *in, int *out, int rounds) {
  int own[8];
  for (int k = 0; k < 8; ++k)
    own[k] = in[X] * k;
  for (int r = 0; r < rounds; ++r) {
    int *at = in[X] & 1 ? own + r % 8 : own + 7 - r % 8;
    *at += r;
  }
  out[X] = own[0] + 3 * own[3] + 5 * own[7];
}

int sumOf(int *) __attribute__((noinline));
int sumOf(int *all) {
  __asm__ volatile("" : : "r"(all) : "memory");
  return all[0] + all[3];
}
void passed(int *in, int *out) {
  int own[4];
  for (int k = 0; k < 4; ++k)
    own[k] = in[X] + k;
  out[X] = sumOf(own);
}

void bytes(int *in, int *out, int rounds) {
  int own[8], sum = 0;
  for (int k = 0; k < 8; ++k)
    own[k] = in[X] * k;
  for (int r = 0; r < rounds; ++r)
    sum += ((char *)own)[(r * 5) & 31] + ++own[r & 7];
  out[X] = sum;
}

void blocks(float *in, float *out, float *factor) {
  float own[16];
  for (int k = 0; k < 16; ++k)
    own[k] = in[16 * X + k] * factor[X];
  for (int r = 0; r < (int)factor[3]; ++r)
    own[r & 15] += own[(r * 7) & 15];
  for (int k = 0; k < 16; ++k)
    out[16 * X + k] = own[15 - k];
}

void fields(unsigned char *in, unsigned char *out, int rounds) {
  int r = in[3 * X], g = in[3 * X + 1], b = in[3 * X + 2];
  for (int k = 0; k < rounds; ++k) {
    int t = r;
    r = (g * 3 + b) >> 2;
    g = b ^ k;
    b = t;
  }
  out[3 * X] = r;
  out[3 * X + 1] = g;
  out[3 * X + 2] = b;
}

void apart(double *in, double *out, int rounds, long pitch) {
  double *row = in + X * pitch, *to = out + X * pitch;
  double a = row[1], b = row[2], c = row[3], d = row[4], e = row[5];
  for (int k = 0; k < rounds; ++k) {
    a = a * 0.5 + b;
    b = b - c * d;
    d = e * 0.25 + k;
  }
  to[2] = a;
  to[3] = b;
  to[4] = c;
  to[5] = d;
}

void places(int *in, int *out, int rounds) {
  int *from = in + (in[X] & 63) * 4;
  int a = from[0], b = from[1], c = from[2], d = from[3];
  for (int k = 0; k < rounds; ++k) {
    a += b ^ k;
    c -= d & a;
  }
  out[7 * X + 1] = a;
  out[7 * X + 2] = b + c;
  out[7 * X + 3] = c;
  out[7 * X + 4] = d;
}

void twice(int *in, int *out, int rounds) {
  int a = in[5 * X], b = in[5 * X + 1];
  for (int k = 0; k < rounds; ++k)
    a = a * 3 + b;
  out[5 * X] = a;
  out[5 * X + 1] = b;
  out[5 * X] += out[5 * X + 1] & 7;
  b += out[5 * X];
  out[5 * X + 2] = a + b;
  out[5 * X + 1] = out[5 * X + 2] - a;
}
