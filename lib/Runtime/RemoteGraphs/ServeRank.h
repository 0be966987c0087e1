//===- ServeRank.h - What ranks other than rank 0 do ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They run no code of the host program, but what rank 0 has them do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_SERVERANK_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_SERVERANK_H

#include "Orders.h"
#include "RankLink.h"

#include "sluice-c/Plan.h"

#include <functional>

namespace sluice {

class Executor;
class PlanInfo;

/// What a rank needs that serves.
struct RankServices {
  /// Prepares a plan at its first use.
  std::function<Result<const PlanInfo *>(const SluicePlan &plan)> find;
  /// Rank 0 does the same at that time, and then notes messages.
  std::function<void()> joinTimelines, writeTimeline;
};

/// Carries out the orders of rank 0 until it sends the last one. An error is
/// one after which ranks do not agree any more.
Status serveRank(RankLink &link, Executor &executor,
                 const RankServices &services);

/// Rank 0, while nothing else is under way: an order without arguments.
Status tellRanks(RankLink &link, OrderKind kind);

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_SERVERANK_H
