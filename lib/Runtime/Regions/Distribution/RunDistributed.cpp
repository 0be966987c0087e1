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
#include "Footprint.h"
#include "LocalTable.h"

#include "../../Host/Runtime.h"

using namespace sluice;
using namespace sluice::regions;

Status Program::runLocal(Expansion &local) {
  DependenceFinder(local, overlaps).run();
  Status status = runtime->runTable(local.table, nullptr);
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

Result<LocalGraph> Program::finishPlan(std::unique_ptr<Expansion> all,
                                       const ExchangePlan &plan) {
  const SluiceCluster &cluster = distribution->cluster;
  if (cluster.rank == 0)
    remarkGathered(plan, *distribution);
  LocalTable table(*all, cluster);
  Result<std::unique_ptr<Expansion>> local = table.runPlan(plan);
  if (!local.ok()) {
    forgetPartitions(*all);
    return local.takeStatus();
  }
  return LocalGraph{std::move(all), std::move(table.messages),
                    std::move(*local)};
}

/// From the points with which this rank has to do, in this graph and in those
/// before it, of which nothing is known but them. Nothing: it takes all points.
std::optional<LocalGraph> Program::planFootprint() {
  constexpr size_t maxGraphs = 8, maxSenders = 64;
  constexpr int maxTries = 4;
  const SluiceCluster &cluster = distribution->cluster;
  std::vector<const Graph *> graphs;
  for (const auto &before : distribution->graphsBefore)
    graphs.push_back(before.get());
  graphs.push_back(graph.get());
  if (distribution->planFrom == PlanFrom::AllPoints || checkpoints ||
      !distribution->holders.empty() || graphs.size() > maxGraphs ||
      !hasFootprints(graphs))
    return {};
  std::set<uint32_t> senders;
  for (int tries = 0; tries < maxTries && senders.size() <= maxSenders;
       ++tries) {
    Footprint footprint(graphs, distribution->homes, cluster.rank, senders);
    if (distribution->planFrom == PlanFrom::Smaller && footprint.isMost())
      return {};
    footprint.reduce();
    std::vector<const Graph *> reduced;
    for (const Graph &each : footprint.graphs)
      reduced.push_back(&each);
    reduced.pop_back();
    Result<std::unique_ptr<Expansion>> all =
        Expander(footprint.graphs.back(), overlaps, &distribution->homes,
                 reduced)
            .run();
    if (!all.ok()) {
      for (const PartitionPointer &partition : footprint.partitions)
        overlaps.forget(*partition);
      return {};
    }
    for (PartitionPointer &partition : footprint.partitions)
      (*all)->partitions.push_back(std::move(partition));
    ExchangePlan plan(**all, overlaps, distribution->sets, cluster.rank,
                      footprint.known, &senders);
    FieldHolders holders;
    Status status = plan.make(holders);
    if (status.ok() && plan.unsure.empty()) {
      Result<LocalGraph> local = finishPlan(std::move(*all), plan);
      if (!local.ok())
        return {};
      local->isFootprint = true;
      local->numOthers = footprint.known.numOthers;
      return std::move(*local);
    }
    forgetPartitions(**all);
    if (!status.ok())
      return {};
    senders.insert(plan.unsure.begin(), plan.unsure.end());
  }
  return {};
}

/// Finds who has what after graphs that were planned from their footprints.
Status Program::walkGraphsBefore() {
  while (!distribution->graphsBefore.empty()) {
    const Graph &before = *distribution->graphsBefore.front();
    Result<std::unique_ptr<Expansion>> all =
        Expander(before, overlaps, &distribution->homes).run();
    if (!all.ok())
      return all.takeStatus();
    (*all)->firstStep = (*all)->table.steps.size() - 1;
    ExchangePlan plan(**all, overlaps, distribution->sets,
                      distribution->cluster.rank,
                      ToldApart::all(distribution->cluster.numRanks));
    Status status = plan.make(distribution->holders);
    forgetPartitions(**all);
    if (!status.ok())
      return status;
    distribution->graphsBefore.pop_front();
  }
  return {};
}

Result<LocalGraph> Program::planLocal() {
  const SluiceCluster &cluster = distribution->cluster;
  distribution->homes.learn(graph->items);
  if (Status status = distribution->layouts.prepare(
          roots, graph->items, distribution->homes, cluster.rank);
      !status.ok())
    return status;
  std::optional<LocalGraph> reduced = planFootprint();
  distribution->keepsGraph = reduced.has_value();
  if (reduced)
    return std::move(*reduced);
  if (Status status = walkGraphsBefore(); !status.ok())
    return status;
  Result<std::unique_ptr<Expansion>> all =
      Expander(*graph, overlaps, &distribution->homes).run();
  if (!all.ok())
    return all.takeStatus();
  ExchangePlan plan(**all, overlaps, distribution->sets, cluster.rank,
                    ToldApart::all(cluster.numRanks));
  if (Status status = plan.make(distribution->holders); !status.ok())
    return status;
  return finishPlan(std::move(*all), plan);
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
  if (Status status = walkGraphsBefore(); !status.ok())
    return status;
  if (Status status = distribution->layouts.keepWhole(*roots[root]);
      !status.ok())
    return status;
  const Root &wanted = *roots[root];
  auto found = distribution->holders.find({&wanted, field});
  if (found == distribution->holders.end())
    return {};
  const SluiceCluster &cluster = distribution->cluster;
  Expansion all;
  all.stores.push_back({&wanted, field, wanted.base(field)});
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
      0, routeTransfers(std::move(transfers), cluster.rank, all.stores,
                        ToldApart::all(cluster.numRanks))};
  LocalTable table(all, cluster);
  Result<std::unique_ptr<Expansion>> local = table.runExchange(exchange);
  if (!local.ok())
    return local.takeStatus();
  return runLocal(**local);
}
