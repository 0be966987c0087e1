//===- polybench.h - Kernels and what they work on --------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thirty kernels of PolyBench/C 4.2, written anew from what they compute:
// plain loops, with the directives an expert in OpenMP writes. Every compiler
// gets the same files. Compiled with ORACLE and without OpenMP, they are the
// sequential oracle that main.c compares with.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_POLYBENCH_H
#define SLUICE_BENCH_POLYBENCH_H

#include <math.h>

/// `arrays` has a word for each array: a letter for each extent ('a' is the
/// row's first number), and then what it holds before the first run:
///   (nothing)  numbers from 0 to 1        '/'  the same, divided by the extent
///   '%'  symmetric, positive definite     'L'  lower triangle, large diagonal
///   '#'  int, from 1 to 100
/// and its use: '!' is compared, '=' also gets its first contents before every
/// run.
typedef struct {
  const char *name;
  const char *arrays;
  void (*run)(const long *n, void *const *a);
} Kernel;

#ifdef ORACLE
#define KERNELS(NAME) const Kernel NAME##Oracle[]
#else
#define KERNELS(NAME) const Kernel NAME[]
#endif

extern const Kernel linear[], linearOracle[], solvers[], solversOracle[],
    stencils[], stencilsOracle[], medley[], medleyOracle[];

/// Defines how the row calls a kernel: with numbers `n` and arrays `a`.
#define CALL(NAME, ...)                                                        \
  static void run_##NAME(const long *n, void *const *a) { NAME(__VA_ARGS__); }
#define ROW(NAME, TITLE, ARRAYS)                                               \
  { TITLE, ARRAYS, run_##NAME }

/// Columns that a thread works on at once where a kernel walks down columns.
enum { strip = 64 };

static inline long least(long a, long b) { return a < b ? a : b; }

#endif // SLUICE_BENCH_POLYBENCH_H
