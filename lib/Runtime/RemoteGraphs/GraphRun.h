//===- GraphRun.h - One launch on all ranks -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ranks process the nodes of a graph in the order of its plan. For each
// node, all ranks compute the same division into shares, and the same list of
// bytes to move. Then each rank sends, receives, and runs its share.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_GRAPHRUN_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_GRAPHRUN_H

#include "../Execution/Instance.h"
#include "NodeShares.h"
#include "RankState.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class Executor;
class Worker;

/// Called on rank 0 with a node that it runs alone, and why.
using NodeRemark =
    std::function<void(const SluicePlanNode &node, const ShareReason &reason)>;

/// Runs a launch whose arguments stand in the frame, with addresses of this
/// rank; `pointers` has those of rank 0. The caller is a worker. Its memory
/// belongs to the launch on rank 0. The first error of any rank becomes that of
/// rank 0's instance.
void runOnRanks(RankState &state, Executor &executor, GraphInstance &instance,
                std::span<const uintptr_t> pointers,
                const NodeRemark &remark = {});

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_GRAPHRUN_H
