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
//     meet within a launch it is cut, with an exchange at each cut. What no
//     point of the launch writes all of them get before its first one.
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
#include "MessagePlan.h"

#include <set>
#include <span>

namespace sluice::regions {

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
  /// `senders`: the expansion has only the points with which `rank` has to do,
  /// and all that touch what these ranks may send; null: all points. `known`
  /// has all ranks of the points.
  ExchangePlan(const Expansion &expansion, OverlapTable &overlaps,
               RankSets &sets, uint32_t rank, ToldApart known,
               const std::set<uint32_t> *senders = nullptr);
  /// Goes on from what held before the graph, and leaves what holds after it.
  Status make(FieldHolders &holders);

  /// For each block its launches.
  std::vector<std::vector<PlannedPoints>> blocks;
  /// Before the loop that begins at a step.
  std::map<uint32_t, Exchange> beforeLoops;
  /// Bytes that rank 0 gets each time for a host statement that reads all of a
  /// root, by the statement's name.
  std::map<std::pair<std::string, const Root *>, uint64_t> gathered;
  /// Ranks that may send this one something along a tree with others, which the
  /// points at hand do not tell; with these among the senders they do.
  std::set<uint32_t> unsure;

private:
  using State = std::vector<Holders>;
  /// Elements of a store for a rank, or for every one.
  using Wanted = std::map<std::pair<Store, uint32_t>, Runs>;
  /// The ranks that want the same elements.
  using WantedAlike = std::map<const Runs *, std::vector<uint32_t>, RunsLess>;
  /// Of a loop that is being planned: what of the state at the begin of an
  /// iteration its body relies on.
  struct Reliance {
    State head;
    std::vector<Runs> written;
    Wanted on;
  };

  /// Consecutive points of a launch, with an exchange before them.
  struct LaunchPart {
    uint32_t begin, end;
    /// Among the exchanges of the launch.
    uint32_t number;
  };
  struct LaunchParts {
    std::vector<LaunchPart> parts;
    /// Of all points.
    uint32_t numExchanges;
  };

  void walkSteps(uint32_t begin, uint32_t end);
  uint32_t walkLoop(uint32_t begin);
  void tryIterations(uint32_t begin, uint32_t end);
  void planBody(uint32_t begin, uint32_t end, Reliance &reliance);
  void walkBlock(uint32_t block);
  Exchange makeExchange(Place &place, uint32_t number);
  /// What each rank gets of a store from another one from which this rank gets
  /// some of it as well.
  using Receivers =
      std::map<std::pair<uint32_t, Store>, std::map<uint32_t, Runs>>;
  Receivers findReceivers(std::span<const Place> places) const;
  void findUnsure(const Place &place, const Receivers &receivers);
  void visit(const Launch &launch, uint32_t block);
  void noteGathered(const Launch &launch, const Place &place);
  void read(const Launch &launch, const LaunchPart &part, Place &place);
  void write(const Launch &launch, const LaunchPart &part, Place &place);
  LaunchParts cut(const Launch &launch);
  LaunchParts cutSubset(const Launch &launch) const;
  std::vector<uint32_t> findCuts(const Launch &launch);
  /// Have ranks get what they lack of `wanted`.
  void fetchAll(const Wanted &wanted, Place &place);
  void fetch(Store store, const WantedAlike &wanted, Place &place);
  void moveCopy(Store store, uint32_t rank, const Runs &wanted, Place &place);
  void addTransfer(Store store, const Holders::Segment &segment, uint32_t to,
                   Place &place);
  void rely(Store store, uint32_t rank, const Runs &wanted);
  bool isCopy(Store store) const {
    return static_cast<bool>(expansion.stores[store].reset);
  }
  const Expansion &expansion;
  const TaskTable &table;
  OverlapTable &overlaps;
  RankSets &sets;
  const uint32_t rank;
  const ToldApart known;
  const std::set<uint32_t> *const senders;
  State state;
  /// Of the open loops.
  std::vector<Reliance *> reliances;
  /// Only the state counts.
  bool isTrial = false;
  uint32_t numExchanges = 0;
  /// Of the block that is being planned: one for each of its planned points.
  std::vector<Place> places;
  std::map<const Launch *, LaunchParts> cuts;
  Status error;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_EXCHANGEPLAN_H
