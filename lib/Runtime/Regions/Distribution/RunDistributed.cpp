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

/// Says how much comes to rank 0 for host statements, where it is a lot.
static void remarkGathered(const ExchangePlan &plan,
                           Distribution &distribution) {
  constexpr uint64_t leastBytes = uint64_t(1) << 24;
  for (const auto &[what, bytes] : plan.gathered)
    if (bytes >= leastBytes && distribution.remarked.insert(what).second)
      std::fprintf(stderr,
                   "sluice: remark: host statement '%s' brings %llu bytes of "
                   "root '%s' to rank 0\n",
                   what.first.c_str(), static_cast<unsigned long long>(bytes),
                   what.second->name.c_str());
}

Result<LocalGraph> Program::planLocal() {
  const SluiceCluster &cluster = distribution->cluster;
  Result<std::unique_ptr<Expansion>> all =
      Expander(*graph, overlaps, &distribution->homes).run();
  if (!all.ok())
    return all.takeStatus();
  ExchangePlan plan(**all, overlaps, distribution->sets, cluster.rank,
                    cluster.numRanks);
  if (Status status = plan.make(distribution->holders); !status.ok())
    return status;
  if (cluster.rank == 0)
    remarkGathered(plan, *distribution);
  LocalTable table(**all, cluster);
  Result<std::unique_ptr<Expansion>> local = table.runPlan(plan);
  if (!local.ok())
    return local.takeStatus();
  return LocalGraph{std::move(*all), std::move(table.messages),
                    std::move(*local)};
}

Status Program::runDistributed() {
  Result<LocalGraph> planned = planLocal();
  if (!planned.ok())
    return planned.takeStatus();
  Status status = runLocal(*planned->local);
  forgetPartitions(*planned->all);
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
