//===- RandomGraphs.h - Random forests, graphs and programs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support. Graphs grow along a topological order: a new version is only
// added after all versions that it may alias. So histories are ordered, as in
// every race-free graph. Tasks also read old versions, which makes some graphs
// unserializable.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_TESTING_RANDOMGRAPHS_H
#define SLUICE_LIB_RDIR_TESTING_RANDOMGRAPHS_H

#include "OracleGraph.h"

#include <random>

namespace sluice::rdir::oracle {

/// Features beyond Reads and Writes of regions in disjoint complete partitions.
struct Extensions {
  bool fields = false, reductions = false, discards = false;
  bool aliased = false, incomplete = false, constraints = false;
  /// Tasks take partitions as arguments.
  bool partitions = false;
  /// Tasks read several regions that may alias.
  bool aliasingReads = false;
  /// Programs only: tasks are launched.
  bool launches = false;
};

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// Below `bound`, which is not 0.
  uint32_t pick(size_t bound) { return engine() % bound; }
  bool chance(unsigned percent) { return pick(100) < percent; }
  template <typename List> auto &one(List &list) {
    return list[pick(list.size())];
  }

private:
  std::mt19937_64 engine;
};

/// A small forest whose proofs and world agree on what may alias.
ConstrainedForest randomForest(Random &random, const Extensions &extensions);

/// The same, but of two trees that constraints join, one lies in the other, as
/// buildGraph requires.
ConstrainedForest randomNestedForest(Random &random,
                                     const Extensions &extensions);

/// A graph that may break some rules about kinds of nodes.
Graph randomGraph(Random &random, const ConstrainedForest &forest,
                  const Extensions &extensions, unsigned numTasks);

/// A graph with any edges between any nodes.
Graph randomIllFormedGraph(Random &random, const ConstrainedForest &forest);

/// Tasks whose own arguments do not conflict.
SequentialProgram randomProgram(Random &random, const ConstrainedForest &forest,
                                const Extensions &extensions,
                                unsigned numTasks);

/// One line per node and edge, for messages.
std::string describe(const Graph &graph);
std::string describe(const SequentialProgram &program);

} // namespace sluice::rdir::oracle

#endif // SLUICE_LIB_RDIR_TESTING_RANDOMGRAPHS_H
