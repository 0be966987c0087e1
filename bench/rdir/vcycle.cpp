//===- vcycle.cpp - The tasks of vcycle.mlir ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tasks compute; the peers use the same kernels.
//
//===----------------------------------------------------------------------===//

#include "vcycle.h"
#include "serve.h"
#include "vcycle.rdir.h"

void smooth(const SluiceTask *, const double *x, const SluiceDomain *,
            const double *b, const SluiceDomain *, double *y,
            const SluiceDomain *block, int64_t n) {
  bench::smoothCells(x, b, y, block->lower[0], block->upper[0], n);
}

void residual(const SluiceTask *, const double *x, const SluiceDomain *,
              const double *b, const SluiceDomain *, double *r,
              const SluiceDomain *block, int64_t n) {
  bench::residualCells(x, b, r, block->lower[0], block->upper[0], n);
}

void coarsen(const SluiceTask *, const double *r, const SluiceDomain *,
             double *x, double *b, const SluiceDomain *block) {
  bench::coarsenCells(r, x, b, block->lower[0], block->upper[0]);
}

void prolong(const SluiceTask *, const double *coarse,
             const SluiceDomain *block, double *x, const SluiceDomain *) {
  bench::prolongCells(coarse, x, block->lower[0], block->upper[0]);
}

int32_t serve(const SluiceTask *, double *fineX, double *fineY, double *fineB,
              double *fineR, const SluiceDomain *fine, double *midX,
              double *midY, double *midB, double *midR, const SluiceDomain *mid,
              double *coarseX, double *coarseY, double *coarseB,
              double *coarseR, const SluiceDomain *coarse, int64_t cycles) {
  static bench::Server server;
  const bench::Level levels[] = {
      {fine->upper[0], fineX, fineY, fineB, fineR},
      {mid->upper[0], midX, midY, midB, midR},
      {coarse->upper[0], coarseX, coarseY, coarseB, coarseR}};
  auto reset = [&] {
    for (const bench::Level &level : levels)
      level.reset();
  };
  return server.serve(reset, [&] {
    return bench::verifyCycles(fineX, fine->upper[0], cycles);
  });
}
