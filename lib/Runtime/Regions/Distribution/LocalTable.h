//===- LocalTable.h - The part of a graph that one rank runs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of all tasks of a graph those of one rank, and a task for each message. What
// a message reads or writes is stated as for any other task, so the orders
// between all of them are found as on one machine.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_LOCALTABLE_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_LOCALTABLE_H

#include "../../Cluster/Messages.h"
#include "ExchangePlan.h"

#include <map>
#include <tuple>

namespace sluice::regions {

class LocalTable {
public:
  /// `all` is to stay as long as the result.
  LocalTable(const Expansion &all, const SluiceCluster &cluster);
  /// The tasks without their orders, whose messages are `messages`: of a graph,
  /// or of one exchange alone.
  Result<std::unique_ptr<Expansion>> runPlan(const ExchangePlan &plan);
  Result<std::unique_ptr<Expansion>> runExchange(const Exchange &exchange);

  std::unique_ptr<Messages> messages;

private:
  void openBlock();
  void closeBlock();
  void addBlock(const std::vector<PlannedPoints> &block);
  void addPoints(const PlannedPoints &points);
  void addExchange(const Exchange &exchange);
  void addMessages(const Exchange &exchange, uint32_t round, bool isSend);
  const RegionPartition *
  partitionOf(const Root &root, const std::vector<const Transfer *> &transfers,
              bool isWrite);
  LaunchAccess accessOf(Store store,
                        const std::vector<const Transfer *> &transfers,
                        bool isWrite);

  const Expansion &all;
  const SluiceCluster &cluster;
  std::unique_ptr<Expansion> local;
  /// Of each task of `all` that this rank runs once.
  std::vector<uint32_t> taskOf;
  /// What messages touch of stores, where that is one run or nothing for each
  /// rank: there is a store for the contribution of each point.
  std::map<std::tuple<const Root *, bool, std::vector<int64_t>>,
           const RegionPartition *>
      partitionsOfRuns;
  Status error;
};

/// All of a graph, and what one rank runs of it.
struct LocalGraph {
  std::unique_ptr<Expansion> all;
  std::unique_ptr<Messages> messages;
  std::unique_ptr<Expansion> local;
  /// `all` has only the points with which this rank has to do.
  bool isFootprint = false;
  /// The ranks that it does not tell apart.
  uint32_t numOthers = 0;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_LOCALTABLE_H
