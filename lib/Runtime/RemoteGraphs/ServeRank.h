//===- ServeRank.h - What ranks other than rank 0 do ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They run no code of the host program, but what rank 0 has them do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REMOTEGRAPHS_SERVERANK_H
#define SLUICE_RUNTIME_REMOTEGRAPHS_SERVERANK_H

#include "RankLink.h"

#include "sluice-c/Plan.h"

#include <functional>

namespace sluice {

class Executor;
class PlanInfo;

/// Carries out the orders of rank 0 until it sends the last one. An error is
/// one after which ranks do not agree any more. `find` prepares a plan at its
/// first use.
Status
serveRank(RankLink &link, Executor &executor,
          const std::function<Result<const PlanInfo *>(const SluicePlan &plan)>
              &find);

/// Rank 0: other ranks are to end.
Status endRanks(RankLink &link);

} // namespace sluice

#endif // SLUICE_RUNTIME_REMOTEGRAPHS_SERVERANK_H
