//===- RunDistributed.cpp - Graphs on several ranks -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the open graph to the tasks of this rank.
//
//===----------------------------------------------------------------------===//

#include "../Dependences.h"
#include "../Expander.h"
#include "../ProgramOverRegions.h"
#include "Footprint.h"
#include "LocalTable.h"

#include "../../Host/HostRuntime.h"

using namespace sluice;
using namespace sluice::regions;

Status RegionProgram::runLocal(Expansion &local) {
  DependenceFinder(local, overlaps).run();
  Status status = runtime->runTable(local.table, nullptr);
  forgetPartitions(local);
  return status;
}

/// Reports how much data rank 0 receives for host statements, if it is a lot.
static void remarkGathered(const ExchangePlan &plan,
                           DistributedState &distribution) {
  constexpr uint64_t leastBytes = uint64_t(1) << 24;
  for (const auto &[what, bytes] : plan.gathered)
    if (bytes >= leastBytes && distribution.remarked.insert(what).second)
      std::fprintf(stderr,
                   "sluice: remark: host statement '%s' brings %llu bytes of "
                   "root '%s' to rank 0\n",
                   what.first.c_str(), static_cast<unsigned long long>(bytes),
                   what.second->name.c_str());
}

Result<LocalGraph> RegionProgram::finishPlan(std::unique_ptr<Expansion> all,
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

/// A graph that represents a field that all ranks received.
static bool isGiven(const StatementGraph *graph) {
  return !graph->items.empty() && graph->items[0].statement &&
         graph->items[0].statement->isGiven;
}

/// Plans from the points that concern this rank, in this graph and in earlier
/// graphs of which only such points are known. Returns nothing if all points
/// are needed.
std::optional<LocalGraph> RegionProgram::planFootprint() {
  constexpr size_t maxGraphs = 8, maxSenders = 64;
  constexpr int maxTries = 4;
  const SluiceCluster &cluster = distribution->cluster;
  const LaunchFacts facts = {distribution->reduced, overlaps};
  std::vector<const StatementGraph *> graphs;
  for (const auto &before : distribution->graphsBefore)
    graphs.push_back(before.get());
  const auto numGiven = std::count_if(graphs.begin(), graphs.end(), isGiven);
  graphs.push_back(graph.get());
  if (distribution->planFrom == PlanFrom::AllPoints || checkpoints ||
      !distribution->holders.empty() || graphs.size() - numGiven > maxGraphs ||
      !hasFootprints(graphs, distribution->homes, facts))
    return {};
  std::set<uint32_t> senders;
  for (int tries = 0; tries < maxTries && senders.size() <= maxSenders;
       ++tries) {
    Footprint footprint(graphs, distribution->homes, facts, cluster.rank,
                        senders);
    if (distribution->planFrom == PlanFrom::Smaller && footprint.isMost())
      return {};
    footprint.reduce();
    std::vector<const StatementGraph *> reduced;
    for (const StatementGraph &each : footprint.graphs)
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

Status RegionProgram::walk(const StatementGraph &before,
                           FieldHolders &holders) {
  Result<std::unique_ptr<Expansion>> all =
      Expander(before, overlaps, &distribution->homes).run();
  if (!all.ok())
    return all.takeStatus();
  (*all)->firstStep = (*all)->table.steps.size() - 1;
  ExchangePlan plan(**all, overlaps, distribution->sets,
                    distribution->cluster.rank,
                    ToldApart::all(distribution->cluster.numRanks));
  Status status = plan.make(holders);
  forgetPartitions(**all);
  return status;
}

/// Computes the holders after graphs that were planned from their footprints.
Status RegionProgram::walkGraphsBefore() {
  while (!distribution->graphsBefore.empty()) {
    if (Status status =
            walk(*distribution->graphsBefore.front(), distribution->holders);
        !status.ok())
      return status;
    distribution->graphsBefore.pop_front();
  }
  return {};
}

/// Chooses the locations of a graph's colors, in the order of its statements,
/// independently of how it is planned.
static void chooseGrids(const Sequence &sequence, const Homes &homes) {
  for (const Item &item : sequence)
    if (item.loop)
      chooseGrids(item.loop->body, homes);
    else if (!item.statement->isDivisible)
      homes.rankOf(*item.statement, 0);
}

/// From here on the places where sums of a root are folded must not change.
static void settleHomes(const Sequence &sequence, Homes &homes) {
  for (const Item &item : sequence) {
    if (item.loop) {
      settleHomes(item.loop->body, homes);
      continue;
    }
    if (!mayShareReductions(*item.statement))
      continue;
    for (const StatementArgument &argument : item.statement->arguments)
      if (argument.isReduction() && argument.root->shape.count() != 1) {
        homes.settle(*argument.root);
        for (const RootPartition *each : homes.partitionsOf(*argument.root))
          homes.rankOfColor(*each, 0);
      }
  }
}

Result<LocalGraph> RegionProgram::planLocal() {
  const SluiceCluster &cluster = distribution->cluster;
  distribution->homes.learn(graph->items);
  chooseGrids(graph->items, distribution->homes);
  settleHomes(graph->items, distribution->homes);
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

Status RegionProgram::runDistributed() {
  Result<LocalGraph> planned = planLocal();
  if (!planned.ok())
    return planned.takeStatus();
  Status status = runLocal(*planned->local);
  forgetPartitions(*planned->all);
  return status;
}

//===----------------------------------------------------------------------===//
// Fields that every rank gets
//===----------------------------------------------------------------------===//

/// The statements of a graph that access a field, to compute the holders of the
/// field.
static Sequence partOf(const Sequence &sequence, const Root &root,
                       uint32_t field) {
  Sequence part;
  for (const Item &item : sequence) {
    if (!item.loop) {
      for (const StatementArgument &argument : item.statement->arguments)
        if (argument.root == &root &&
            std::binary_search(argument.fields.begin(), argument.fields.end(),
                               field)) {
          part.push_back(
              {std::make_unique<Statement>(*item.statement), nullptr});
          break;
        }
      continue;
    }
    Sequence body = partOf(item.loop->body, root, field);
    if (body.empty())
      continue;
    auto loop = std::make_unique<Loop>();
    loop->count = item.loop->count;
    loop->whileRoot = item.loop->whileRoot;
    loop->whileWhole = item.loop->whileWhole;
    loop->isUnless = item.loop->isUnless;
    loop->body = std::move(body);
    part.push_back({nullptr, std::move(loop)});
  }
  return part;
}

Result<Holders> RegionProgram::findHolders(const Root &root, uint32_t field) {
  FieldHolders fields;
  auto known = distribution->holders.find({&root, field});
  if (known != distribution->holders.end())
    fields.insert(*known);
  // Other fields do not matter.
  for (const auto &before : distribution->graphsBefore) {
    const StatementGraph part = {before->name,
                                 partOf(before->items, root, field)};
    if (!part.items.empty())
      if (Status status = walk(part, fields); !status.ok())
        return status;
  }
  auto found = fields.find({&root, field});
  return found == fields.end() ? Holders(root.shape.count())
                               : std::move(found->second);
}

/// Records it among the earlier graphs, as a task of all ranks.
void RegionProgram::noteGiven(const Root &root, uint32_t field) {
  auto &before = distribution->graphsBefore;
  if (before.empty()) {
    if (auto known = distribution->holders.find({&root, field});
        known != distribution->holders.end())
      known->second = Holders(root.shape.count());
    return;
  }
  auto statement = std::make_unique<Statement>();
  statement->name = "given";
  statement->isGiven = true;
  StatementArgument &argument = statement->arguments.emplace_back();
  argument.root = &root;
  argument.partition = &wholeOf(root);
  argument.colors = {0};
  argument.privilege = SLUICE_PRIVILEGE_WRITE_DISCARD;
  argument.fields = {field};
  if (!isGiven(before.back().get())) {
    before.push_back(std::make_unique<StatementGraph>());
    before.back()->name = "given";
  }
  before.back()->items.push_back({std::move(statement), nullptr});
}

Status RegionProgram::bringEverywhere(uint32_t root, uint32_t field) {
  if (!distribution)
    return {};
  if (Status status = distribution->layouts.keepWhole(*roots[root]);
      !status.ok())
    return status;
  const Root &wanted = *roots[root];
  Result<Holders> found = findHolders(wanted, field);
  if (!found.ok())
    return found.takeStatus();
  const int64_t count = wanted.shape.count();
  if (*found == Holders(count))
    return {};
  const SluiceCluster &cluster = distribution->cluster;
  Expansion all;
  all.stores.push_back({&wanted, field, wanted.base(field)});
  all.numStores = 1;
  AllTransfers transfers;
  for (uint32_t rank = 0; rank < cluster.numRanks; ++rank)
    for (const Holders::Segment &segment :
         found->missing({{0, count}}, rank, distribution->sets))
      transfers[{distribution->sets.ownerOf(segment.set), rank}][0].push_back(
          {segment.begin, segment.end});
  noteGiven(wanted, field);
  const RankExchange exchange = {
      0, routeTransfers(std::move(transfers), cluster.rank, all.stores,
                        ToldApart::all(cluster.numRanks))};
  LocalTable table(all, cluster);
  Result<std::unique_ptr<Expansion>> local = table.runExchange(exchange);
  if (!local.ok())
    return local.takeStatus();
  // Without a runtime it is only planned.
  return runtime ? runLocal(**local) : Status();
}
