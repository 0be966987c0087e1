//===- mesh.cpp - The tasks of mesh.mlir ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tasks compute; the peers use the same kernels.
//
//===----------------------------------------------------------------------===//

#include "mesh.h"
#include "mesh.rdir.h"
#include "serve.h"

/// The numbers of one-dimensional elements, by runs.
template <typename Visit>
static void forEachRun(const SluiceDomain *part, Visit visit) {
  if (!part->runs)
    visit(part->lower[0], part->upper[0]);
  for (int64_t run = 0; part->runs && run < part->numRuns; ++run)
    visit(part->runs[run].begin, part->runs[run].end);
}

void makeFaces(const SluiceTask *, int64_t *left, int64_t *right, double *area,
               double *flow, const SluiceDomain *faces, int64_t num_cells) {
  bench::makeMeshFaces(left, right, area, faces->upper[0], num_cells);
  std::fill_n(flow, faces->upper[0], 0.0);
}

double limit(const SluiceTask *, const double *density, const double *energy,
             const double *volume, const SluiceDomain *owned) {
  return bench::limitCells(density, energy, volume, owned->lower[0],
                           owned->upper[0]);
}

void flux(const SluiceTask *, const int64_t *left, const int64_t *right,
          const double *area, const SluiceDomain *, const double *density,
          const double *energy, const SluiceDomain *, double step, double *flow,
          const SluiceDomain *sides) {
  forEachRun(sides, [&](int64_t begin, int64_t end) {
    bench::fluxFaces(left, right, area, density, energy, step, flow, begin,
                     end);
  });
}

void collect(const SluiceTask *, const int64_t *left, const int64_t *right,
             const double *flow, const SluiceDomain *sides, double *massIn,
             double *energyIn, const SluiceDomain *) {
  forEachRun(sides, [&](int64_t begin, int64_t end) {
    bench::collectFaces(left, right, flow, massIn, energyIn, begin, end);
  });
}

void update(const SluiceTask *, const double *massIn, const double *energyIn,
            const double *volume, const SluiceDomain *, double *density,
            double *energy, const SluiceDomain *owned) {
  bench::updateCells(massIn, energyIn, volume, density, energy, owned->lower[0],
                     owned->upper[0]);
}

int32_t serve(const SluiceTask *, const int64_t *left, const int64_t *right,
              const double *area, const SluiceDomain *faces, double *density,
              double *energy, double *massIn, double *energyIn, double *volume,
              const SluiceDomain *cells, double *flow, const SluiceDomain *,
              int64_t steps) {
  static bench::Server server;
  const bench::Mesh mesh{
      cells->upper[0], faces->upper[0], steps,  left,     right,  area,
      density,         energy,          massIn, energyIn, volume, flow};
  return server.serve([&] { mesh.reset(); }, [&] { return mesh.verify(); });
}
