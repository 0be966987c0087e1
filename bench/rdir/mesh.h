//===- mesh.h - The mesh that bench rdir measures ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, inputs and oracle of the rows "mesh", the same for every program.
// Faces are sorted by the cells on their left.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_MESH_H
#define SLUICE_BENCH_RDIR_MESH_H

#include "../common/harness.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

/// Fills what faces are fixed by: most neighbours are near.
inline void makeMeshFaces(int64_t *left, int64_t *right, double *area,
                          int64_t numFaces, int64_t numCells) {
  for (int64_t i = 0; i < numFaces; ++i) {
    uint64_t random = (uint64_t(i) + 7) * 0x9e3779b97f4a7c15u;
    random ^= random >> 31;
    const uint64_t width = i % 10 ? 20 : uint64_t(numCells);
    left[i] = i * numCells / numFaces;
    right[i] = (left[i] + 1 + int64_t((random >> 24) % width)) % numCells;
    area[i] = 1.0 + double(i % 4) / 4.0;
  }
}

/// The least step of cells begin <= i < end.
inline double limitCells(const double *density, const double *energy,
                         const double *volume, int64_t begin, int64_t end) {
  double least = 1.0e30;
  for (int64_t i = begin; i < end; ++i) {
    const double own = 0.01 * volume[i] / (density[i] + energy[i]);
    least = own < least ? own : least;
  }
  return least;
}

inline void fluxFaces(const int64_t *__restrict left,
                      const int64_t *__restrict right,
                      const double *__restrict area,
                      const double *__restrict density,
                      const double *__restrict energy, double step,
                      double *__restrict flow, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t l = left[i], r = right[i];
    flow[i] = 0.1 * step * area[i] *
              (density[l] * energy[l] - density[r] * energy[r]);
  }
}

/// Faces of one cell follow each other, so its sums stay in registers.
inline void collectFaces(const int64_t *__restrict left,
                         const int64_t *__restrict right,
                         const double *__restrict flow,
                         double *__restrict massIn, double *__restrict energyIn,
                         int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end;) {
    const int64_t cell = left[i];
    double mass = 0, heat = 0;
    for (; i < end && left[i] == cell; ++i) {
      mass += flow[i];
      heat += 0.5 * flow[i];
      massIn[right[i]] += flow[i];
      energyIn[right[i]] += 0.5 * flow[i];
    }
    massIn[cell] -= mass;
    energyIn[cell] -= heat;
  }
}

inline void updateCells(const double *__restrict massIn,
                        const double *__restrict energyIn,
                        const double *__restrict volume,
                        double *__restrict density, double *__restrict energy,
                        int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    density[i] += massIn[i] / volume[i];
    energy[i] += energyIn[i] / volume[i];
  }
}

/// Cells and faces of a whole mesh.
struct Mesh {
  int64_t numCells, numFaces, steps;
  const int64_t *left, *right;
  const double *area;
  double *density, *energy, *massIn, *energyIn, *volume, *flow;

  void reset() const {
    for (int64_t i = 0; i < numCells; ++i) {
      density[i] = 1.0 + double(i % 17) / 16.0;
      energy[i] = 2.0 + double(i % 5) / 4.0;
      volume[i] = 1.0 + double(i % 3);
      massIn[i] = energyIn[i] = 0;
    }
    std::fill_n(flow, numFaces, 0.0);
  }
  /// Null if the cells are what one repetition from fresh inputs gives.
  const char *verify() const {
    std::vector<double> d(numCells), e(numCells), mass(numCells),
        heat(numCells), v(numCells), f(numFaces);
    const Mesh serial{numCells,    numFaces,    steps,    left,
                      right,       area,        d.data(), e.data(),
                      mass.data(), heat.data(), v.data(), f.data()};
    serial.reset();
    for (int64_t n = 0; n < steps; ++n) {
      const double step = limitCells(d.data(), e.data(), v.data(), 0, numCells);
      fluxFaces(left, right, area, d.data(), e.data(), step, f.data(), 0,
                numFaces);
      std::fill(mass.begin(), mass.end(), 0.0);
      std::fill(heat.begin(), heat.end(), 0.0);
      collectFaces(left, right, f.data(), mass.data(), heat.data(), 0,
                   numFaces);
      updateCells(mass.data(), heat.data(), v.data(), d.data(), e.data(), 0,
                  numCells);
    }
    for (int64_t i = 0; i < numCells; ++i) {
      if (!(std::fabs(density[i] - d[i]) <= 1e-9))
        return benchWrong("density", i, d[i], density[i]);
      if (!(std::fabs(energy[i] - e[i]) <= 1e-9))
        return benchWrong("energy", i, e[i], energy[i]);
    }
    return nullptr;
  }
};

} // namespace bench

#endif // SLUICE_BENCH_RDIR_MESH_H
