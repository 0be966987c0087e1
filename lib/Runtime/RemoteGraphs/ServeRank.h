//===- ServeRank.h - Serving on ranks other than rank 0 -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These ranks run no code of the host program except on orders of rank 0.
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

/// The services that a serving rank needs.
struct RankServices {
  /// Prepares a plan on its first use.
  std::function<Result<const PlanInfo *>(const SluicePlan &plan)> find;
  /// Rank 0 does the same at that time; afterwards messages are recorded.
  std::function<void()> joinTimelines, writeTimeline;
};

/// Executes the orders of rank 0 until the last one. After an error, ranks do
/// not agree any more.
Status serveRank(RankLink &link, Executor &executor,
                 const RankServices &services);

/// For rank 0, while nothing else is in progress: sends an order without
/// arguments.
Status tellRanks(RankLink &link, OrderKind kind);

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_SERVERANK_H
