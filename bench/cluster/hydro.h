//===- hydro.h - The gas that bench cluster measures ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mesh, kernels and oracle of the rows "hydro", the same for every program:
// those of examples/hydro, on ranges of zones, sides and points.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CLUSTER_HYDRO_H
#define SLUICE_BENCH_CLUSTER_HYDRO_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bench {

inline constexpr double gasConstant = 1.4, courant = 0.1, firstStep = 1.0e-4,
                        longestStep = 1.0e-2;

/// A square of width x width zones; a zone has four sides, which stand
/// together.
struct Mesh {
  int64_t width = 0;

  int64_t numZones() const { return width * width; }
  int64_t numSides() const { return 4 * numZones(); }
  int64_t numPoints() const { return (width + 1) * (width + 1); }
  double size() const { return 1.0 / double(width); }
  /// The k-th corner of a zone, counted around it.
  int64_t corner(int64_t zone, int k) const {
    const int64_t first = zone / width * (width + 1) + zone % width;
    const int64_t around[] = {first, first + 1, first + width + 2,
                              first + width + 1};
    return around[k % 4];
  }
  double x(int64_t point) const { return double(point % (width + 1)) * size(); }
  double y(int64_t point) const { return double(point / (width + 1)) * size(); }
  /// Bit 0: moves up and down only; bit 1: left and right.
  int8_t wall(int64_t point) const {
    const int64_t i = point / (width + 1), j = point % (width + 1);
    return int8_t((j == 0 || j == width) + 2 * (i == 0 || i == width));
  }
  double zoneMass() const { return size() * size(); }
  double energy(int64_t zone) const {
    return zone % width < width / 4 ? 2.5 : 0.25;
  }
  double pointMass(int64_t point) const {
    const int64_t i = point / (width + 1), j = point % (width + 1);
    const int numZones = ((i > 0) + (i < width)) * ((j > 0) + (j < width));
    return numZones * zoneMass() / 4;
  }
};

inline void pressZones(const double *energy, const double *density,
                       const double *rate, const double *mass, double *pressure,
                       int64_t begin, int64_t end) {
  for (int64_t z = begin; z < end; ++z) {
    const double sound = std::sqrt(gasConstant * (gasConstant - 1) * energy[z]);
    const double shrink =
        std::max(0.0, -rate[z]) * std::sqrt(mass[z] / density[z]);
    pressure[z] = density[z] * ((gasConstant - 1) * energy[z] +
                                shrink * (1.5 * shrink + 0.5 * sound));
  }
}

inline void pushSides(const int64_t *zone, const int64_t *p1, const int64_t *p2,
                      const double *pressure, const double *x, const double *y,
                      double *cx, double *cy, double *fx, double *fy,
                      int64_t begin, int64_t end) {
  for (int64_t s = begin; s < end; ++s) {
    const int64_t a = p1[s], b = p2[s];
    cx[s] = pressure[zone[s]] * (y[b] - y[a]) / 2;
    cy[s] = pressure[zone[s]] * (x[a] - x[b]) / 2;
    fx[a] += cx[s];
    fy[a] += cy[s];
    fx[b] += cx[s];
    fy[b] += cy[s];
  }
}

inline void movePoints(const double *fx, const double *fy, const double *mass,
                       const int8_t *wall, double step, double *x, double *y,
                       double *u, double *v, double *mu, double *mv,
                       int64_t begin, int64_t end) {
  for (int64_t p = begin; p < end; ++p) {
    const double newU = wall[p] & 1 ? 0 : u[p] + step * fx[p] / mass[p];
    const double newV = wall[p] & 2 ? 0 : v[p] + step * fy[p] / mass[p];
    mu[p] = (u[p] + newU) / 2;
    mv[p] = (v[p] + newV) / 2;
    u[p] = newU;
    v[p] = newV;
    x[p] += step * mu[p];
    y[p] += step * mv[p];
  }
}

/// Computes the work of the zones from begin to end, with their sides.
inline void workZones(const int64_t *p1, const int64_t *p2, const double *cx,
                      const double *cy, const double *mu, const double *mv,
                      const double *x, const double *y, const double *mass,
                      double step, double *energy, double *density,
                      double *rate, int64_t begin, int64_t end) {
  for (int64_t z = begin; z < end; ++z) {
    const double oldVolume = mass[z] / density[z];
    double volume = 0;
    for (int64_t s = 4 * z; s < 4 * z + 4; ++s) {
      const int64_t a = p1[s], b = p2[s];
      const double power = cx[s] * (mu[a] + mu[b]) + cy[s] * (mv[a] + mv[b]);
      energy[z] -= step * power / mass[z];
      volume += (x[a] * y[b] - x[b] * y[a]) / 2;
    }
    rate[z] = (1 - oldVolume / volume) / step;
    density[z] = mass[z] / volume;
  }
}

inline double limitZones(const double *energy, const double *density,
                         const double *mass, int64_t begin, int64_t end) {
  double step = longestStep;
  for (int64_t z = begin; z < end; ++z) {
    const double length = std::sqrt(mass[z] / density[z]);
    const double sound = std::sqrt(gasConstant * (gasConstant - 1) * energy[z]);
    step = std::min(step, courant * length / sound);
  }
  return step;
}

/// All of the gas, in arrays that are indexed alike everywhere.
struct Gas {
  Mesh mesh;
  std::vector<double> mass, energy, density, rate, pressure;
  std::vector<double> x, y, u, v, fx, fy, mu, mv, pointMass;
  std::vector<int8_t> wall;
  std::vector<int64_t> zone, p1, p2;
  std::vector<double> cx, cy;
  double step = firstStep;

  Gas() = default;
  explicit Gas(int64_t width) : mesh{width} {
    const size_t zones = mesh.numZones(), points = mesh.numPoints();
    for (auto *field : {&energy, &density, &rate, &pressure})
      field->resize(zones);
    mass.assign(zones, mesh.zoneMass());
    for (auto *field : {&x, &y, &u, &v, &fx, &fy, &mu, &mv})
      field->resize(points);
    for (size_t p = 0; p < points; ++p) {
      pointMass.push_back(mesh.pointMass(p));
      wall.push_back(mesh.wall(p));
    }
    for (size_t s = 0; s < 4 * zones; ++s) {
      zone.push_back(s / 4);
      p1.push_back(mesh.corner(s / 4, s % 4));
      p2.push_back(mesh.corner(s / 4, s % 4 + 1));
    }
    cx.resize(4 * zones);
    cy.resize(4 * zones);
    reset();
  }
  void reset() {
    for (int64_t z = 0; z < mesh.numZones(); ++z) {
      energy[z] = mesh.energy(z);
      density[z] = 1;
      rate[z] = 0;
    }
    for (int64_t p = 0; p < mesh.numPoints(); ++p) {
      x[p] = mesh.x(p);
      y[p] = mesh.y(p);
      u[p] = v[p] = 0;
    }
    step = firstStep;
  }
  void press(int64_t begin, int64_t end) {
    pressZones(energy.data(), density.data(), rate.data(), mass.data(),
               pressure.data(), begin, end);
  }
  /// The sides of zones.
  void push(int64_t begin, int64_t end) {
    pushSides(zone.data(), p1.data(), p2.data(), pressure.data(), x.data(),
              y.data(), cx.data(), cy.data(), fx.data(), fy.data(), 4 * begin,
              4 * end);
  }
  void move(int64_t begin, int64_t end) {
    movePoints(fx.data(), fy.data(), pointMass.data(), wall.data(), step,
               x.data(), y.data(), u.data(), v.data(), mu.data(), mv.data(),
               begin, end);
  }
  void work(int64_t begin, int64_t end) {
    workZones(p1.data(), p2.data(), cx.data(), cy.data(), mu.data(), mv.data(),
              x.data(), y.data(), mass.data(), step, energy.data(),
              density.data(), rate.data(), begin, end);
  }
  double limit(int64_t begin, int64_t end) const {
    return limitZones(energy.data(), density.data(), mass.data(), begin, end);
  }
  void cycle() {
    press(0, mesh.numZones());
    std::fill(fx.begin(), fx.end(), 0.0);
    std::fill(fy.begin(), fy.end(), 0.0);
    push(0, mesh.numZones());
    move(0, mesh.numPoints());
    work(0, mesh.numZones());
    step = limit(0, mesh.numZones());
  }
};

/// The energies of the zones after so many cycles, by plain loops.
inline std::vector<double> energiesAfter(int64_t width, int64_t cycles) {
  Gas gas(width);
  for (int64_t i = 0; i < cycles; ++i)
    gas.cycle();
  return gas.energy;
}

/// Sums of forces may be rounded otherwise: points add their sides by pieces.
inline constexpr double allowedError = 1e-9;

} // namespace bench

#endif // SLUICE_BENCH_CLUSTER_HYDRO_H
