//===- app.h - What the applications have in common -------------*- C -*---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every folder here is one application. Its problem.h has the inputs and the
// sequential oracle; sluice.c or sluice.cpp is the program as somebody writes
// it who read the tutorial; plain.c has the loops that clang compiles as they
// stand, and gcc and clang with OpenMP. What is best elsewhere stands beside.
//
// All numbers arrive when the program runs: the driver asks for the row
// `app:REPETITIONS:A:B...`, and appNumber gives A, B and so on.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_APP_H
#define SLUICE_BENCH_APP_H

#include "../common/harness.h"

#include <math.h>
#include <stdint.h>

/// What problem.h defines ...
static void allocate(void);
static void reset(void);
static const char *verify(void);
/// ... and the program: one repetition.
static void run(void);

/// Sluice's programs that track their memory define these: see tracked.h.
#ifndef APP_TRACK
#define APP_TRACK(POINTER, BYTES) ((void)0)
#define APP_UNTRACK(POINTER) ((void)0)
#endif

/// Number `index` of the row, from 1; 0 has the repetitions.
static inline long appNumber(int index) {
  const char *text = benchParameters;
  for (; text && index > 0; --index) {
    text = strchr(text, ':');
    text = text ? text + 1 : 0;
  }
  if (!text) {
    fprintf(stderr, "too few numbers in '%s'\n", benchParameters);
    exit(1);
  }
  return atol(text);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

enum { appMostArrays = 32 };
static void *appArrays[appMostArrays];
static char appTracked[appMostArrays];
static int appNumArrays;

static inline void *appKeep(size_t bytes, int isTracked) {
  void *memory = benchAllocate(bytes);
  if (isTracked)
    APP_TRACK(memory, bytes);
  appTracked[appNumArrays] = (char)isTracked;
  return appArrays[appNumArrays++] = memory;
}

/// An array of the program, zeroed; it is freed with the row.
static inline void *appArray(size_t bytes) { return appKeep(bytes, 1); }
static inline float *appFloats(long count) {
  return (float *)appArray(sizeof(float) * (size_t)count);
}
static inline int *appInts(long count) {
  return (int *)appArray(sizeof(int) * (size_t)count);
}

/// An array of the oracle.
static inline void *appOracle(size_t bytes) { return appKeep(bytes, 0); }

static void appRelease(void) {
  while (appNumArrays-- > 0) {
    if (appTracked[appNumArrays])
      APP_UNTRACK(appArrays[appNumArrays]);
    free(appArrays[appNumArrays]);
  }
  appNumArrays = 0;
}

//===----------------------------------------------------------------------===//
// Inputs and comparisons
//===----------------------------------------------------------------------===//

/// Numbers that look random, the same everywhere.
static uint32_t appState = 1;
static inline void appSeed(uint32_t seed) { appState = seed; }
static inline uint32_t appRandom(void) {
  appState = appState * 1664525u + 1013904223u;
  return appState >> 8;
}
/// From 0 to 1.
static inline float appUniform(void) {
  return (float)appRandom() * (1.0f / (1 << 24));
}

static inline const char *appSameInts(const char *what, const int *expected,
                                      const int *found, long count) {
  for (long i = 0; i < count; ++i)
    if (found[i] != expected[i])
      return benchWrong(what, i, expected[i], found[i]);
  return 0;
}

/// With a tolerance of 0 the numbers must be equal, else
/// |found - expected| <= tolerance * (1 + |expected|).
static inline const char *appSameFloats(const char *what, const float *expected,
                                        const float *found, long count,
                                        double tolerance) {
  for (long i = 0; i < count; ++i) {
    double limit = tolerance * (1 + fabs((double)expected[i]));
    if (!(fabs((double)found[i] - expected[i]) <= limit))
      return benchWrong(what, i, expected[i], found[i]);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The only row
//===----------------------------------------------------------------------===//

static BenchRow appRow;

static void appPrepare(void) {
  appRow.repetitions = (int)appNumber(0);
  appSeed(1);
  allocate();
}

static inline int appServe(void) {
  appRow.name = "app";
  appRow.work = 1;
  appRow.allocate = appPrepare;
  appRow.reset = reset;
  appRow.run = run;
  appRow.verify = verify;
  appRow.release = appRelease;
  return benchServe(&appRow, 1);
}

#endif // SLUICE_BENCH_APP_H
