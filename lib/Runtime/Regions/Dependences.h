//===- Dependences.h - Finding the orders between tasks -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what every task touches to the orders that a table of tasks states.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DEPENDENCES_H
#define SLUICE_RUNTIME_REGIONS_DEPENDENCES_H

#include "History.h"

#include "sluice-c/RegionProgram.h"

#include <tuple>

namespace sluice::regions {

/// Fills in the predecessors of an expanded graph's tasks:
///
///  1. The graph is walked in its serial order, the body of a loop twice, so
///     that the second time shows what an iteration has to wait for in the one
///     before. Earlier ones follow: whoever touched an element two iterations
///     ago also did in the last one.
///  2. Each task waits for the tasks in the history that share an element with
///     it, one of the two writing, and is then added to the history.
///  3. When all elements of a color were written, by one task or by several
///     that wrote different ones, what was there before is hidden: whoever
///     meets the older access meets one of the newer ones, too.
///  4. After a loop that may not have run, the state before it counts as well.
///  5. Host tasks wait for the host task before them.
///  6. Of the orders found, those that others imply are dropped.
class DependenceFinder {
public:
  DependenceFinder(Expansion &expansion, OverlapTable &overlaps);
  void run();

private:
  void walkSteps(uint32_t begin, uint32_t end);
  uint32_t walkLoop(uint32_t begin);
  void visit(const Launch &launch);
  void findBefore(const Launch &launch, uint32_t point);
  void orderHost(uint32_t task);
  /// What was written of the colors of one partition through another one,
  /// whose colors share nothing, since some stamp.
  struct Coverage {
    struct OfColor {
      int64_t written = 0;
      uint32_t since = 0;
      uint32_t round = 1;
    };
    std::vector<OfColor> colors;
    /// For each overlap the round in which it was counted.
    std::vector<uint32_t> countedIn;
  };

  void hideOlder(const Launch &launch, const LaunchAccess &access);
  void hideThrough(const Launch &launch, const LaunchAccess &access,
                   size_t part);
  void cover(Store store, size_t part, const Overlaps &meeting,
             const Overlaps::Overlap &overlap, Coverage &coverage);
  void gatherOrders();

  Expansion &expansion;
  TaskTable &table;
  OverlapTable &overlaps;
  History history;
  uint32_t stamp = 0;
  /// (task, the task it waits for)
  std::vector<std::pair<uint32_t, uint32_t>> orders;
  /// Host tasks of which one is the last before here, whichever loops run.
  std::vector<uint32_t> lastHosts;
  /// For each task the last one that was found to wait for it.
  std::vector<uint64_t> seenBy;
  uint64_t numSearches = 0;
  std::map<std::tuple<Store, const RegionPartition *, const RegionPartition *>,
           Coverage>
      coverages;
};

/// Takes the orders that the compiler found; false if they do not fit the
/// tasks, which then have none.
bool takeOrders(const SluiceRegionOrders &orders, TaskTable &table);
/// The first task whose orders in the table are not those, or -1.
int64_t findDifference(const SluiceRegionOrders &orders,
                       const TaskTable &table);

/// Drops the orders of a table that others imply within a block, from one
/// iteration to the next, or from one block to another.
void dropImpliedOrders(TaskTable &table);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DEPENDENCES_H
