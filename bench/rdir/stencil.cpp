//===- stencil.cpp - The tasks of stencil.mlir ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tasks compute; the peers use the same kernels.
//
//===----------------------------------------------------------------------===//

#include "stencil.h"
#include "serve.h"
#include "stencil.rdir.h"

void stencil(const SluiceTask *, const double *input, const SluiceDomain *halo,
             double *output, const SluiceDomain *tile, int64_t n) {
  const bench::StarGrid grid{n, halo->stride[0], 0, const_cast<double *>(input),
                             output};
  for (int64_t i = tile->lower[0]; i < tile->upper[0]; ++i)
    grid.starOfRow(i, tile->lower[1], tile->upper[1]);
}

void increment(const SluiceTask *, double *input, const SluiceDomain *tile) {
  for (int64_t i = tile->lower[0]; i < tile->upper[0]; ++i)
    bench::incrementRow(input + i * tile->stride[0], tile->lower[1],
                        tile->upper[1]);
}

int32_t serve(const SluiceTask *, double *input, double *output,
              const SluiceDomain *domain, int64_t n, int64_t steps) {
  static bench::Server server;
  const bench::StarGrid grid{n, domain->stride[0], steps, input, output};
  return server.serve([&] { grid.reset(); }, [&] { return grid.verify(); });
}
