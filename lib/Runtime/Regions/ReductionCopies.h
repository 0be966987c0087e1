//===- ReductionCopies.h - Private copies for points that reduce ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points of a launch that reduce to the same elements may run at the same time,
// but the result must not depend on timing or on the number of workers. This
// class decides which points get copies, and how copies are folded.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_REDUCTIONCOPIES_H
#define SLUICE_RUNTIME_REGIONS_REDUCTIONCOPIES_H

#include "Launches.h"
#include "Operators.h"
#include "Partitions/Overlaps.h"

#include <map>

namespace sluice::regions {

bool isSameOperator(const SluiceReduction &a, const SluiceReduction &b);

/// The part of a plan that depends on all points of a launch, and not on a
/// rank.
struct ReductionShape {
  /// Per argument of the plan and point: whether it has a copy.
  std::vector<bool> shared;
  uint32_t numGroups = 0;
  bool isTiny = false;
};

/// The same for all plans of a launch (Distribution/SharedReductions.h).
struct ReducedLaunch {
  /// The shape of the plan that begins with an argument and a field.
  const ReductionShape &shapeOf(size_t argument, uint32_t field) const {
    return shapes.at({argument, field});
  }
  /// The part of the cut launch that contains a point.
  uint32_t partOf(uint32_t point) const {
    return static_cast<uint32_t>(
        std::upper_bound(ends.begin(), ends.end(), point) - ends.begin());
  }

  std::map<std::pair<size_t, uint32_t>, ReductionShape> shapes;
  /// The ends of the launch's parts: before a point that uses the copy of
  /// another rank's point, and after the last point.
  std::vector<uint32_t> ends;
  /// Roots with copies that are folded at the homes of their elements.
  std::vector<const Root *> folded;
  /// False if a rank's own points do not determine how it folds.
  bool isTold = true;
};

/// How the points of one launch reduce to one field with one operator:
///
/// 1. Colors that share no element with reductions of other points are folded
///    into in place.
/// 2. For the others, consecutive points form groups, whose number depends on
/// the
///    launch's sizes. A group has a copy of the elements, which initially
///    contains the identity; its points fold into it in order.
/// 3. Fold tasks, each for a part of the elements, fold the copies into the
///    root in the order of the groups and reset them to the identity.
/// If there are few elements, in particular for a scalar, every point has a
/// copy, and more than `fanIn` copies are first folded among themselves, by a
/// tree with that many branches.
class ReductionPlan {
public:
  static constexpr uint32_t fanIn = SLUICE_FOLD_WIDTH;

  ReductionPlan(const Statement &statement, uint32_t field,
                std::vector<size_t> arguments, OverlapTable &overlaps);

  /// The statement's arguments in the plan that begins with this reduction and
  /// field; empty if they belong to an earlier plan.
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
  /// For a plan made from all points.
  ReductionShape takeShape() { return {std::move(shared), numGroups, isTiny}; }
  bool reduces(size_t argument, uint32_t aField) const {
    return aField == field && std::find(arguments.begin(), arguments.end(),
                                        argument) != arguments.end();
  }

  /// The number of the point with a tiny copy, in the whole launch.
  uint32_t numberOf(uint32_t copy) const {
    return subset ? subset->points[copy] : copy;
  }
  /// Whether a rank plans the folds of every `stride`-th point's copy.
  bool isFoldedAt(uint32_t rank, uint64_t stride) const {
    if (!subset)
      return true;
    auto level = subset->foldRanks.find(stride);
    return level != subset->foldRanks.end() && level->second.contains(rank);
  }

  /// Only some points exist, and it is known how the whole launch reduces.
  bool hasShape() const { return shape != nullptr; }
  /// In this case: the pieces of the folded elements that concern a rank, and
  /// the rank of each.
  PartitionPointer makePieces(int64_t pieceSize,
                              std::vector<uint32_t> &ranks) const;

  /// Allocates the copies and their stores.
  Status allocate(Expansion &expansion);
  Store storeOf(uint32_t point) const { return firstStore + groupOf(point); }
  /// The address that element 0 of a point's copy would have.
  void *baseOf(uint32_t point) const { return bases[groupOf(point)]; }

  /// The name of the statement.
  const char *const name;
  const Root &root;
  const uint32_t field;
  const std::vector<size_t> arguments;
  uint32_t numGroups = 0;
  /// The number of points of the launch; `numGroups` may count only those of
  /// one rank's plan.
  const uint32_t numAll;
  /// Every point is a group, and has a copy of all elements.
  bool isTiny = false;
  Store firstStore = 0;
  /// The elements of each group's copy.
  std::vector<ElementSet> groupSets;
  std::vector<void *> bases;
  /// All elements with copies.
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
  /// For some points of a launch: the information that depends on all points.
  const ReductionShape *shape = nullptr;
  /// The groups that contain these points, numbered as in the whole launch.
  std::vector<uint32_t> groups;
  /// Per argument of this plan and point.
  std::vector<bool> shared;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_REDUCTIONCOPIES_H
