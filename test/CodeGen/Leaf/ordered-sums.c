// Sums that keep their order beside much other work, in rows of all lengths: all
// but the sums becomes vectors, with the bits of plain code.
// RUN: %sluice run %s | FileCheck %s
// RUN: env SLUICE_WORKERS=3 %sluice run %s | FileCheck %s
// RUN: %sluice run --reference %s | FileCheck %s
// RUN: %sluice run -fno-vectorize %s | FileCheck %s
// RUN: %sluice run -mprefer-vector-width=128 %s | FileCheck %s
// RUN: %sluice run -mprefer-vector-width=512 %s | FileCheck %s
// RUN: %sluice run -O1 %s | FileCheck %s
// RUN: %sluice run -ffp-contract=off -DAPART %s | FileCheck %s
// RUN: %sluice build -march=x86-64-v3 %s -o %t && %t | FileCheck %s
// CHECK: 0 of 100 rows differ
//
// RUN: %sluice build -march=x86-64-v3 %s --print=asm | FileCheck %s --check-prefix=CODE
// CODE: vdivps {{.*}}%ymm
// A sum of products alone waits for its additions either way.
// RUN: %sluice build -march=x86-64-v3 -DPLAIN %s --print=asm | FileCheck %s --check-prefix=SCALAR --implicit-check-not=vmulps
// SCALAR: vfmadd{{[0-9]+}}ss

#include <hpvm.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef APART
#pragma STDC FP_CONTRACT OFF
#endif

enum { Rows = 100, Columns = 131 };

/// Of one row: what its elements become, and sums of them, one where only some
/// elements take part and one that begins with the last element.
static inline __attribute__((always_inline)) void
sumRow(const float *in, float *out, float *sums, long n) {
  float sum = 0, some = -0.0f, first = n ? in[n - 1] : 0;
#ifdef PLAIN
  for (long j = 0; j < n; ++j)
    sum += in[j] * out[j];
#else
  for (long j = 0; j < n; ++j) {
    float x = in[j], root = sqrtf(x * x + 1);
    float value = (x - 1) / (root + 3) + root / (2 + x * x);
    out[j] = value;
    sum += value;
    if (x > 0)
      some += value;
    first = root - value + first;
  }
#endif
  sums[0] = sum;
  sums[1] = some;
  sums[2] = first;
}

void leaf(float *in, size_t inBytes, float *out, size_t outBytes, float *sums,
          size_t sumsBytes) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 2, out, sums);
  long row = __hpvm__getNodeInstanceID_x(__hpvm__getNode());
  sumRow(in + row * Columns, out + row * Columns, sums + 3 * row,
         row * 17 % (Columns + 1));
}

void root(float *in, size_t inBytes, float *out, size_t outBytes, float *sums,
          size_t sumsBytes, long rows) {
  __hpvm__hint(CPU_TARGET);
  __hpvm__attributes(1, in, 2, out, sums);
  void *node = __hpvm__createNodeND(1, leaf, rows);
  for (int port = 0; port != 6; ++port)
    __hpvm__bindIn(node, port, port, 0);
}

struct __attribute__((packed)) Arguments {
  float *in;
  size_t inBytes;
  float *out;
  size_t outBytes;
  float *sums;
  size_t sumsBytes;
  long rows;
};

/// The same without vectors.
__attribute__((noinline)) static void expected(const float *in, float *out,
                                               float *sums) {
  for (long row = 0; row < Rows; ++row) {
    float sum = 0, some = -0.0f;
    long n = row * 17 % (Columns + 1);
    const float *x = in + row * Columns;
    float first = n ? x[n - 1] : 0;
    for (long j = 0; j < n; ++j) {
      volatile float root = sqrtf(x[j] * x[j] + 1);
      volatile float value = (x[j] - 1) / (root + 3) + root / (2 + x[j] * x[j]);
      volatile float part = root - value;
      out[row * Columns + j] = value;
      sum += value;
      if (x[j] > 0)
        some += value;
      first = part + first;
    }
    sums[3 * row] = sum;
    sums[3 * row + 1] = some;
    sums[3 * row + 2] = first;
  }
}

int main(void) {
  static float in[Rows * Columns], out[Rows * Columns], plain[Rows * Columns];
  static float sums[3 * Rows], plainSums[3 * Rows];
  // Small whole numbers: squares are exact, with and without fused operations.
  for (int i = 0; i != Rows * Columns; ++i)
    in[i] = (float)(i * 7919 % 1009 - 504);
  in[0] = -0.0f;
  in[5 * Columns] = -0.0f;
  in[7 * Columns + 3] = INFINITY;
  struct Arguments arguments = {in,   sizeof(in),   out, sizeof(out),
                                sums, sizeof(sums), Rows};
  __hpvm__init();
  void *graph = __hpvm__launch(0, root, &arguments);
  __hpvm__wait(graph);
  __hpvm__cleanup();
  expected(in, plain, plainSums);
  int differ = 0;
  for (int row = 0; row != Rows; ++row) {
    int isSame = 1;
    for (int k = 0; k != 3; ++k) {
      float a = sums[3 * row + k], b = plainSums[3 * row + k];
      isSame &= memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
    }
    for (int j = 0; j != Columns; ++j) {
      float a = out[row * Columns + j], b = plain[row * Columns + j];
      isSame &= memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
    }
    differ += !isSame;
  }
  printf("%d of %d rows differ\n", differ, Rows);
}
