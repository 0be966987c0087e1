//===- hydro.cpp - A gas in a box, on an unstructured mesh ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task functions of hydro.mlir. The hot left quarter of the box drives a
// shock to the right. The result is compared with plain loops over the same
// mesh; mass and energy are conserved.
//
//===----------------------------------------------------------------------===//

#include "hydro.rdir.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int64_t width = 64, numZones = width * width,
                  numPoints = (width + 1) * (width + 1),
                  numSides = 4 * numZones;
constexpr double gasConstant = 1.4, courant = 0.1;

/// Visits the elements of a region.
template <typename Visit>
static void forEach(const SluiceDomain *part, Visit visit) {
  if (!part->runs) {
    for (int64_t i = part->lower[0]; i < part->upper[0]; ++i)
      visit(i);
    return;
  }
  for (int64_t r = 0; r < part->numRuns; ++r)
    for (int64_t i = part->runs[r].begin; i < part->runs[r].end; ++i)
      visit(i);
}

void build(const SluiceTask *, double *mass, double *energy, double *density,
           double *rate, double *pressure, const SluiceDomain *, double *x,
           double *y, double *u, double *v, double *fx, double *fy, double *mu,
           double *mv, double *pointMass, int8_t *wall, const SluiceDomain *,
           int64_t *zone, int64_t *p1, int64_t *p2, double *cx, double *cy,
           const SluiceDomain *) {
  const double size = 1.0 / width;
  for (int64_t p = 0; p < numPoints; ++p) {
    int64_t i = p / (width + 1), j = p % (width + 1);
    x[p] = double(j) * size;
    y[p] = double(i) * size;
    u[p] = v[p] = fx[p] = fy[p] = mu[p] = mv[p] = pointMass[p] = 0;
    wall[p] = int8_t((j == 0 || j == width) + 2 * (i == 0 || i == width));
  }
  for (int64_t z = 0; z < numZones; ++z) {
    int64_t i = z / width, j = z % width;
    density[z] = 1;
    energy[z] = j < width / 4 ? 2.5 : 0.25;
    mass[z] = density[z] * size * size;
    rate[z] = pressure[z] = 0;
    int64_t corner = i * (width + 1) + j;
    const int64_t around[] = {corner, corner + 1, corner + width + 2,
                              corner + width + 1};
    for (int k = 0; k < 4; ++k) {
      int64_t s = 4 * z + k;
      zone[s] = z;
      p1[s] = around[k];
      p2[s] = around[(k + 1) % 4];
      cx[s] = cy[s] = 0;
      pointMass[around[k]] += mass[z] / 4;
    }
  }
}

/// Where gas is compressed (its volume has a negative `rate`), a viscosity
/// turns motion into heat, so that shocks stay smooth.
void press(const SluiceTask *, const double *energy, const double *density,
           const double *rate, const SluiceDomain *part, const double *mass,
           const SluiceDomain *, double *pressure, const SluiceDomain *) {
  forEach(part, [&](int64_t z) {
    double sound = std::sqrt(gasConstant * (gasConstant - 1) * energy[z]);
    double shrink = std::max(0.0, -rate[z]) * std::sqrt(mass[z] / density[z]);
    pressure[z] = density[z] * ((gasConstant - 1) * energy[z] +
                                shrink * (1.5 * shrink + 0.5 * sound));
  });
}

void push(const SluiceTask *, const int64_t *zone, const int64_t *p1,
          const int64_t *p2, const SluiceDomain *part, const double *pressure,
          const SluiceDomain *, const double *x, const double *y,
          const SluiceDomain *, double *cx, double *cy, const SluiceDomain *,
          double *fx, double *fy, const SluiceDomain *) {
  forEach(part, [&](int64_t s) {
    int64_t a = p1[s], b = p2[s];
    cx[s] = pressure[zone[s]] * (y[b] - y[a]) / 2;
    cy[s] = pressure[zone[s]] * (x[a] - x[b]) / 2;
    fx[a] += cx[s];
    fy[a] += cy[s];
    fx[b] += cx[s];
    fy[b] += cy[s];
  });
}

void move(const SluiceTask *, const double *fx, const double *fy,
          const SluiceDomain *part, const double *mass, const int8_t *wall,
          const SluiceDomain *, double step, double *x, double *y,
          const SluiceDomain *, double *u, double *v, const SluiceDomain *,
          double *mu, double *mv, const SluiceDomain *) {
  forEach(part, [&](int64_t p) {
    double newU = wall[p] & 1 ? 0 : u[p] + step * fx[p] / mass[p];
    double newV = wall[p] & 2 ? 0 : v[p] + step * fy[p] / mass[p];
    mu[p] = (u[p] + newU) / 2;
    mv[p] = (v[p] + newV) / 2;
    u[p] = newU;
    v[p] = newV;
    x[p] += step * mu[p];
    y[p] += step * mv[p];
  });
}

/// The sides of a zone stand together.
void work(const SluiceTask *, const int64_t *zone, const int64_t *p1,
          const int64_t *p2, const SluiceDomain *part, const double *cx,
          const double *cy, const SluiceDomain *, const double *mu,
          const double *mv, const SluiceDomain *, const double *x,
          const double *y, const SluiceDomain *, const double *mass,
          const SluiceDomain *zones, double step, double *energy,
          double *density, double *rate, const SluiceDomain *) {
  forEach(zones, [&](int64_t z) {
    rate[z] = mass[z] / density[z]; // the old volume
    density[z] = 0;                 // the new one, so far
  });
  forEach(part, [&](int64_t s) {
    int64_t z = zone[s], a = p1[s], b = p2[s];
    double power = cx[s] * (mu[a] + mu[b]) + cy[s] * (mv[a] + mv[b]);
    energy[z] -= step * power / mass[z];
    density[z] += (x[a] * y[b] - x[b] * y[a]) / 2;
  });
  forEach(zones, [&](int64_t z) {
    rate[z] = (1 - rate[z] / density[z]) / step;
    density[z] = mass[z] / density[z];
  });
}

double limit(const SluiceTask *, const double *energy, const double *density,
             const double *, const SluiceDomain *part, const double *mass,
             const SluiceDomain *) {
  double step = 1;
  forEach(part, [&](int64_t z) {
    double length = std::sqrt(mass[z] / density[z]);
    double sound = std::sqrt(gasConstant * (gasConstant - 1) * energy[z]);
    step = std::min(step, courant * length / sound);
  });
  return step;
}

//===----------------------------------------------------------------------===//
// Plain loops
//===----------------------------------------------------------------------===//

namespace {
using Field = std::vector<double>;

/// The same gas, computed by the same functions on the whole mesh at once.
struct Gas {
  Field mass = Field(numZones), energy = mass, density = mass, rate = mass,
        pressure = mass;
  Field x = Field(numPoints), y = x, u = x, v = x, fx = x, fy = x, mu = x,
        mv = x, pointMass = x;
  std::vector<int8_t> wall = std::vector<int8_t>(numPoints);
  std::vector<int64_t> zone = std::vector<int64_t>(numSides), p1 = zone,
                       p2 = zone;
  Field cx = Field(numSides), cy = cx;
  double step = 1.0e-4;

  static SluiceDomain all(int64_t count) {
    return {1, 0, {0, 0, 0}, {count, 1, 1}, {1, 0, 0}, count, nullptr, 0};
  }
  const SluiceDomain zones = all(numZones), points = all(numPoints),
                     sides = all(numSides);

  Gas() {
    build(nullptr, mass.data(), energy.data(), density.data(), rate.data(),
          pressure.data(), &zones, x.data(), y.data(), u.data(), v.data(),
          fx.data(), fy.data(), mu.data(), mv.data(), pointMass.data(),
          wall.data(), &points, zone.data(), p1.data(), p2.data(), cx.data(),
          cy.data(), &sides);
  }
  void cycle() {
    press(nullptr, energy.data(), density.data(), rate.data(), &zones,
          mass.data(), &zones, pressure.data(), &zones);
    std::fill(fx.begin(), fx.end(), 0.0);
    std::fill(fy.begin(), fy.end(), 0.0);
    push(nullptr, zone.data(), p1.data(), p2.data(), &sides, pressure.data(),
         &zones, x.data(), y.data(), &points, cx.data(), cy.data(), &sides,
         fx.data(), fy.data(), &points);
    move(nullptr, fx.data(), fy.data(), &points, pointMass.data(), wall.data(),
         &points, step, x.data(), y.data(), &points, u.data(), v.data(),
         &points, mu.data(), mv.data(), &points);
    work(nullptr, zone.data(), p1.data(), p2.data(), &sides, cx.data(),
         cy.data(), &sides, mu.data(), mv.data(), &points, x.data(), y.data(),
         &points, mass.data(), &zones, step, energy.data(), density.data(),
         rate.data(), &zones);
    step = std::min(1.0e-2, limit(nullptr, energy.data(), density.data(),
                                  rate.data(), &zones, mass.data(), &zones));
  }
};

double totalEnergy(const double *mass, const double *energy,
                   const double *pointMass, const double *u, const double *v) {
  double total = 0;
  for (int64_t z = 0; z < numZones; ++z)
    total += mass[z] * energy[z];
  for (int64_t p = 0; p < numPoints; ++p)
    total += pointMass[p] * (u[p] * u[p] + v[p] * v[p]) / 2;
  return total;
}

/// Sums of forces may be rounded otherwise: points add their sides by pieces.
void compare(const char *what, const double *found, const Field &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(found[i] - expected[i]) <= 1e-9)) {
      std::printf("hydro: %s %zu is %.17g, expected %.17g\n", what, i, found[i],
                  expected[i]);
      std::exit(1);
    }
}
} // namespace

void check(const SluiceTask *, const double *energy, const double *density,
           const double *, const SluiceDomain *, const double *x,
           const double *y, const SluiceDomain *, const double *u,
           const double *v, const SluiceDomain *, double step,
           const double *mass, const SluiceDomain *, const double *pointMass,
           const int8_t *, const SluiceDomain *, int64_t cycles) {
  Gas gas;
  double before = totalEnergy(gas.mass.data(), gas.energy.data(),
                              gas.pointMass.data(), gas.u.data(), gas.v.data());
  for (int64_t i = 0; i < cycles; ++i)
    gas.cycle();
  compare("the energy of zone", energy, gas.energy);
  compare("the density of zone", density, gas.density);
  compare("x of point", x, gas.x);
  compare("y of point", y, gas.y);
  compare("u of point", u, gas.u);
  compare("v of point", v, gas.v);
  double after = totalEnergy(mass, energy, pointMass, u, v);
  if (!(std::fabs(after / before - 1) < 1e-12)) {
    std::printf("hydro: the energy is %.17g, was %.17g\n", after, before);
    std::exit(1);
  }
  double volume = 0, fastest = 0;
  for (int64_t z = 0; z < numZones; ++z)
    volume += mass[z] / density[z];
  for (int64_t p = 0; p < numPoints; ++p)
    fastest = std::max(fastest, u[p]);
  if (!(std::fabs(volume - 1) < 1e-12)) {
    std::printf("hydro: the gas fills %.17g of the box\n", volume);
    std::exit(1);
  }
  std::printf("%lld cycles, step %.4g, energy kept, fastest point %.4f\n",
              (long long)cycles, step, fastest);
  std::printf("hydro: ok\n");
}
