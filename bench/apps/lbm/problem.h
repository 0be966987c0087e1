//===- problem.h - A fluid on a lattice --------------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lattice Boltzmann method with nine directions in the plane (D2Q9) and
// one relaxation time: a step takes from the neighbours what flows here, and
// relaxes it. The picture is a channel, periodic from left to right, with walls
// and an obstacle that throw back what hits them. Tolerance: 1e-4.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_LBM_H
#define SLUICE_BENCH_LBM_H

#include "../app.h"

enum { directions = 9 };
static long width, height, steps;
static float *flow, *nextFlow, *startFlow, *expected;
static int *solid;

/// What flows from a neighbour in direction q, or comes back from a wall.
static inline float flowFrom(const float *from, const int *wall, long x, long y,
                             long columns, long rows, long dx, long dy, int q,
                             int opposite) {
  long neighbourX = x - dx, neighbourY = y - dy;
  if (neighbourX < 0)
    neighbourX += columns;
  if (neighbourX >= columns)
    neighbourX -= columns;
  long cells = columns * rows, here = y * columns + x;
  long there = neighbourY * columns + neighbourX;
  return wall[there] ? from[opposite * cells + here] : from[q * cells + there];
}

/// One cell's step. Rows 0 and `rows` - 1 are walls.
static inline void stepCell(const float *from, float *to, const int *wall,
                            long x, long y, long columns, long rows) {
  const float omega = 1.2f;
  const long cells = columns * rows, here = y * columns + x;
  if (wall[here])
    return;
  float f0 = from[here];
  float f1 = flowFrom(from, wall, x, y, columns, rows, 1, 0, 1, 3);
  float f2 = flowFrom(from, wall, x, y, columns, rows, 0, 1, 2, 4);
  float f3 = flowFrom(from, wall, x, y, columns, rows, -1, 0, 3, 1);
  float f4 = flowFrom(from, wall, x, y, columns, rows, 0, -1, 4, 2);
  float f5 = flowFrom(from, wall, x, y, columns, rows, 1, 1, 5, 7);
  float f6 = flowFrom(from, wall, x, y, columns, rows, -1, 1, 6, 8);
  float f7 = flowFrom(from, wall, x, y, columns, rows, -1, -1, 7, 5);
  float f8 = flowFrom(from, wall, x, y, columns, rows, 1, -1, 8, 6);
  float density = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
  float ux = (f1 + f5 + f8 - f3 - f6 - f7) / density;
  float uy = (f2 + f5 + f6 - f4 - f7 - f8) / density;
  float square = 1.0f - 1.5f * (ux * ux + uy * uy);
  float straight = density * (1.0f / 9), slanted = density * (1.0f / 36);
  float sum = ux + uy, difference = ux - uy;
  to[here] = f0 + omega * (density * (4.0f / 9) * square - f0);
  to[cells + here] =
      f1 + omega * (straight * (square + 3 * ux + 4.5f * ux * ux) - f1);
  to[2 * cells + here] =
      f2 + omega * (straight * (square + 3 * uy + 4.5f * uy * uy) - f2);
  to[3 * cells + here] =
      f3 + omega * (straight * (square - 3 * ux + 4.5f * ux * ux) - f3);
  to[4 * cells + here] =
      f4 + omega * (straight * (square - 3 * uy + 4.5f * uy * uy) - f4);
  to[5 * cells + here] =
      f5 + omega * (slanted * (square + 3 * sum + 4.5f * sum * sum) - f5);
  to[6 * cells + here] =
      f6 + omega * (slanted * (square - 3 * difference +
                               4.5f * difference * difference) -
                    f6);
  to[7 * cells + here] =
      f7 + omega * (slanted * (square - 3 * sum + 4.5f * sum * sum) - f7);
  to[8 * cells + here] =
      f8 + omega * (slanted * (square + 3 * difference +
                               4.5f * difference * difference) -
                    f8);
}

static size_t flowBytes(void) {
  return sizeof(float) * (size_t)(directions * width * height);
}

static void reset(void) {
  memcpy(flow, startFlow, flowBytes());
  memcpy(nextFlow, startFlow, flowBytes());
}

/// An even number of steps: the result is in `flow`.
static void allocate(void) {
  static const float shares[directions] = {4.0f / 9,  1.0f / 9,  1.0f / 9,
                                           1.0f / 9,  1.0f / 9,  1.0f / 36,
                                           1.0f / 36, 1.0f / 36, 1.0f / 36};
  width = appNumber(1);
  height = appNumber(2);
  steps = appNumber(3);
  const long cells = width * height;
  flow = appFloats(directions * cells);
  nextFlow = appFloats(directions * cells);
  solid = appInts(cells);
  startFlow = (float *)appOracle(flowBytes());
  expected = (float *)appOracle(flowBytes());
  for (long y = 0; y < height; ++y)
    for (long x = 0; x < width; ++x) {
      long dx = 4 * x - width, dy = 2 * y - height;
      solid[y * width + x] = y == 0 || y == height - 1 ||
                             36 * (dx * dx + 4 * dy * dy) < height * height;
    }
  for (long q = 0; q < directions; ++q)
    for (long i = 0; i < cells; ++i)
      startFlow[q * cells + i] =
          shares[q] * (1 + (q == 1 ? 0.1f : 0) + 0.01f * appUniform());
  reset();
  float *from = flow, *to = nextFlow;
  for (long step = 0; step < steps; ++step) {
    for (long y = 1; y < height - 1; ++y)
      for (long x = 0; x < width; ++x)
        stepCell(from, to, solid, x, y, width, height);
    float *other = from;
    from = to;
    to = other;
  }
  memcpy(expected, flow, flowBytes());
}

static const char *verify(void) {
  return appSameFloats("flow", expected, flow, directions * width * height,
                       1e-4);
}

#endif // SLUICE_BENCH_LBM_H
