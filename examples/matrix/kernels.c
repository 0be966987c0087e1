//===- kernels.c - Arithmetic on matrices ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C kernels of the example. A matrix arrives as seven parameters: its
// memory, its first element, an offset, its extents, and its strides in
// elements.
//
//===----------------------------------------------------------------------===//

#include <math.h>
#include <stdint.h>

/// Changes the sign of every element of A.
void mat_negate(double *base, double *a, int64_t offset, int64_t rows,
                int64_t columns, int64_t rowStride, int64_t columnStride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      a[offset + i * rowStride + j * columnStride] *= -1;
}

/// Takes the absolute value of every element of B.
void mat_absolute(double *base, double *b, int64_t offset, int64_t rows,
                  int64_t columns, int64_t rowStride, int64_t columnStride) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double *element = &b[offset + i * rowStride + j * columnStride];
      *element = fabs(*element);
    }
}

/// A += B.
void mat_add(double *baseA, double *a, int64_t offsetA, int64_t rows,
             int64_t columns, int64_t rowStrideA, int64_t columnStrideA,
             const double *baseB, const double *b, int64_t offsetB,
             int64_t rowsB, int64_t columnsB, int64_t rowStrideB,
             int64_t columnStrideB) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      a[offsetA + i * rowStrideA + j * columnStrideA] +=
          b[offsetB + i * rowStrideB + j * columnStrideB];
}
