//===- ExchangePlan.h - Planning the exchanges between ranks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines, for an expanded graph, which elements the points of each rank
// read but do not have, and which rank has them. The plan is made once and is
// the same in all iterations of a loop, so its messages can be repeated:
//  1. The graph is walked in serial order, tracking which ranks have which
//     elements of each store. Before a launch there is one exchange. If points
//     of different ranks conflict within a launch, it is cut, with an exchange
//     at each cut. Points get elements that no point of the launch writes
//     before the first point.
//  2. The body of a loop is walked twice. The state after the first iteration
//     also holds after all others, since written elements are on the ranks
//     that wrote and read them then, and others stay on the ranks that have
//     read them. So the body is planned for the state after an iteration.
//  3. The additional needs of the first iteration are fetched before the loop.
//  4. After a loop that may not have run, only what holds in both cases counts.
//     Elements that are on different ranks in the two cases are moved before
//     the loop to where they are after it.
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

/// Points of a launch, with the exchange that they need before.
struct PlannedPoints {
  const RegionLaunch *launch;
  uint32_t begin, end;
  RankExchange before;
};

/// The holders of each field of the program.
using FieldHolders = std::map<std::pair<const Root *, uint32_t>, Holders>;

class ExchangePlan {
public:
  /// `senders`: the expansion contains only the points that concern `rank`, and
  /// all points that access elements that these ranks may send; null: all
  /// points. `known` contains all ranks of the points.
  ExchangePlan(const Expansion &expansion, OverlapTable &overlaps,
               RankSets &sets, uint32_t rank, ToldApart known,
               const std::set<uint32_t> *senders = nullptr);
  /// Continues from the state before the graph, and updates it to the state
  /// after the graph.
  Status make(FieldHolders &holders);

  /// The launches of each block.
  std::vector<std::vector<PlannedPoints>> blocks;
  /// Exchanges before the loops that begin at a step.
  std::map<uint32_t, RankExchange> beforeLoops;
  /// Bytes that rank 0 receives each time for a host statement that reads all
  /// of a root, by the statement's name.
  std::map<std::pair<std::string, const Root *>, uint64_t> gathered;
  /// Ranks that may send something to this rank and others along a tree; the
  /// available points do not show this. With these ranks as senders they do.
  std::set<uint32_t> unsure;

private:
  using State = std::vector<Holders>;
  /// The elements of a store for one rank, or for every rank.
  using Wanted = std::map<std::pair<Store, uint32_t>, Runs>;
  /// The ranks that want the same elements.
  using WantedAlike = std::map<const Runs *, std::vector<uint32_t>, RunsLess>;
  /// For a loop that is being planned: the part of the state at the beginning
  /// of an iteration on which its body relies.
  struct Reliance {
    State head;
    std::vector<Runs> written;
    Wanted on;
  };

  /// Consecutive points of a launch, with an exchange before them.
  struct LaunchPart {
    uint32_t begin, end;
    /// Number among the exchanges of the launch.
    uint32_t number;
  };
  struct LaunchParts {
    std::vector<LaunchPart> parts;
    /// Number of exchanges of all points.
    uint32_t numExchanges;
  };

  void walkSteps(uint32_t begin, uint32_t end);
  uint32_t walkLoop(uint32_t begin);
  void tryIterations(uint32_t begin, uint32_t end);
  void planBody(uint32_t begin, uint32_t end, Reliance &reliance);
  void walkBlock(uint32_t block);
  RankExchange makeExchange(BlockPlace &place, uint32_t number);
  /// The elements of a store that each rank gets from another rank that also
  /// sends some to this rank.
  using Receivers =
      std::map<std::pair<uint32_t, Store>, std::map<uint32_t, Runs>>;
  Receivers findReceivers(std::span<const BlockPlace> places) const;
  void findUnsure(const BlockPlace &place, const Receivers &receivers);
  void visit(const RegionLaunch &launch, uint32_t block);
  void noteGathered(const RegionLaunch &launch, const BlockPlace &place);
  void read(const RegionLaunch &launch, const LaunchPart &part,
            BlockPlace &place);
  void write(const RegionLaunch &launch, const LaunchPart &part,
             BlockPlace &place);
  LaunchParts cut(const RegionLaunch &launch);
  LaunchParts cutSubset(const RegionLaunch &launch) const;
  std::vector<uint32_t> findCuts(const RegionLaunch &launch);
  /// Makes ranks get the missing elements of `wanted`.
  void fetchAll(const Wanted &wanted, BlockPlace &place);
  void fetch(Store store, const WantedAlike &wanted, BlockPlace &place);
  void moveCopy(Store store, uint32_t rank, const Runs &wanted,
                BlockPlace &place);
  void addTransfer(Store store, const Holders::Segment &segment, uint32_t to,
                   BlockPlace &place);
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
  /// For the open loops.
  std::vector<Reliance *> reliances;
  /// Only the state matters.
  bool isTrial = false;
  uint32_t numExchanges = 0;
  /// For the current block: one for each of its planned points.
  std::vector<BlockPlace> places;
  std::map<const RegionLaunch *, LaunchParts> cuts;
  Status error;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_EXCHANGEPLAN_H
