//===- vcycle.h - The V-cycle that bench rdir measures ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, inputs and oracle of the rows "vcycle", the same for every program.
// An unknown outside a grid is 0.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_VCYCLE_H
#define SLUICE_BENCH_RDIR_VCYCLE_H

#include "../common/harness.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

constexpr int64_t numCoarseSweeps = 40;

/// Calls compute(i, left, right) for begin <= i < end, with the neighbours of
/// x[i].
template <typename Compute>
inline void forEachCell(const double *x, int64_t begin, int64_t end, int64_t n,
                        Compute compute) {
  if (begin == 0 && begin < end) {
    compute(0, 0.0, n > 1 ? x[1] : 0.0);
    ++begin;
  }
  const int64_t last = end == n ? n - 1 : end;
  for (int64_t i = begin; i < last; ++i)
    compute(i, x[i - 1], x[i + 1]);
  if (last < end && begin < end)
    compute(last, x[last - 1], 0.0);
}

/// A step of damped Jacobi.
inline void smoothCells(const double *__restrict x, const double *__restrict b,
                        double *__restrict y, int64_t begin, int64_t end,
                        int64_t n) {
  forEachCell(x, begin, end, n, [=](int64_t i, double left, double right) {
    y[i] = x[i] + (1.0 / 3.0) * (b[i] + left + right - 2.0 * x[i]);
  });
}

inline void residualCells(const double *__restrict x,
                          const double *__restrict b, double *__restrict r,
                          int64_t begin, int64_t end, int64_t n) {
  forEachCell(x, begin, end, n, [=](int64_t i, double left, double right) {
    r[i] = b[i] + left + right - 2.0 * x[i];
  });
}

inline void coarsenCells(const double *__restrict r, double *__restrict x,
                         double *__restrict b, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    b[i] = 2.0 * (r[2 * i] + r[2 * i + 1]);
    x[i] = 0.0;
  }
}

/// Adds coarse cells begin <= i < end to two fine ones each.
inline void prolongCells(const double *__restrict coarse, double *__restrict x,
                         int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    x[2 * i] += coarse[i];
    x[2 * i + 1] += coarse[i];
  }
}

/// One of the grids.
struct Level {
  int64_t n = 0;
  double *x = nullptr, *y = nullptr, *b = nullptr, *r = nullptr;

  void reset() const {
    for (int64_t i = 0; i < n; ++i) {
      x[i] = y[i] = r[i] = 0.0;
      b[i] = double(i % 13) - 6.0;
    }
  }
};

/// `cycles` cycles over three grids. `forEach(n, body)` runs body(begin, end)
/// on parts of 0 <= i < n, and returns when all are done.
template <typename ForEach>
inline void runCycles(const Level (&levels)[3], int64_t cycles,
                      ForEach forEach) {
  auto sweep = [&](const Level &level, int64_t number) {
    const double *from = number % 2 ? level.y : level.x;
    double *to = number % 2 ? level.x : level.y;
    forEach(level.n, [=](int64_t begin, int64_t end) {
      smoothCells(from, level.b, to, begin, end, level.n);
    });
  };
  auto sweeps = [&](const Level &level, int64_t count) {
    for (int64_t number = 0; number < count; ++number)
      sweep(level, number);
  };
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    for (int finer = 0; finer < 2; ++finer) {
      const Level level = levels[finer], coarser = levels[finer + 1];
      sweeps(level, 2);
      forEach(level.n, [=](int64_t begin, int64_t end) {
        residualCells(level.x, level.b, level.r, begin, end, level.n);
      });
      forEach(coarser.n, [=](int64_t begin, int64_t end) {
        coarsenCells(level.r, coarser.x, coarser.b, begin, end);
      });
    }
    sweeps(levels[2], numCoarseSweeps);
    for (int finer = 1; finer >= 0; --finer) {
      const Level level = levels[finer], coarser = levels[finer + 1];
      forEach(coarser.n, [=](int64_t begin, int64_t end) {
        prolongCells(coarser.x, level.x, begin, end);
      });
      sweeps(level, 2);
    }
  }
}

/// Null if `x` is what one repetition from fresh inputs gives.
inline const char *verifyCycles(const double *x, int64_t n, int64_t cycles) {
  std::vector<double> memory(7 * n);
  double *next = memory.data();
  Level levels[3];
  for (Level &level : levels) {
    level.n = n >> (&level - levels);
    for (double **field : {&level.x, &level.y, &level.b, &level.r}) {
      *field = next;
      next += level.n;
    }
    level.reset();
  }
  runCycles(levels, cycles, [](int64_t count, auto body) { body(0, count); });
  for (int64_t i = 0; i < n; ++i)
    if (!(std::fabs(x[i] - levels[0].x[i]) <=
          1e-9 * (1 + std::fabs(levels[0].x[i]))))
      return benchWrong("x", i, levels[0].x[i], x[i]);
  return nullptr;
}

} // namespace bench

#endif // SLUICE_BENCH_RDIR_VCYCLE_H
