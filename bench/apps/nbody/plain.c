//===- plain.c - Bodies that attract each other in plain loops ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums are declared reductions of vectors, which without -ffast-math is what
// lets the inner loop have lanes.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

static void run(void) {
  const float *restrict m = mass;
#pragma omp parallel
  for (long step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
    for (long i = 0; i < numBodies; ++i) {
      float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
      for (long j = 0; j < numBodies; ++j) {
        float dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
        float square = dx * dx + dy * dy + dz * dz + softening;
        float inverse = 1.0f / sqrtf(square);
        float force = m[j] * inverse * inverse * inverse;
        ax += force * dx;
        ay += force * dy;
        az += force * dz;
      }
      vx[i] += timeStep * ax;
      vy[i] += timeStep * ay;
      vz[i] += timeStep * az;
    }
#pragma omp for simd schedule(static)
    for (long i = 0; i < numBodies; ++i) {
      px[i] += timeStep * vx[i];
      py[i] += timeStep * vy[i];
      pz[i] += timeStep * vz[i];
    }
  }
}

int main(void) { return appServe(); }
