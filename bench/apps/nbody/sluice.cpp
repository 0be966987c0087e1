//===- sluice.cpp - Bodies that attract each other in Hetero-C++ ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph a step: all forces, then all moves.
//
//===----------------------------------------------------------------------===//

#include "problem.h"

#include <hetero.h>

void step(float *x, size_t xBytes, float *y, size_t yBytes, float *z,
          size_t zBytes, float *m, size_t mBytes, float *u, size_t uBytes,
          float *v, size_t vBytes, float *w, size_t wBytes, long count,
          float delta, float soft) {
  void *section = __hetero_section_begin();
  for (long i = 0; i < count; ++i) {
    __hetero_parallel_loop(1, 10, x, xBytes, y, yBytes, z, zBytes, m, mBytes, u,
                           uBytes, v, vBytes, w, wBytes, count, delta, soft, 3,
                           u, uBytes, v, vBytes, w, wBytes);
    float ax = 0, ay = 0, az = 0;
    for (long j = 0; j < count; ++j) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      float square = dx * dx + dy * dy + dz * dz + soft;
      float inverse = 1.0f / sqrtf(square);
      float force = m[j] * inverse * inverse * inverse;
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
    }
    u[i] += delta * ax;
    v[i] += delta * ay;
    w[i] += delta * az;
  }
  for (long i = 0; i < count; ++i) {
    __hetero_parallel_loop(1, 8, x, xBytes, y, yBytes, z, zBytes, u, uBytes, v,
                           vBytes, w, wBytes, count, delta, 3, x, xBytes, y,
                           yBytes, z, zBytes);
    x[i] += delta * u[i];
    y[i] += delta * v[i];
    z[i] += delta * w[i];
  }
  __hetero_section_end(section);
}

static void run() {
  size_t bytes = sizeof(float) * numBodies;
  for (long i = 0; i < steps; ++i)
    __hetero_wait(__hetero_launch(
        (void *)step, 10, px, bytes, py, bytes, pz, bytes, mass, bytes, vx,
        bytes, vy, bytes, vz, bytes, numBodies, timeStep, softening, 6, px,
        bytes, py, bytes, pz, bytes, vx, bytes, vy, bytes, vz, bytes));
}

int main() { return appServe(); }
