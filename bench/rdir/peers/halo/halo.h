//===- halo.h - What the peers' stencils share ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A peer defines prepareHalo, runHalo and releaseHalo; the row's name carries
// the sizes, "halo:N:ROWS:COLUMNS:PAIRS".
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_PEERS_HALO_H
#define SLUICE_BENCH_RDIR_PEERS_HALO_H

#include "../../halo.h"

namespace bench {

inline Plate plate;

void prepareHalo();
/// Sweeps the plate 2 * pairs times, block by block.
void runHalo();
void releaseHalo();
/// Builds the graph of the tasks anew, where a program keeps one.
void instantiateHalo();

inline void allocatePlate() {
  long long n = 0, rows = 0, columns = 0, pairs = 0;
  if (sscanf(benchParameters, "%lld:%lld:%lld:%lld", &n, &rows, &columns,
             &pairs) != 4) {
    fprintf(stderr, "expected halo:N:ROWS:COLUMNS:PAIRS\n");
    exit(1);
  }
  plate = {n, rows, columns, pairs, nullptr, nullptr};
  plate.now = static_cast<double *>(benchAllocate(n * n * sizeof(double)));
  plate.next = static_cast<double *>(benchAllocate(n * n * sizeof(double)));
  prepareHalo();
}

inline void releasePlate() {
  releaseHalo();
  free(plate.now);
  free(plate.next);
}

inline int serveHalo() {
  const BenchRow rows[] = {
      {"halo", 1, 1, allocatePlate, [] { plate.reset(); }, runHalo,
       [] { return verify(plate.now, plate.n, plate.pairs); }, releasePlate, 0,
       nullptr},
      {"halo-instantiate", 1, 20, allocatePlate, [] {}, instantiateHalo,
       []() -> const char * {
         plate.reset();
         runHalo();
         return verify(plate.now, plate.n, plate.pairs);
       },
       releasePlate, 0, nullptr}};
  return benchServe(rows, 2);
}

} // namespace bench

#endif // SLUICE_BENCH_RDIR_PEERS_HALO_H
