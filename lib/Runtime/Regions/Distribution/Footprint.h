//===- Footprint.h - The part of a program that a rank has to look at -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank sends and receives follows from the points that share elements
// with its own. So before a graph is expanded, its launches are reduced to
// these points, and its partitions to their colors. What a rank plans from them
// is the same, message for message, as what it would plan from all points:
//
//  1. Elements of which the rank's own points touch none go neither to it nor
//     from it. Of all others, every point that touches them is there, so who
//     has them is known at every place.
//  2. A copy of a scalar that a point folds into goes up a tree. All copies are
//     there that go to the ranks to which this one sends some, or that come to
//     it.
//  3. A scalar that single tasks and sums change, and points of all ranks read,
//     all ranks get, whichever of its readers are there. Ranks that have to do
//     with nothing else are one to the plan (`ToldApart`).
//  4. Points that reduce to the same elements share copies, by all points of
//     the launch; these are asked once (`ReducedLaunch`). A rank has to do with
//     the elements that are at home on it as well, where copies are folded.
//  5. Where the same elements may go to many ranks along a tree, the plan says
//     of whose elements all that touch them have to be known
//     (`ExchangePlan::unsure`).
//
// So it does not matter whether other ranks plan in this way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DISTRIBUTION_FOOTPRINT_H
#define SLUICE_RUNTIME_REGIONS_DISTRIBUTION_FOOTPRINT_H

#include "Homes.h"
#include "MessagePlan.h"
#include "SharedReductions.h"

#include <set>
#include <span>

namespace sluice::regions {

using Graphs = std::span<const Graph *const>;

/// Every point folds into a copy of its own.
inline bool reducesScalar(const Argument &argument) {
  return argument.isReduction() && argument.root->shape.count() == 1;
}

/// Launches that are known of a program, with the overlaps of its partitions.
struct LaunchFacts {
  ReducedLaunches &reduced;
  OverlapTable &overlaps;
};

/// False for graphs whose points cannot be told apart by their colors alone:
/// where points of one launch meet with one of them writing other than by the
/// same reduction, where many points reduce to few elements that are no scalar,
/// or where a whole root is copied or filled. The answer is the same on all
/// ranks.
bool hasFootprints(Graphs graphs, const Homes &homes, const LaunchFacts &facts);

class Footprint {
public:
  /// What a rank has to do with in graphs that run one after another, and who
  /// touches what `senders` may send.
  Footprint(Graphs graphs, const Homes &homes, const LaunchFacts &facts,
            uint32_t rank, const std::set<uint32_t> &senders);
  /// At least half of so many points are in it that it counts.
  bool isMost() const;
  /// Makes what follows.
  void reduce();

  /// The ranks of all points that are there.
  ToldApart known;
  /// The graphs, reduced.
  std::vector<Graph> graphs;
  /// Those of the reduced graphs' arguments, but for partitions of one color.
  std::vector<PartitionPointer> partitions;

private:
  using Points = std::set<uint32_t>;
  using Color = std::pair<const RegionPartition *, uint32_t>;

  void findStatements(const Item &item);
  void findCommon();
  /// Every point reads the same of what all ranks get.
  bool readsCommon(const Argument &argument) const;
  bool isChanged(const Argument &argument) const;
  bool isChanged(const Root &root, uint32_t field) const {
    return changed.contains({&root, field});
  }
  void addOwn(const Statement &statement, bool areReadersSenders);
  void touch(const Argument &argument, uint32_t point);
  void touchHomes(const Root &root, uint32_t at);
  void findHomes();
  void addMeeting(const Statement &statement);
  const std::set<uint32_t> &meeting(const RegionPartition &partition);
  void addFolding(const Statement &statement);
  void addFolded(const Statement &statement, uint64_t stride, uint32_t target,
                 const std::vector<uint64_t> &firsts, bool takesAll);
  void tellApart();
  Sequence reduce(const Sequence &sequence);
  std::unique_ptr<Statement> reduce(const Statement &statement);
  void reducePartitions();

  const Graphs all;
  const Homes &homes;
  const LaunchFacts facts;
  const uint32_t rank;
  const std::set<uint32_t> &senders;
  std::vector<const Statement *> statements;
  /// How many of them run before the end of some loop that may not run.
  size_t numBeforeTests = 0;
  /// Loops that test a scalar, which all ranks do.
  std::vector<const Loop *> tests;
  /// Fields that not all ranks write alike.
  std::set<std::pair<const Root *, uint32_t>> changed;
  std::map<const Statement *, Points> pointsOf;
  /// What single tasks and sums change, and all ranks read if anybody does.
  std::set<const Root *> common;
  /// Points of which only the copies of a scalar are there.
  std::map<const Statement *, Points> foldedPointsOf;
  std::map<const Statement *, std::map<uint64_t, std::set<uint32_t>>> foldRanks;
  /// Whose copies are folded where elements are at home, and these homes.
  std::set<const Root *> folded;
  std::shared_ptr<HomeParts> homeParts = std::make_shared<HomeParts>();
  /// What the rank's own points touch, what is at home on it, and what senders
  /// may send.
  std::map<const Root *, std::set<Color>> touched;
  /// Of each partition the colors that share elements with that.
  std::map<const RegionPartition *, std::set<uint32_t>> meetingColors;
  struct Reduced {
    const RegionPartition *partition;
    std::map<uint32_t, uint32_t> numberOf;
    /// Of a color without elements.
    uint32_t nothing = 0;
  };
  std::map<const RegionPartition *, Reduced> reduced;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_FOOTPRINT_H
