//===- plan.h - What the rows about plans have in common ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of one rank among others that are not there, and short ways to write
// them. Errors end the program with a message.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_CLUSTER_PLAN_H
#define SLUICE_BENCH_CLUSTER_PLAN_H

#include "../../lib/Runtime/Regions/Distribution/LocalTable.h"
#include "../../lib/Runtime/Regions/ProgramOverRegions.h"

namespace plans {

using namespace sluice;
using namespace sluice::regions;

/// Ranks along each side of a square.
extern int64_t side;
/// Plans are made from the points of all ranks.
extern bool plansAllPoints;
/// The number of messages of the last plan.
extern size_t numMessages;

/// The cluster as a rank near the middle sees it; its channels lead nowhere.
SluiceCluster rankNearTheMiddle();

void require(const Status &status);
template <typename Value> Value require(Result<Value> result) {
  require(result.status());
  return std::move(*result);
}

SluiceArgument argument(uint32_t root, uint32_t partition,
                        SluicePrivilege privilege, uint64_t fields,
                        SluiceReductionKind kind = SLUICE_REDUCE_MAX);
void add(RegionProgram &program, const char *name, const int64_t *extents,
         int rank, std::initializer_list<SluiceArgument> arguments,
         bool isHost = false);
/// Plans the open graph, and closes it or leaves it open.
void planOpenGraph(RegionProgram &program, bool staysOpen = false);

/// The graphs of examples whose partitions stand in their data: what is not
/// timed makes the roots, the partitions and the graph that writes the data.
///@{
void makeCircuit();
void makeSolver();
void makeGas();
void planMade();
void forgetMade();
///@}

} // namespace plans

#endif // SLUICE_BENCH_CLUSTER_PLAN_H
