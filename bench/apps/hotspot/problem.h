//===- problem.h - The heat of a chip ----------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rodinia's hotspot: steps of the temperature of a chip from its power; at the
// border a neighbour that is not there is as warm as the cell. Contracted
// products differ among compilers: the tolerance is 1e-5.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_HOTSPOT_H
#define SLUICE_BENCH_HOTSPOT_H

#include "../app.h"

static long width, height, steps;
static float *heat, *nextHeat, *power, *expected, *scratch;

static inline float nextTemperature(const float *from, const float *watts,
                                    long x, long y, long columns, long rows) {
  const float ambient = 80.0f;
  long i = y * columns + x;
  float here = from[i];
  float north = y > 0 ? from[i - columns] : here;
  float south = y < rows - 1 ? from[i + columns] : here;
  float west = x > 0 ? from[i - 1] : here;
  float east = x < columns - 1 ? from[i + 1] : here;
  return here + 0.1f * watts[i] + 0.2f * (north + south - 2 * here) +
         0.15f * (west + east - 2 * here) + 0.01f * (ambient - here);
}

static size_t gridBytes(void) {
  return sizeof(float) * (size_t)(width * height);
}

static void fill(float *grid) {
  for (long i = 0; i < width * height; ++i)
    grid[i] = 60 + (float)(i * 7 % 41);
}

static void reset(void) { fill(heat); }

static void stepSerial(const float *restrict from, float *restrict to) {
  for (long y = 0; y < height; ++y)
    for (long x = 0; x < width; ++x)
      to[y * width + x] = nextTemperature(from, power, x, y, width, height);
}

/// An even number of steps: the result is in `heat`.
static void allocate(void) {
  width = appNumber(1);
  height = appNumber(2);
  steps = appNumber(3);
  heat = appFloats(width * height);
  nextHeat = appFloats(width * height);
  power = appFloats(width * height);
  expected = (float *)appOracle(gridBytes());
  scratch = (float *)appOracle(gridBytes());
  for (long i = 0; i < width * height; ++i)
    power[i] = appUniform();
  fill(expected);
  for (long step = 0; step < steps; step += 2) {
    stepSerial(expected, scratch);
    stepSerial(scratch, expected);
  }
}

static const char *verify(void) {
  return appSameFloats("temperature", expected, heat, width * height, 1e-5);
}

#endif // SLUICE_BENCH_HOTSPOT_H
