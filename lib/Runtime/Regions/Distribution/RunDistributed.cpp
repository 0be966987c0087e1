//===- RunDistributed.cpp - Graphs on several ranks -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the open graph to the tasks of this rank.
//
//===----------------------------------------------------------------------===//

#include "../Dependences.h"
#include "../Expander.h"
#include "../RegionProgram.h"
#include "LocalTable.h"

#include "../../Host/Runtime.h"

using namespace sluice;
using namespace sluice::regions;

Status Program::runLocal(Expansion &local) {
  DependenceFinder(local, overlaps).run();
  Status status = runtime->runTable(local.table);
  forgetPartitions(local);
  return status;
}

Status Program::runDistributed() {
  const SluiceCluster &cluster = distribution->cluster;
  Result<std::unique_ptr<Expansion>> all =
      Expander(*graph, overlaps, &distribution->homes).run();
  if (!all.ok())
    return all.takeStatus();
  ExchangePlan plan(**all, overlaps, distribution->sets, cluster.rank,
                    cluster.numRanks);
  if (Status status = plan.make(distribution->holders); !status.ok())
    return status;
  LocalTable table(**all, cluster);
  Result<std::unique_ptr<Expansion>> local = table.runPlan(plan);
  if (!local.ok())
    return local.takeStatus();
  Status status = runLocal(**local);
  forgetPartitions(**all);
  return status;
}

Status Program::bringEverywhere(uint32_t root, uint32_t field) {
  if (!distribution)
    return {};
  const Root &wanted = *roots[root];
  auto found = distribution->holders.find({&wanted, field});
  if (found == distribution->holders.end())
    return {};
  const SluiceCluster &cluster = distribution->cluster;
  Expansion all;
  all.stores.push_back({&wanted, field, wanted.fields[field].memory.get()});
  all.numStores = 1;
  AllTransfers transfers;
  Holders &holders = found->second;
  for (uint32_t rank = 0; rank < cluster.numRanks; ++rank)
    for (const Holders::Segment &segment :
         holders.missing({{0, wanted.shape.count()}}, rank, distribution->sets))
      transfers[{distribution->sets.ownerOf(segment.set), rank}][0].push_back(
          {segment.begin, segment.end});
  holders = Holders(wanted.shape.count());
  const Exchange exchange = {
      0, routeTransfers(std::move(transfers), cluster.rank, all.stores)};
  LocalTable table(all, cluster);
  Result<std::unique_ptr<Expansion>> local = table.runExchange(exchange);
  if (!local.ok())
    return local.takeStatus();
  return runLocal(**local);
}
