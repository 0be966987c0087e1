//===- LocalTable.h - The part of a graph that one rank runs --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks of one rank in a graph, and a task for each message. Accesses of
// messages are stated as for any other task, so the orders between all of them
// are found as on one machine.
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
  /// `all` must outlive the result.
  LocalTable(const Expansion &all, const SluiceCluster &cluster);
  /// The tasks without their orders and with the messages `messages`: for a
  /// graph, or only for one exchange.
  Result<std::unique_ptr<Expansion>> runPlan(const ExchangePlan &plan);
  Result<std::unique_ptr<Expansion>> runExchange(const RankExchange &exchange);

  std::unique_ptr<Messages> messages;

private:
  void openBlock();
  void closeBlock();
  void addBlock(const std::vector<PlannedPoints> &block);
  void addPoints(const PlannedPoints &points);
  void addExchange(const RankExchange &exchange);
  void addMessages(const RankExchange &exchange, uint32_t round, bool isSend);
  const RootPartition *
  partitionOf(const Root &root, const std::vector<const Transfer *> &transfers,
              bool isWrite);
  LaunchAccess accessOf(Store store,
                        const std::vector<const Transfer *> &transfers,
                        bool isWrite);

  const Expansion &all;
  const SluiceCluster &cluster;
  std::unique_ptr<Expansion> local;
  /// For each task of `all` that this rank runs once.
  std::vector<uint32_t> taskOf;
  /// The accesses of messages to stores, if each rank has one run or nothing:
  /// there is a store for the contribution of each point.
  std::map<std::tuple<const Root *, bool, std::vector<int64_t>>,
           const RootPartition *>
      partitionsOfRuns;
  Status error;
};

/// A whole graph, and the part that one rank runs.
struct LocalGraph {
  std::unique_ptr<Expansion> all;
  std::unique_ptr<Messages> messages;
  std::unique_ptr<Expansion> local;
  /// `all` contains only the points that concern this rank.
  bool isFootprint = false;
  /// The number of ranks that it does not distinguish.
  uint32_t numOthers = 0;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_LOCALTABLE_H
