//===- halo.cpp - The tasks of halo.mlir ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tasks of halo.mlir compute; the peers use the same formulas.
//
//===----------------------------------------------------------------------===//

#include "halo.h"
#include "halo.rdir.h"
#include "serve.h"

void sweep(const SluiceTask *, const double *from, const SluiceDomain *,
           double *to, const SluiceDomain *block) {
  bench::sweepBox(from, to, block->lower[0], block->upper[0], block->lower[1],
                  block->upper[1], block->extent[0], block->stride[0]);
}

int32_t serve(const SluiceTask *, double *now, double *next,
              const SluiceDomain *, int32_t, int64_t n, int64_t pairs) {
  static bench::Server server;
  return server.serve(
      [&] {
        bench::Plate plate{n, 1, 1, pairs, now, next};
        plate.reset();
      },
      [&] { return bench::verify(now, n, pairs); });
}
