//===- cholesky.h - The factors that bench rdir measures --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, inputs and oracle of the rows "cholesky", the same for every
// program. Only the lower triangle of the factor has a meaning.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_CHOLESKY_H
#define SLUICE_BENCH_RDIR_CHOLESKY_H

#include "../common/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

/// Columns of an update that registers hold at a time: two vectors.
constexpr int64_t numLanes = 8, numColumns = 2 * numLanes, numRows = 4;
typedef double Lanes __attribute__((vector_size(numLanes * sizeof(double))));

/// A tile in a matrix whose rows are `stride` apart; `data` is its first value.
template <typename T> struct MatrixTile {
  T *data;
  int64_t rows, columns, stride;
  T *row(int64_t i) const { return data + i * stride; }
};
using Tile = MatrixTile<double>;
using ConstTile = MatrixTile<const double>;

inline double startOfMatrix(int64_t i, int64_t j) {
  return (i == j ? 1000.0 : 0.0) + 1.0 / double(1 + (i > j ? i - j : j - i));
}

inline void startTile(Tile a, int64_t firstRow, int64_t firstColumn) {
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      a.row(i)[j] = startOfMatrix(firstRow + i, firstColumn + j);
}

/// The tile with rows and columns exchanged, each new row of `width` values,
/// the last of them 0; valid until the thread's next call.
inline const double *transpose(ConstTile a, int64_t width) {
  static thread_local std::vector<double> memory;
  memory.assign(a.columns * width, 0);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < a.columns; ++j)
      memory[j * width + i] = a.row(i)[j];
  return memory.data();
}

inline void factorTile(Tile a) {
  static thread_local std::vector<double> column;
  column.resize(a.rows);
  for (int64_t k = 0; k < a.rows; ++k) {
    const double root = a.row(k)[k] = std::sqrt(a.row(k)[k]);
    for (int64_t i = k + 1; i < a.rows; ++i)
      column[i] = a.row(i)[k] /= root;
    const double *from = column.data();
    for (int64_t i = k + 1; i < a.rows; ++i) {
      double *to = a.row(i), factor = from[i];
      for (int64_t j = k + 1; j <= i; ++j)
        to[j] -= factor * from[j];
    }
  }
}

/// The tile below the factored `diagonal`.
inline void solveTile(ConstTile diagonal, Tile a) {
  const double *transposed = transpose(diagonal, a.columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    double *row = a.row(i);
    for (int64_t k = 0; k < a.columns; ++k) {
      const double *from = transposed + k * a.columns;
      const double factor = row[k] /= from[k];
      for (int64_t j = k + 1; j < a.columns; ++j)
        row[j] -= factor * from[j];
    }
  }
}

/// Rows i and on, columns j and on of an update; `right` is transposed, with
/// rows of `width`.
inline void updateBlock(ConstTile left, const double *right, int64_t width,
                        Tile a, int64_t i, int64_t j) {
  Lanes sums[numRows][2] = {};
  const double *rows[numRows];
  for (int64_t r = 0; r < numRows; ++r)
    rows[r] = left.row(std::min(i + r, a.rows - 1));
  for (int64_t k = 0; k < left.columns; ++k) {
    Lanes first, second;
    memcpy(&first, right + k * width + j, sizeof(first));
    memcpy(&second, right + k * width + j + numLanes, sizeof(second));
    for (int64_t r = 0; r < numRows; ++r) {
      sums[r][0] += rows[r][k] * first;
      sums[r][1] += rows[r][k] * second;
    }
  }
  const int64_t columns = std::min(numColumns, a.columns - j);
  for (int64_t r = 0; r < numRows && i + r < a.rows; ++r) {
    double values[numColumns];
    memcpy(values, sums[r], sizeof(values));
    for (int64_t c = 0; c < columns; ++c)
      a.row(i + r)[j + c] -= values[c];
  }
}

/// a -= left * right^T; only below the diagonal if `a` is on it.
inline void updateTile(ConstTile left, ConstTile right, Tile a,
                       bool isDiagonal) {
  const int64_t width = (a.columns + numColumns - 1) / numColumns * numColumns;
  const double *transposed = transpose(right, width);
  for (int64_t i = 0; i < a.rows; i += numRows)
    for (int64_t j = 0; j < a.columns; j += numColumns)
      if (!isDiagonal || j < i + numRows)
        updateBlock(left, transposed, width, a, i, j);
}

/// Null if the factor times its transpose, times a vector, is what the matrix
/// times that vector is.
inline const char *verifyFactor(const double *factor, int64_t stride,
                                int64_t n) {
  std::vector<double> x(n), y(n);
  for (int64_t i = 0; i < n; ++i)
    x[i] = double((i * 37 + 11) % 101) / 101;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j)
      y[j] += factor[i * stride + j] * x[i];
  for (int64_t i = 0; i < n; ++i) {
    double expected = 0, found = 0;
    for (int64_t j = 0; j < n; ++j)
      expected += startOfMatrix(i, j) * x[j];
    for (int64_t j = 0; j <= i; ++j)
      found += factor[i * stride + j] * y[j];
    if (!(std::fabs(found - expected) <= 1e-9 * (1 + std::fabs(expected))))
      return benchWrong("product", i, expected, found);
  }
  return nullptr;
}

} // namespace bench

#endif // SLUICE_BENCH_RDIR_CHOLESKY_H
