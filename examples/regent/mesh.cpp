//===- mesh.cpp - The tasks of a step on a mesh ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of mesh.mlir, and the same computation in plain C++. Flows are
// multiples of 2^-20, so sums of them do not depend on their order.
//
//===----------------------------------------------------------------------===//

#include "mesh.rdir.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

static double densityOf(int64_t i) { return 1.0 + double(i % 17) / 16.0; }
static double energyOf(int64_t i) { return 2.0 + double(i % 5) / 4.0; }
static double volumeOf(int64_t i) { return 1.0 + double(i % 3); }

static void endsOf(int64_t i, int64_t cells, int64_t &left, int64_t &right) {
  uint64_t random = (uint64_t(i) + 7) * 0x9e3779b97f4a7c15u;
  random ^= random >> 31;
  left = int64_t(random % uint64_t(cells));
  // Most neighbours are near.
  const uint64_t width = i % 10 ? 20 : uint64_t(cells);
  right = (left + 1 + int64_t((random >> 24) % width)) % cells;
}

static double roundFlow(double flow) {
  return std::round(flow * 1048576.0) / 1048576.0;
}

static double limitOf(double density, double energy, double volume) {
  return 0.01 * volume / (density + energy);
}

static double flowOf(double leftDensity, double leftEnergy, double rightDensity,
                     double rightEnergy, double area, double step) {
  const double pressure = leftDensity * leftEnergy - rightDensity * rightEnergy;
  return roundFlow(0.1 * step * area * pressure);
}

namespace {
// The numbers of one-dimensional elements.
template <typename Visit> void forEach(const SluiceDomain *part, Visit visit) {
  if (!part->runs)
    for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
      visit(i);
  for (int64_t run = 0; part->runs && run < part->numRuns; ++run)
    for (int64_t i = part->runs[run].begin; i < part->runs[run].end; ++i)
      visit(i);
}
} // namespace

void makeCells(const SluiceTask *, double *density, double *energy,
               double *mass_in, double *energy_in, double *volume,
               const SluiceDomain *cells) {
  forEach(cells, [&](int64_t i) {
    density[i] = densityOf(i);
    energy[i] = energyOf(i);
    mass_in[i] = energy_in[i] = 0.0;
    volume[i] = volumeOf(i);
  });
}

void makeFaces(const SluiceTask *, int64_t *left, int64_t *right, double *area,
               double *flow, const SluiceDomain *faces, int64_t num_cells) {
  forEach(faces, [&](int64_t i) {
    endsOf(i, num_cells, left[i], right[i]);
    area[i] = 1.0 + double(i % 4) / 4.0;
    flow[i] = 0.0;
  });
}

double limit(const SluiceTask *, const double *density, const double *energy,
             const double *volume, const SluiceDomain *owned) {
  double least = 1.0e30;
  forEach(owned, [&](int64_t i) {
    least = std::min(least, limitOf(density[i], energy[i], volume[i]));
  });
  return least;
}

void flux(const SluiceTask *, const int64_t *left, const int64_t *right,
          const double *area, const SluiceDomain *, const double *density,
          const double *energy, const SluiceDomain *, double step, double *flow,
          const SluiceDomain *sides) {
  forEach(sides, [&](int64_t i) {
    const int64_t l = left[i], r = right[i];
    flow[i] =
        flowOf(density[l], energy[l], density[r], energy[r], area[i], step);
  });
}

void collect(const SluiceTask *, const int64_t *left, const int64_t *right,
             const double *flow, const SluiceDomain *sides, double *mass_in,
             double *energy_in, const SluiceDomain *) {
  forEach(sides, [&](int64_t i) {
    mass_in[left[i]] -= flow[i];
    mass_in[right[i]] += flow[i];
    energy_in[left[i]] -= 0.5 * flow[i];
    energy_in[right[i]] += 0.5 * flow[i];
  });
}

void update(const SluiceTask *, const double *mass_in, const double *energy_in,
            const double *volume, const SluiceDomain *, double *density,
            double *energy, const SluiceDomain *owned) {
  forEach(owned, [&](int64_t i) {
    density[i] += mass_in[i] / volume[i];
    energy[i] += energy_in[i] / volume[i];
  });
}

void compare(const SluiceTask *, const double *density, const double *energy,
             const double *, const double *, const double *volume,
             const SluiceDomain *cells, const int64_t *left,
             const int64_t *right, const double *area, const double *,
             const SluiceDomain *faces, int64_t steps) {
  const int64_t numCells = cells->upper[0], numFaces = faces->upper[0];
  std::vector<double> d(numCells), e(numCells), mass(numCells), heat(numCells);
  for (int64_t i = 0; i < numCells; ++i) {
    d[i] = densityOf(i);
    e[i] = energyOf(i);
  }
  for (int64_t n = 0; n < steps; ++n) {
    double step = 1.0e30;
    for (int64_t i = 0; i < numCells; ++i)
      step = std::min(step, limitOf(d[i], e[i], volume[i]));
    std::fill(mass.begin(), mass.end(), 0.0);
    std::fill(heat.begin(), heat.end(), 0.0);
    for (int64_t i = 0; i < numFaces; ++i) {
      const int64_t l = left[i], r = right[i];
      const double flow = flowOf(d[l], e[l], d[r], e[r], area[i], step);
      mass[l] -= flow;
      mass[r] += flow;
      heat[l] -= 0.5 * flow;
      heat[r] += 0.5 * flow;
    }
    for (int64_t i = 0; i < numCells; ++i) {
      d[i] += mass[i] / volume[i];
      e[i] += heat[i] / volume[i];
    }
  }
  int64_t wrong = 0;
  for (int64_t i = 0; i < numCells; ++i)
    wrong += d[i] != density[i] || e[i] != energy[i];
  std::printf("mesh: %lld wrong\n", (long long)wrong);
}
