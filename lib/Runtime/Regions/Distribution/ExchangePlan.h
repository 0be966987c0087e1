//===- ExchangePlan.h - Which bytes go from which rank to which -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds, for an expanded graph, what the points of each rank read and lack, and
// who has it. The plan is made once and is the same in all iterations of a
// loop, so that its messages can be repeated without thinking:
//
//  1. The graph is walked in its serial order, with who has what of each store.
//     Before a launch there is one exchange; where points of different ranks
//     meet within a launch it is cut, with an exchange at each cut.
//  2. The body of a loop is walked twice. What holds after the first iteration
//     holds after all others, since elements that are written are with those
//     that wrote and read them then, and others stay with those that have read
//     them. So the body is planned for what holds after an iteration.
//  3. What the first iteration needs beyond that is fetched before the loop.
//  4. After a loop that may not have run, only what holds either way counts;
//     elements that are elsewhere in both cases are fetched before the loop to
//     where they are after it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_EXCHANGEPLAN_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_EXCHANGEPLAN_H

#include "../Launches.h"
#include "../Partitions/Overlaps.h"
#include "Holders.h"

namespace sluice::regions {

/// Elements of one store that go from one rank to another.
struct Transfer {
  Store store;
  uint32_t from, to;
  Runs runs;
};

/// Transfers at one place of the serial order; those of two ranks are one
/// message.
struct Exchange {
  /// The same on all ranks, and different within a graph.
  uint32_t number;
  /// From or to this rank.
  std::vector<Transfer> transfers;
};

/// Points of a launch, with what they need before.
struct PlannedPoints {
  const Launch *launch;
  uint32_t begin, end;
  Exchange before;
};

/// Who has what of each field of the program.
using FieldHolders = std::map<std::pair<const Root *, uint32_t>, Holders>;

class ExchangePlan {
public:
  ExchangePlan(const Expansion &expansion, OverlapTable &overlaps,
               RankSets &sets, uint32_t rank, uint32_t numRanks);
  /// Goes on from what held before the graph, and leaves what holds after it.
  Status make(FieldHolders &holders);

  /// For each block its launches.
  std::vector<std::vector<PlannedPoints>> blocks;
  /// Before the loop that begins at a step.
  std::map<uint32_t, Exchange> beforeLoops;

private:
  using State = std::vector<Holders>;
  /// Of a loop that is being planned: what of the state at the begin of an
  /// iteration its body relies on.
  struct Reliance {
    State head;
    std::vector<Runs> written;
    std::map<std::pair<Store, uint32_t>, Runs> on;
  };

  void walkSteps(uint32_t begin, uint32_t end);
  uint32_t walkLoop(uint32_t begin);
  void tryIterations(uint32_t begin, uint32_t end);
  void planBody(uint32_t begin, uint32_t end, Reliance &reliance);
  void visit(const Launch &launch, uint32_t block);
  void visitPoints(const Launch &launch, uint32_t begin, uint32_t end,
                   Exchange &exchange);
  void read(const Launch &launch, uint32_t begin, uint32_t end,
            Exchange &exchange);
  void write(const Launch &launch, uint32_t begin, uint32_t end);
  std::vector<uint32_t> findCuts(const Launch &launch);
  /// Has a rank get what it lacks of `wanted`.
  void fetch(Store store, uint32_t rank, const Runs &wanted,
             Exchange &exchange);
  void addTransfers(Store store, uint32_t to,
                    const std::vector<Holders::Segment> &segments,
                    Exchange &exchange);
  void rely(Store store, uint32_t rank, const Runs &wanted);
  bool isCopy(Store store) const {
    return static_cast<bool>(expansion.stores[store].reset);
  }
  /// Numbers an exchange, which stays if it is not only tried.
  void finish(Exchange &exchange) {
    if (isTrial)
      exchange.transfers.clear();
    else
      exchange.number = numExchanges++;
  }

  const Expansion &expansion;
  const TaskTable &table;
  OverlapTable &overlaps;
  RankSets &sets;
  const uint32_t rank, numRanks;
  State state;
  /// Of the open loops.
  std::vector<Reliance *> reliances;
  /// Only the state counts.
  bool isTrial = false;
  uint32_t numExchanges = 0;
  std::map<const Launch *, std::vector<uint32_t>> cuts;
  Status error;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_EXCHANGEPLAN_H
