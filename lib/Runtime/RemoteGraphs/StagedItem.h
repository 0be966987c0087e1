//===- StagedItem.h - One item of a stream on several ranks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of a streaming graph are divided into stages, each a part of the
// plan's order, and each on a rank of its own. All ranks go through the items
// in the order in which rank 0 starts them. For each item they find alike which
// bytes every stage needs; each runs its own stage and sends on what is known
// so far. So a stage has its next item while those behind it have the ones
// before.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_STAGEDITEM_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_STAGEDITEM_H

#include "GraphRun.h"
#include "StageMail.h"

#include <string>

namespace sluice {

/// Stage r is nodes firstNodes[r] up to firstNodes[r + 1], on rank r.
struct StageMap {
  std::vector<uint32_t> firstNodes;

  uint32_t numStages() const {
    return static_cast<uint32_t>(firstNodes.size()) - 1;
  }
};

/// Why no stage but the first may be on another rank; empty if some may.
std::string whyNotStaged(const PlanInfo &info);

/// At most `numRanks` stages, of which the one that takes longest takes as
/// little as it can; `times`: what each node took for an item; `mayCut`:
/// whether a stage may begin with it.
StageMap divideStages(const std::vector<char> &mayCut,
                      const std::vector<uint64_t> &times, uint32_t numRanks);
/// The same for the nodes of a plan.
StageMap placeStages(const PlanInfo &info, const std::vector<uint64_t> &times,
                     uint32_t numRanks);

/// One item, as a rank knows it. The frame has the arguments, with addresses of
/// this rank.
struct StagedItem {
  GraphInstance &instance;
  std::span<const uintptr_t> pointers; ///< on rank 0
  const StageMap &map;
  uint64_t number;
};

/// Whether all memory of its arguments is tracked, so that stages may be
/// elsewhere than on rank 0.
bool isAllTracked(const RankState &state, const StagedItem &item);

/// All ranks call this. Rank 0 gets the values of the last stage later, by
/// StageMail::expect, into the frame and `hasFailed`. True: something failed
/// here, or before.
bool runStages(RankState &state, StageMail &mail, Executor &executor,
               const StagedItem &item, char &hasFailed,
               std::vector<uint64_t> *times = nullptr);

/// On rank 0, when the values of the last stage have come.
void finishStages(const StagedItem &item);

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_STAGEDITEM_H
