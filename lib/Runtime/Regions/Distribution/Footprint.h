//===- Footprint.h - The part of a program that concerns a rank -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of a rank follow from the points that share elements with its
// own points. So before a graph is expanded, its launches are reduced to these
// points, and its partitions to their colors. The resulting plan of the rank is
// the same, message for message, as a plan from all points:
//  1. Elements that none of the rank's own points access go neither to it nor
//     from it. For all other elements, every point that accesses them is
//     included, so their holders are known at every place.
//  2. A copy of a scalar into which a point folds goes up a tree. All copies
//  are
//     included that come to this rank, or that go to ranks to which this rank
//     sends copies.
//  3. If single tasks and sums change a scalar, and points of all ranks read
//     it, all ranks get it, whichever of its readers are included. The plan
//     does not distinguish ranks that are not otherwise involved (`ToldApart`).
//  4. Points that reduce to the same elements share copies, which depend on all
//     points of the launch; this is computed once (`ReducedLaunch`). Elements
//     with their home on a rank also concern the rank if copies are folded
//     there.
//  5. If elements may go to many ranks along a tree, the plan reports for which
//     ranks all accesses to their elements must be known
//     (`ExchangePlan::unsure`).
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

using Graphs = std::span<const StatementGraph *const>;

/// Every point folds into its own copy.
inline bool reducesScalar(const StatementArgument &argument) {
  return argument.isReduction() && argument.root->shape.count() == 1;
}

/// The known launches of a program, with the overlaps of its partitions.
struct LaunchFacts {
  ReducedLaunches &reduced;
  OverlapTable &overlaps;
};

/// False for graphs whose points cannot be distinguished by their colors alone:
/// if points of one launch conflict other than by the same reduction, if many
/// points reduce to few elements that are not a scalar, or if a whole root is
/// copied or filled. The answer is the same on all ranks.
bool hasFootprints(Graphs graphs, const Homes &homes, const LaunchFacts &facts);

class Footprint {
public:
  /// The points that concern a rank in graphs that run one after another, and
  /// the points that access what `senders` may send.
  Footprint(Graphs graphs, const Homes &homes, const LaunchFacts &facts,
            uint32_t rank, const std::set<uint32_t> &senders);
  /// Whether it contains at least half of so many points that this matters.
  bool isMost() const;
  /// Computes the members below.
  void reduce();

  /// The ranks of all included points.
  ToldApart known;
  /// The reduced graphs.
  std::vector<StatementGraph> graphs;
  /// The partitions of the reduced graphs' arguments, except those of one
  /// color.
  std::vector<PartitionPointer> partitions;

private:
  using Points = std::set<uint32_t>;
  using Color = std::pair<const RootPartition *, uint32_t>;

  void findStatements(const Item &item);
  void findCommon();
  /// Whether every point reads the same part of what all ranks get.
  bool readsCommon(const StatementArgument &argument) const;
  bool isChanged(const StatementArgument &argument) const;
  bool isChanged(const Root &root, uint32_t field) const {
    return changed.contains({&root, field});
  }
  void addOwn(const Statement &statement, bool areReadersSenders);
  void touch(const StatementArgument &argument, uint32_t point);
  void touchHomes(const Root &root, uint32_t at);
  void findHomes();
  void addMeeting(const Statement &statement);
  const std::set<uint32_t> &meeting(const RootPartition &partition);
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
  /// The number of graphs that run before the end of some loop that may not
  /// run.
  size_t numBeforeTests = 0;
  /// Loops that test a scalar, which all ranks do.
  std::vector<const Loop *> tests;
  /// Fields that not all ranks write in the same way.
  std::set<std::pair<const Root *, uint32_t>> changed;
  std::map<const Statement *, Points> pointsOf;
  /// Roots that single tasks and sums change, and that all ranks read if any
  /// rank does.
  std::set<const Root *> common;
  /// Points of which only the copies of a scalar are included.
  std::map<const Statement *, Points> foldedPointsOf;
  std::map<const Statement *, std::map<uint64_t, std::set<uint32_t>>> foldRanks;
  /// Roots with copies that are folded at the homes of elements, and these
  /// homes.
  std::set<const Root *> folded;
  std::shared_ptr<HomeParts> homeParts = std::make_shared<HomeParts>();
  /// The colors that the rank's own points access, the ones with their home on
  /// it, and the ones that senders may send.
  std::map<const Root *, std::set<Color>> touched;
  /// For each partition, the colors that share elements with these.
  std::map<const RootPartition *, std::set<uint32_t>> meetingColors;
  struct Reduced {
    const RootPartition *partition;
    std::map<uint32_t, uint32_t> numberOf;
    /// The number of a color without elements.
    uint32_t nothing = 0;
  };
  std::map<const RootPartition *, Reduced> reduced;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DISTRIBUTION_FOOTPRINT_H
