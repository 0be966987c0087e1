//===- Generate.h - Programs and graphs of any size -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the checks are timed on: shapes that region programs have, with about
// the given number of nodes and three edges per node where the shape allows.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_RDIR_GENERATE_H
#define SLUICE_BENCH_RDIR_GENERATE_H

#include "sluice/RDIR/SequentialProgram.h"

#include <memory>
#include <string>

namespace sluice::rdir::bench {

/// A graph with the forest it is over.
struct Generated {
  std::unique_ptr<RegionForest> forest;
  std::unique_ptr<Graph> graph;
};

/// Tasks that update one of 64 regions each and read four others.
Generated makeChains(size_t numNodes);
/// A grid of 32 x 32 blocks in 4 x 4 squares; updates of blocks, of squares
/// and of the grid in turn, so that opens and closes lie between.
Generated makeTrees(size_t numNodes);
/// Jacobi iteration on blocks with halos: an aliased partition beside a
/// disjoint one, and two fields that change places.
Generated makeStencil(size_t numNodes);
/// Tasks with random arguments in a random forest.
Generated makeRandom(size_t numNodes, uint64_t seed);

/// By name: "chains", "trees", "stencil" or "random"; none for other names.
Generated make(const std::string &shape, size_t numNodes);

} // namespace sluice::rdir::bench

#endif // SLUICE_BENCH_RDIR_GENERATE_H
