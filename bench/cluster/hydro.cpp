//===- hydro.cpp - The tasks of hydro.mlir --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas are those of the program by hand. Pieces of zones, sides and
// points are runs of numbers.
//
//===----------------------------------------------------------------------===//

#include "hydro.h"
#include "hydro.rdir.h"
#include "orders.h"

static void startZones(int64_t width, double *energy, double *density,
                       double *rate, int64_t begin, int64_t end) {
  const bench::Mesh mesh{width};
  for (int64_t z = begin; z < end; ++z) {
    energy[z] = mesh.energy(z);
    density[z] = 1;
    rate[z] = 0;
  }
}

static void startPoints(int64_t width, double *x, double *y, double *u,
                        double *v, int64_t begin, int64_t end) {
  const bench::Mesh mesh{width};
  for (int64_t p = begin; p < end; ++p) {
    x[p] = mesh.x(p);
    y[p] = mesh.y(p);
    u[p] = v[p] = 0;
  }
}

void build(const SluiceTask *, double *mass, double *energy, double *density,
           double *rate, double *pressure, const SluiceDomain *zones, double *x,
           double *y, double *u, double *v, double *fx, double *fy, double *mu,
           double *mv, double *pointMass, int8_t *wall,
           const SluiceDomain *points, int64_t *zone, int64_t *p1, int64_t *p2,
           double *cx, double *cy, const SluiceDomain *sides, int64_t width) {
  const bench::Mesh mesh{width};
  startZones(width, energy, density, rate, 0, zones->count);
  startPoints(width, x, y, u, v, 0, points->count);
  for (int64_t z = 0; z < zones->count; ++z) {
    mass[z] = mesh.zoneMass();
    pressure[z] = 0;
  }
  for (int64_t p = 0; p < points->count; ++p) {
    fx[p] = fy[p] = mu[p] = mv[p] = 0;
    pointMass[p] = mesh.pointMass(p);
    wall[p] = mesh.wall(p);
  }
  for (int64_t s = 0; s < sides->count; ++s) {
    zone[s] = s / 4;
    p1[s] = mesh.corner(s / 4, int(s % 4));
    p2[s] = mesh.corner(s / 4, int(s % 4) + 1);
    cx[s] = cy[s] = 0;
  }
}

int32_t serve(const SluiceTask *, int32_t, double wrong) {
  return bench::nextOrder(wrong, bench::allowedError);
}

void resetZones(const SluiceTask *, double *energy, double *density,
                double *rate, const SluiceDomain *part, int32_t order,
                int64_t width) {
  if (order == bench::Check)
    startZones(width, energy, density, rate, part->lower[0], part->upper[0]);
}

void resetPoints(const SluiceTask *, double *x, double *y,
                 const SluiceDomain *part, double *u, double *v,
                 const SluiceDomain *, int32_t order, int64_t width) {
  if (order == bench::Check)
    startPoints(width, x, y, u, v, part->lower[0], part->upper[0]);
}

double resetStep(const SluiceTask *, double step, int32_t order) {
  return order == bench::Check ? bench::firstStep : step;
}

void press(const SluiceTask *, const double *energy, const double *density,
           const double *rate, const SluiceDomain *part, const double *mass,
           const SluiceDomain *, double *pressure, const SluiceDomain *) {
  bench::pressZones(energy, density, rate, mass, pressure, part->lower[0],
                    part->upper[0]);
}

void push(const SluiceTask *, const int64_t *zone, const int64_t *p1,
          const int64_t *p2, const SluiceDomain *part, const double *pressure,
          const SluiceDomain *, const double *x, const double *y,
          const SluiceDomain *, double *cx, double *cy, const SluiceDomain *,
          double *fx, double *fy, const SluiceDomain *) {
  bench::pushSides(zone, p1, p2, pressure, x, y, cx, cy, fx, fy, part->lower[0],
                   part->upper[0]);
}

void move(const SluiceTask *, const double *fx, const double *fy,
          const SluiceDomain *part, const double *mass, const int8_t *wall,
          const SluiceDomain *, double step, double *x, double *y,
          const SluiceDomain *, double *u, double *v, const SluiceDomain *,
          double *mu, double *mv, const SluiceDomain *) {
  bench::movePoints(fx, fy, mass, wall, step, x, y, u, v, mu, mv,
                    part->lower[0], part->upper[0]);
}

void work(const SluiceTask *, const int64_t *, const int64_t *p1,
          const int64_t *p2, const SluiceDomain *, const double *cx,
          const double *cy, const SluiceDomain *, const double *mu,
          const double *mv, const SluiceDomain *, const double *x,
          const double *y, const SluiceDomain *, const double *mass,
          const SluiceDomain *zones, double step, double *energy,
          double *density, double *rate, const SluiceDomain *) {
  bench::workZones(p1, p2, cx, cy, mu, mv, x, y, mass, step, energy, density,
                   rate, zones->lower[0], zones->upper[0]);
}

double limit(const SluiceTask *, const double *energy, const double *density,
             const double *, const SluiceDomain *part, const double *mass,
             const SluiceDomain *) {
  return bench::limitZones(energy, density, mass, part->lower[0],
                           part->upper[0]);
}

double compare(const SluiceTask *, const double *energy, const double *,
               const double *, const SluiceDomain *part, int32_t order,
               int64_t width, int64_t cycles) {
  if (order != bench::Check)
    return 0;
  static const std::vector<double> expected =
      bench::energiesAfter(width, cycles);
  double most = 0;
  for (int64_t z = part->lower[0]; z < part->upper[0]; ++z) {
    const double error = std::fabs(energy[z] - expected[z]);
    most = error >= 0 ? std::max(most, error) : HUGE_VAL; // no number
  }
  return most;
}
