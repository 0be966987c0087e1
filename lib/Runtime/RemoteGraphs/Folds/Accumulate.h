//===- Accumulate.h - Memory that shares of a node add to -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms and counters: rank 0 has the memory, and each other rank that has
// a share of the node begins with elements that change nothing. What they come
// to is joined along a tree. The operations are such that results do not depend
// on the order, so the bits are those of one machine.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_ACCUMULATE_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_ACCUMULATE_H

#include "../NodeShares.h"
#include "../RankState.h"

#include <span>

namespace sluice {

class Accumulation {
public:
  /// For a node with several shares; does nothing unless it accumulates, and
  /// this rank has a share. Before that, memory has moved.
  Accumulation(RankState &state, const SharedLaunch &launch,
               const SluicePlanNode &node, std::span<const RankShare> shares);

  /// Before this rank runs its share.
  void begin() const;
  /// Afterwards, also if it has failed: rank 0 gets what all come to.
  Status finish() const;

private:
  RankState &state;
  const SharedLaunch &launch;
  const SluicePlanShare &table;
  const std::span<const RankShare> shares;
  /// This rank's, or none.
  size_t own;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_ACCUMULATE_H
