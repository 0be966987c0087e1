//===- Expander.h - From statements to tasks ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiates a recorded graph: launches become one task per point, with the
// views for the task's function.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_EXPANDER_H
#define SLUICE_RUNTIME_REGIONS_EXPANDER_H

#include "Distribution/Homes.h"
#include "Launches.h"
#include "Partitions/Overlaps.h"
#include "ReductionCopies.h"

#include <map>

namespace sluice::regions {

/// Fields of one root that every argument of a graph uses either all or not at
/// all: dependences are computed once for all of them.
class FieldClasses {
public:
  /// `isSplit`: every field is separate.
  FieldClasses(const StatementGraph &graph, bool isSplit,
               std::span<const StatementGraph *const> earlier);
  uint32_t numStores() const { return count; }
  /// The stores of an argument's fields, without duplicates.
  std::vector<Store> storesOf(const Root &root,
                              const std::vector<uint32_t> &fields) const;
  /// The root and field of each store, if every field is alone.
  std::vector<StoreInfo> describe() const;

private:
  void split(const Sequence &sequence);
  void split(const Root &root, const std::vector<uint32_t> &fields);
  /// The store of each field of each root.
  std::map<const Root *, std::vector<Store>> stores;
  uint32_t count = 0;
  const bool isSplit;
};

class Expander {
public:
  /// `homes`: for a program on several ranks, of which all points are expanded,
  /// or those of the statements' subsets. `earlier`: graphs before this one;
  /// the steps of this graph begin after theirs.
  Expander(const StatementGraph &graph, OverlapTable &overlaps,
           Homes *homes = nullptr,
           std::span<const StatementGraph *const> earlier = {});
  /// The graph's tasks and steps, still without orders.
  Result<std::unique_ptr<Expansion>> run();

private:
  using Plans = std::vector<std::unique_ptr<ReductionPlan>>;
  void expand(const Sequence &sequence);
  void expand(const Loop &loop);
  void expand(const Statement &statement);
  void expandDivided(const Statement &statement);
  void addTest(const Loop &loop, uint32_t index);
  RegionLaunch &beginLaunch(uint32_t numPoints);
  void addAccesses(RegionLaunch &launch, const StatementArgument &argument);
  void makeViews(RegionLaunch &launch, const Statement &statement,
                 const Plans &plans);
  void addTasks(RegionLaunch &launch, const Statement &statement);

  Plans planReductions(const Statement &statement);
  void *const *pointersOf(RegionLaunch &launch, const Statement &statement,
                          size_t argument, uint32_t point, const Plans &plans);
  void addReduction(RegionLaunch &launch, const Statement &statement,
                    size_t argument, const Plans &plans);
  /// `ranks`: those of the points that reduce.
  void addFolds(const ReductionPlan &plan, const std::vector<uint32_t> &ranks);
  std::vector<uint32_t> addTreeLevel(const ReductionPlan &plan,
                                     const RootPartition &elements,
                                     const std::vector<uint32_t> &copies,
                                     const std::vector<uint32_t> &ranks,
                                     uint64_t stride);
  RegionLaunch &addFoldLaunch(const char *foldOf, uint32_t numTasks,
                              SluiceTaskBody body,
                              std::shared_ptr<void> closure);
  void openBlock();
  void closeBlock();

  const StatementGraph &graph;
  const std::span<const StatementGraph *const> earlier;
  OverlapTable &overlaps;
  Homes *const homes;
  FieldClasses classes;
  std::unique_ptr<Expansion> expansion;
  bool isBlockOpen = false;
  Status error;
};

/// The preferred worker of a point as a fraction of 2^16: the same for equal
/// colors of any partition.
uint32_t homeOf(const Statement &statement, uint32_t point);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_EXPANDER_H
