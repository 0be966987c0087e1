//===- LocalTable.cpp - The part of a graph that one rank runs ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the steps, and creates new contents for their blocks.
//
//===----------------------------------------------------------------------===//

#include "LocalTable.h"

#include "Homes.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace sluice;
using namespace sluice::regions;

LocalTable::LocalTable(const Expansion &all, const SluiceCluster &cluster)
    : messages(std::make_unique<Messages>(cluster)), all(all), cluster(cluster),
      local(std::make_unique<Expansion>()) {
  taskOf.resize(all.table.tasks.size(), UINT32_MAX);
}

Result<std::unique_ptr<Expansion>>
LocalTable::runPlan(const ExchangePlan &plan) {
  TaskTable &table = local->table;
  table.name = all.table.name;
  table.loops = all.table.loops;
  table.outside = messages.get();
  local->numStores = all.numStores;
  std::vector<uint32_t> stepOf;
  for (uint32_t step = 0; step < all.table.steps.size(); ++step) {
    stepOf.push_back(table.steps.size());
    if (step < all.firstStep)
      continue;
    if (auto before = plan.beforeLoops.find(step);
        before != plan.beforeLoops.end() && !before->second.transfers.empty()) {
      openBlock();
      addExchange(before->second);
      closeBlock();
    }
    if (all.table.steps[step].kind == TableStep::Block)
      addBlock(plan.blocks[all.table.steps[step].index]);
    else
      table.steps.push_back(all.table.steps[step]);
  }
  for (TableStep &step : table.steps)
    if (step.target)
      step.target = stepOf[step.target];
  for (TableLoop &loop : table.loops)
    if (loop.testTask != UINT32_MAX)
      loop.testTask = taskOf[loop.testTask];
  if (!error.ok())
    return std::move(error);
  return std::move(local);
}

Result<std::unique_ptr<Expansion>>
LocalTable::runExchange(const RankExchange &exchange) {
  local->table.name = "exchange";
  local->table.outside = messages.get();
  local->numStores = all.numStores;
  openBlock();
  addExchange(exchange);
  closeBlock();
  local->table.steps.push_back({TableStep::End});
  if (!error.ok())
    return std::move(error);
  return std::move(local);
}

void LocalTable::openBlock() {
  TaskTable &table = local->table;
  table.steps.push_back({TableStep::Block, table.numBlocks()});
  local->blocks.emplace_back();
}

void LocalTable::closeBlock() {
  local->table.firstTask.push_back(local->table.tasks.size());
}

void LocalTable::addBlock(const std::vector<PlannedPoints> &block) {
  openBlock();
  for (const PlannedPoints &points : block) {
    addExchange(points.before);
    addPoints(points);
  }
  closeBlock();
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

void LocalTable::addPoints(const PlannedPoints &planned) {
  const RegionLaunch &from = *planned.launch;
  std::vector<uint32_t> points;
  for (uint32_t point = planned.begin; point < planned.end; ++point)
    if (from.ranks[point] == cluster.rank || from.ranks[point] == everyRank)
      points.push_back(point);
  if (points.empty())
    return;
  TaskTable &table = local->table;
  RegionLaunch &launch =
      *local->blocks.back().emplace_back(std::make_unique<RegionLaunch>());
  launch.firstTask = table.tasks.size();
  launch.numPoints = points.size();
  for (size_t i = 0; i < points.size(); ++i) {
    const uint32_t task = from.firstTask + points[i];
    TableTask &copy = table.tasks.emplace_back(all.table.tasks[task]);
    taskOf[task] = launch.firstTask + i;
    copy.block = local->blocks.size() - 1;
    if (copy.home != TableTask::hostHome)
      copy.home = i * 65536 / points.size();
  }
  for (const LaunchAccess &access : from.accesses) {
    LaunchAccess &copy = launch.accesses.emplace_back(access);
    if (access.colors.size() != 1) {
      copy.colors.clear();
      for (uint32_t point : points)
        copy.colors.push_back(access.colors[point]);
    }
    if (!access.pointStores.empty()) {
      copy.pointStores.clear();
      for (uint32_t point : points)
        copy.pointStores.push_back(access.pointStores[point]);
    }
  }
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void LocalTable::addExchange(const RankExchange &exchange) {
  std::set<uint32_t> rounds;
  for (const Transfer &transfer : exchange.transfers)
    rounds.insert(transfer.round);
  for (uint32_t round : rounds) {
    addMessages(exchange, round, true);
    addMessages(exchange, round, false);
  }
}

/// A color for each of the transfers, some of which are null.
const RootPartition *
LocalTable::partitionOf(const Root &root,
                        const std::vector<const Transfer *> &transfers,
                        bool isWrite) {
  const RootPartition **known = nullptr;
  if (std::all_of(transfers.begin(), transfers.end(), [](const Transfer *each) {
        return !each || each->runs.size() == 1;
      })) {
    std::vector<int64_t> bounds;
    for (const Transfer *transfer : transfers) {
      const SluiceRun run = transfer ? transfer->runs[0] : SluiceRun{0, 0};
      bounds.insert(bounds.end(), {run.begin, run.end});
    }
    known = &partitionsOfRuns[{&root, isWrite, std::move(bounds)}];
    if (*known)
      return *known;
  }
  PartitionPointer parts = makeWhole(root, "message", {});
  parts->sets.clear();
  parts->domains.clear();
  for (const Transfer *transfer : transfers)
    parts->sets.emplace_back(root.shape, transfer ? transfer->runs : Runs());
  parts->colors.extent[0] = static_cast<int64_t>(parts->sets.size());
  // The same elements may be sent to several ranks.
  parts->isDisjoint = isWrite;
  finishPartition(*parts);
  const RootPartition *made =
      local->partitions.emplace_back(std::move(parts)).get();
  if (known)
    *known = made;
  return made;
}

/// The accesses of messages to or from several ranks to one store.
LaunchAccess LocalTable::accessOf(
    Store store, const std::vector<const Transfer *> &transfers, bool isWrite) {
  LaunchAccess access = {
      store,
      partitionOf(*all.stores[store].root, transfers, isWrite),
      {},
      isWrite,
      {}};
  access.colors.resize(transfers.size());
  std::iota(access.colors.begin(), access.colors.end(), 0u);
  return access;
}

/// Adds one message for each rank that takes part in a round of the exchange.
void LocalTable::addMessages(const RankExchange &exchange, uint32_t round,
                             bool isSend) {
  std::map<uint32_t, std::vector<const Transfer *>> ofPeers;
  for (const Transfer &transfer : exchange.transfers)
    if (transfer.round == round &&
        (isSend ? transfer.from : transfer.to) == cluster.rank)
      ofPeers[isSend ? transfer.to : transfer.from].push_back(&transfer);
  if (ofPeers.empty())
    return;
  TaskTable &table = local->table;
  RegionLaunch &launch =
      *local->blocks.back().emplace_back(std::make_unique<RegionLaunch>());
  launch.firstTask = table.tasks.size();
  launch.numPoints = ofPeers.size();
  launch.tasks.resize(ofPeers.size());
  std::map<Store, std::vector<const Transfer *>> ofStores;
  uint32_t point = 0;
  for (const auto &[peer, transfers] : ofPeers) {
    TableTask &task = table.tasks.emplace_back();
    task.body = nullptr;
    task.task = &launch.tasks[point];
    task.views = nullptr;
    task.closure = nullptr;
    task.name = isSend ? "send" : "receive";
    task.block = local->blocks.size() - 1;
    task.home = point * 65536 / ofPeers.size();
    task.isOutside = true;
    std::vector<MessagePart> parts;
    for (const Transfer *transfer : transfers) {
      const StoreInfo &info = all.stores[transfer->store];
      parts.push_back(
          {static_cast<char *>(info.base),
           info.root->fields[info.field].elementBytes(),
           info.reset ? transfer->runs : info.root->indicesOf(transfer->runs),
           nullptr});
      if (isSend)
        parts.back().reset = info.reset;
      auto &ofPoints = ofStores[transfer->store];
      ofPoints.resize(ofPeers.size(), nullptr);
      ofPoints[point] = transfer;
    }
    Status status = messages->add(launch.firstTask + point, isSend, peer,
                                  exchange.tag(round), std::move(parts));
    if (!status.ok())
      error = std::move(status);
    ++point;
  }
  for (const auto &[store, transfers] : ofStores)
    launch.accesses.push_back(
        accessOf(store, transfers,
                 !isSend || static_cast<bool>(all.stores[store].reset)));
}
