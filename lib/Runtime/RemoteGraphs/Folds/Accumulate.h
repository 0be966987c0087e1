//===- Accumulate.h - Memory to which a node's shares add -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Histograms and counters: rank 0 has the memory, and each other rank with a
// share of the node begins with identity elements. The results are combined
// along a tree. The results of the operations do not depend on the order, so
// they are bitwise those of one machine.
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
  /// For a node with several shares, after its memory has been transferred.
  /// Does nothing unless the node accumulates and this rank has a share.
  Accumulation(RankState &state, const SharedLaunch &launch,
               const SluicePlanNode &node, std::span<const RankShare> shares);

  /// Call it before this rank runs its share.
  void begin() const;
  /// Call it afterwards, even after a failure: rank 0 receives the total.
  Status finish() const;

private:
  RankState &state;
  const SharedLaunch &launch;
  const SluicePlanShare &table;
  const std::span<const RankShare> shares;
  /// This rank's share, or none.
  size_t own;
};

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_ACCUMULATE_H
