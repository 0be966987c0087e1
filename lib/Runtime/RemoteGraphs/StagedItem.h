//===- StagedItem.h - One item of a stream on several ranks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of a streaming graph are divided into stages, each a consecutive
// part of the plan's order on its own rank. All ranks process the items in the
// order in which rank 0 starts them. For each item all ranks compute which
// bytes every stage needs; each rank runs its own stage and forwards the values
// known so far. So a stage processes its next item while later stages process
// earlier ones.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_STAGEDITEM_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_STAGEDITEM_H

#include "GraphRun.h"
#include "StageMail.h"

#include <string>

namespace sluice {

/// Stage r consists of nodes firstNodes[r] up to firstNodes[r + 1], on rank r.
struct StageMap {
  std::vector<uint32_t> firstNodes;

  uint32_t numStages() const {
    return static_cast<uint32_t>(firstNodes.size()) - 1;
  }
};

/// The reason why no stage but the first may be on another rank; empty if some
/// may.
std::string whyNotStaged(const PlanInfo &info);

/// At most `numRanks` stages, with the shortest possible longest stage.
/// `times`: the time of each node for an item; `mayCut`: whether a stage may
/// begin with the node.
StageMap divideStages(const std::vector<char> &mayCut,
                      const std::vector<uint64_t> &times, uint32_t numRanks);
/// The same for the nodes of a plan.
StageMap placeStages(const PlanInfo &info, const std::vector<uint64_t> &times,
                     uint32_t numRanks);

/// One item, as seen by a rank. The frame contains the arguments with addresses
/// of this rank.
struct StagedItem {
  GraphInstance &instance;
  std::span<const uintptr_t> pointers; ///< on rank 0
  const StageMap &map;
  uint64_t number;
};

/// Whether all memory of its arguments is tracked, so that stages may be on
/// ranks other than rank 0.
bool isAllTracked(const RankState &state, const StagedItem &item);

/// All ranks call this. Rank 0 receives the values of the last stage later, by
/// StageMail::expect, into the frame and `hasFailed`. Returns true if something
/// failed here or in an earlier stage.
bool runStages(RankState &state, StageMail &mail, Executor &executor,
               const StagedItem &item, char &hasFailed,
               std::vector<uint64_t> *times = nullptr);

/// Called on rank 0 when the values of the last stage have arrived.
void finishStages(const StagedItem &item);

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_STAGEDITEM_H
