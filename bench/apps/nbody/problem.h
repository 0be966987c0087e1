//===- problem.h - Bodies that attract each other ----------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every body feels every other one; then all move. The order of summation and
// contracted products differ among programs: the tolerance is 1e-4.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_NBODY_H
#define SLUICE_BENCH_NBODY_H

#include "../app.h"

static const float softening = 0.01f, timeStep = 0.001f;
static long numBodies, steps;
static float *px, *py, *pz, *mass, *vx, *vy, *vz;
static float *startX, *startY, *startZ;
static float *expectedX, *expectedY, *expectedZ;

static void reset(void) {
  const size_t bytes = sizeof(float) * (size_t)numBodies;
  memcpy(px, startX, bytes);
  memcpy(py, startY, bytes);
  memcpy(pz, startZ, bytes);
  memset(vx, 0, bytes);
  memset(vy, 0, bytes);
  memset(vz, 0, bytes);
}

static void stepSerial(void) {
  for (long i = 0; i < numBodies; ++i) {
    float ax = 0, ay = 0, az = 0;
    for (long j = 0; j < numBodies; ++j) {
      float dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
      float square = dx * dx + dy * dy + dz * dz + softening;
      float inverse = 1.0f / sqrtf(square);
      float force = mass[j] * inverse * inverse * inverse;
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
    }
    vx[i] += timeStep * ax;
    vy[i] += timeStep * ay;
    vz[i] += timeStep * az;
  }
  for (long i = 0; i < numBodies; ++i) {
    px[i] += timeStep * vx[i];
    py[i] += timeStep * vy[i];
    pz[i] += timeStep * vz[i];
  }
}

static void allocate(void) {
  numBodies = appNumber(1);
  steps = appNumber(2);
  float **arrays[] = {&px, &py, &pz, &mass, &vx, &vy, &vz};
  for (int i = 0; i < 7; ++i)
    *arrays[i] = appFloats(numBodies);
  float **oracle[] = {&startX,    &startY,    &startZ,
                      &expectedX, &expectedY, &expectedZ};
  for (int i = 0; i < 6; ++i)
    *oracle[i] = (float *)appOracle(sizeof(float) * (size_t)numBodies);
  for (long i = 0; i < numBodies; ++i) {
    startX[i] = appUniform();
    startY[i] = appUniform();
    startZ[i] = appUniform();
    mass[i] = 1 + appUniform();
  }
  reset();
  for (long step = 0; step < steps; ++step)
    stepSerial();
  memcpy(expectedX, px, sizeof(float) * (size_t)numBodies);
  memcpy(expectedY, py, sizeof(float) * (size_t)numBodies);
  memcpy(expectedZ, pz, sizeof(float) * (size_t)numBodies);
}

static const char *verify(void) {
  const double tolerance = 1e-4;
  const char *wrong = appSameFloats("x", expectedX, px, numBodies, tolerance);
  if (!wrong)
    wrong = appSameFloats("y", expectedY, py, numBodies, tolerance);
  return wrong ? wrong
               : appSameFloats("z", expectedZ, pz, numBodies, tolerance);
}

#endif // SLUICE_BENCH_NBODY_H
