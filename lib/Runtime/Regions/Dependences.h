//===- Dependences.h - Finding the orders between tasks -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the orders in a table of tasks from the accesses of every task.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_DEPENDENCES_H
#define SLUICE_RUNTIME_REGIONS_DEPENDENCES_H

#include "AccessHistory.h"

#include "sluice-c/RegionProgram.h"

#include <tuple>

namespace sluice::regions {

/// Fills in the predecessors of an expanded graph's tasks:
///
/// 1. The graph is walked in serial order, the body of a loop twice, so that
///    the second pass shows what an iteration must wait for in the previous
///    one. Earlier iterations are covered: a task that accessed an element two
///    iterations ago also accessed it in the last one.
/// 2. Each task waits for the tasks in the history that share an element with
///    it, if one of the two writes it, and is then added to the history.
/// 3. When all elements of a color have been written, by one task or by several
///    that wrote different ones, older accesses are hidden: a task that meets
///    an older access also meets one of the newer ones.
/// 4. After a loop that may not have run, the state before the loop counts,
/// too.
/// 5. Host tasks wait for the previous host task.
/// 6. Orders that others imply are dropped.
class DependenceFinder {
public:
  DependenceFinder(Expansion &expansion, OverlapTable &overlaps);
  void run();

private:
  void walkSteps(uint32_t begin, uint32_t end);
  uint32_t walkLoop(uint32_t begin);
  void visit(const RegionLaunch &launch);
  void findBefore(const RegionLaunch &launch, uint32_t point);
  void orderHost(uint32_t task);
  /// The elements of one partition's colors that were written through another
  /// partition with disjoint colors, since some stamp.
  struct Coverage {
    struct OfColor {
      int64_t written = 0;
      uint32_t since = 0;
      uint32_t round = 1;
    };
    std::vector<OfColor> colors;
    /// For each overlap, the round in which it was counted.
    std::vector<uint32_t> countedIn;
  };

  void hideOlder(const RegionLaunch &launch, const LaunchAccess &access);
  void hideThrough(const RegionLaunch &launch, const LaunchAccess &access,
                   size_t part);
  void cover(Store store, size_t part, const Overlaps &meeting,
             const Overlaps::Overlap &overlap, Coverage &coverage);
  void gatherOrders();

  Expansion &expansion;
  TaskTable &table;
  OverlapTable &overlaps;
  History history;
  uint32_t stamp = 0;
  /// (task, the task for which it waits)
  std::vector<std::pair<uint32_t, uint32_t>> orders;
  /// Host tasks of which one is the last before this point, whichever loops
  /// run.
  std::vector<uint32_t> lastHosts;
  /// For each task, the last task that was found to wait for it.
  std::vector<uint64_t> seenBy;
  uint64_t numSearches = 0;
  std::map<std::tuple<Store, const RootPartition *, const RootPartition *>,
           Coverage>
      coverages;
};

/// Takes the orders from the compiler; if they do not fit the tasks, returns
/// false and sets no orders.
bool takeOrders(const SluiceRegionOrders &orders, TaskTable &table);
/// The first task whose orders in the table differ from these, or -1.
int64_t findDifference(const SluiceRegionOrders &orders,
                       const TaskTable &table);

/// Drops the orders of a table that others imply within a block, between
/// iterations, or between blocks.
void dropImpliedOrders(TaskTable &table);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_DEPENDENCES_H
