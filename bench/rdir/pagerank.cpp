//===- pagerank.cpp - The tasks of pagerank.mlir --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tasks compute; the peers use the same kernels.
//
//===----------------------------------------------------------------------===//

#include "pagerank.h"
#include "pagerank.rdir.h"
#include "serve.h"

void makeLinks(const SluiceTask *, int64_t *from, int64_t *to,
               const SluiceDomain *links, int64_t pages) {
  bench::makeSortedLinks(from, to, links->upper[0], pages);
}

void makePages(const SluiceTask *, const int64_t *from, const int64_t *to,
               const SluiceDomain *links, double *rank, double *next,
               int64_t *degree, int32_t *piece, const SluiceDomain *pages,
               int64_t pieces) {
  std::fill_n(rank, pages->upper[0], 0.0);
  std::fill_n(next, pages->upper[0], 0.0);
  bench::countLinks(from, links->upper[0], degree, pages->upper[0]);
  auto firstPage = [&](int64_t number) {
    return bench::firstPageOf(number, pieces, to, links->upper[0],
                              pages->upper[0]);
  };
  for (int64_t number = 0; number < pieces; ++number)
    std::fill(piece + firstPage(number), piece + firstPage(number + 1),
              int32_t(number));
}

void restart(const SluiceTask *, double *rank, const SluiceDomain *owned,
             int64_t pages) {
  std::fill(rank + owned->lower[0], rank + owned->upper[0],
            1.0 / double(pages));
}

void gather(const SluiceTask *, const int64_t *from, const int64_t *to,
            const SluiceDomain *links, const double *rank,
            const int64_t *degree, const SluiceDomain *, double *next,
            const SluiceDomain *owned, int64_t pages) {
  bench::startRanks(next, owned->lower[0], owned->upper[0], pages);
  if (!links->runs)
    bench::gatherRanks(from, to, links->lower[0], links->upper[0], rank, degree,
                       next);
  for (int64_t run = 0; links->runs && run < links->numRuns; ++run)
    bench::gatherRanks(from, to, links->runs[run].begin, links->runs[run].end,
                       rank, degree, next);
}

double advance(const SluiceTask *, const double *next, const SluiceDomain *,
               double *rank, const SluiceDomain *owned) {
  return bench::advanceRanks(next, rank, owned->lower[0], owned->upper[0]);
}

int32_t decide(const SluiceTask *, double change, double bound) {
  return change > bound;
}

int32_t serve(const SluiceTask *, const int64_t *from, const int64_t *to,
              const SluiceDomain *links, double *rank, double *,
              int64_t *degree, const SluiceDomain *pages, int64_t steps,
              double bound) {
  static bench::Server server;
  return server.serve([] {},
                      [&] {
                        return bench::verifyRanks(
                            rank, from, to, links->upper[0], degree,
                            pages->upper[0], steps, bound);
                      });
}
