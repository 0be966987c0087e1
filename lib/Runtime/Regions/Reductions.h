//===- Reductions.h - Private copies for points that reduce ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points of a launch that reduce to the same elements may run at the same
// time, and the result must not depend on when they do, nor on the number of
// workers. This decides who gets a copy, and how copies are folded.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_REDUCTIONS_H
#define SLUICE_RUNTIME_REGIONS_REDUCTIONS_H

#include "Launches.h"
#include "Operators.h"
#include "Partitions/Overlaps.h"

#include <map>

namespace sluice::regions {

bool isSameOperator(const SluiceReduction &a, const SluiceReduction &b);

/// What only all points of a launch tell about a plan, and no rank's own.
struct ReductionShape {
  /// Per argument of the plan and point: whether it has a copy.
  std::vector<bool> shared;
  uint32_t numGroups = 0;
  bool isTiny = false;
};

/// The same of all of its plans (Distribution/SharedReductions.h).
struct ReducedLaunch {
  /// Of the plan that begins with an argument and a field.
  const ReductionShape &shapeOf(size_t argument, uint32_t field) const {
    return shapes.at({argument, field});
  }
  /// Which part of the launch, as it is cut, a point is in.
  uint32_t partOf(uint32_t point) const {
    return static_cast<uint32_t>(
        std::upper_bound(ends.begin(), ends.end(), point) - ends.begin());
  }

  std::map<std::pair<size_t, uint32_t>, ReductionShape> shapes;
  /// Where the parts of the launch end: before a point that uses the copy of
  /// another rank's, and behind the last point.
  std::vector<uint32_t> ends;
  /// Into whose elements copies are folded where those are at home.
  std::vector<const Root *> folded;
  /// False: how it folds a rank's own points do not tell.
  bool isTold = true;
};

/// How the points of one launch reduce to one field with one operator:
///
///  1. Colors that share no element with what other points reduce to are
///     folded into in place.
///  2. For the others, consecutive points form groups, as many as the launch's
///     own sizes suggest. A group has a copy of the elements, which holds the
///     identity; its points fold into it in their order.
///  3. Fold tasks, each over a part of the elements, fold the copies into the
///     root in the order of the groups and make them the identity again.
///
/// Where the elements are few, a scalar above all, every point has a copy, and
/// more than `fanIn` copies are first folded among themselves, by a tree of
/// that many branches.
class ReductionPlan {
public:
  static constexpr uint32_t fanIn = SLUICE_FOLD_WIDTH;

  ReductionPlan(const Statement &statement, uint32_t field,
                std::vector<size_t> arguments, OverlapTable &overlaps);

  /// Those of the statement's arguments that a plan is about which begins with
  /// one of its reductions and a field; empty: an earlier one has it.
  static std::vector<size_t> argumentsOf(const Statement &statement,
                                         size_t first, uint32_t field);

  /// No point needs a copy.
  bool isInPlace() const {
    return shape ? shape->numGroups == 0 : numGroups == 0 && !isTiny;
  }
  bool isInPlace(size_t argument, uint32_t point) const {
    return isInPlace() || !isShared(argument, point);
  }
  uint32_t groupOf(uint32_t point) const;
  /// Of a plan that was made from all points.
  ReductionShape takeShape() { return {std::move(shared), numGroups, isTiny}; }
  bool reduces(size_t argument, uint32_t aField) const {
    return aField == field && std::find(arguments.begin(), arguments.end(),
                                        argument) != arguments.end();
  }

  /// The point of a tiny copy, among all of the launch.
  uint32_t numberOf(uint32_t copy) const {
    return subset ? subset->points[copy] : copy;
  }
  /// Whether folds of every `stride`-th point's copy are planned of a rank.
  bool isFoldedAt(uint32_t rank, uint64_t stride) const {
    if (!subset)
      return true;
    auto level = subset->foldRanks.find(stride);
    return level != subset->foldRanks.end() && level->second.contains(rank);
  }

  /// Some points are there of a launch of which it is known how it reduces.
  bool hasShape() const { return shape != nullptr; }
  /// Then: pieces of what is folded with which a rank has to do, and the rank
  /// of each.
  PartitionPointer makePieces(int64_t pieceSize,
                              std::vector<uint32_t> &ranks) const;

  /// Allocates the copies and their stores.
  Status allocate(Expansion &expansion);
  Store storeOf(uint32_t point) const { return firstStore + groupOf(point); }
  /// Where element 0 of a point's copy would be.
  void *baseOf(uint32_t point) const { return bases[groupOf(point)]; }

  /// Of the statement.
  const char *const name;
  const Root &root;
  const uint32_t field;
  const std::vector<size_t> arguments;
  uint32_t numGroups = 0;
  /// Points of the launch, of which `numGroups` may be those of one rank's
  /// plan.
  const uint32_t numAll;
  /// Every point is a group, and has a copy of all elements.
  bool isTiny = false;
  Store firstStore = 0;
  /// The elements of each group's copy.
  std::vector<ElementSet> groupSets;
  std::vector<void *> bases;
  /// All elements that have copies.
  ElementSet unionSet;
  const Operator op;

private:
  bool isShared(size_t argument, uint32_t point) const {
    return shared[(std::find(arguments.begin(), arguments.end(), argument) -
                   arguments.begin()) *
                      size_t(numPoints) +
                  point];
  }
  void findShared(const Statement &statement, OverlapTable &overlaps);
  void takeGroups(const Statement &statement);
  void uniteShared(const Statement &statement, std::vector<Runs> &runs) const;
  void chooseGroups(const Statement &statement);
  bool formGroups(const Statement &statement, uint32_t count);

  const uint32_t numPoints;
  const std::shared_ptr<const PointSubset> subset;
  /// Of some points of a launch with several: what all of them tell.
  const ReductionShape *shape = nullptr;
  /// The groups, among all of the launch, that these points are in.
  std::vector<uint32_t> groups;
  /// Per argument of this plan and point.
  std::vector<bool> shared;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_REDUCTIONS_H
