//===- Launches.h - Statements expanded to tasks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The intermediate form between recorded statements and a table: every point is
// a task that lists its accessed colors, and if a reduction needs copies, there
// are tasks that fold them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_LAUNCHES_H
#define SLUICE_RUNTIME_REGIONS_LAUNCHES_H

#include "StatementGraph.h"

#include "../Plan/TaskTable.h"

#include <deque>
#include <functional>

namespace sluice::regions {

/// Memory from the perspective of dependences: fields of a root that are always
/// used together, or private copies.
using Store = uint32_t;

/// The accesses of a launch's points to one store.
struct LaunchAccess {
  Store store;
  const RootPartition *partition;
  /// The color of each point, or one color for all points.
  std::vector<uint32_t> colors;
  bool isWrite;
  /// The stores of points that use another store than `store`, if any.
  std::vector<Store> pointStores;
  /// A write that ignores the previous content.
  bool discards = false;
  /// A color that all ranks read.
  bool isForAll = false;
  /// Points fold the contents of other stores, and reset these to the identity.
  bool consumes = false;

  uint32_t colorOf(uint32_t point) const {
    return colors.size() == 1 ? colors[0] : colors[point];
  }
  Store storeOf(uint32_t point) const {
    return pointStores.empty() ? store : pointStores[point];
  }
};

/// Consecutive tasks of a block, and the data to which their calls refer.
struct RegionLaunch {
  uint32_t firstTask = 0;
  uint32_t numPoints = 0;
  std::vector<LaunchAccess> accesses;
  std::vector<SluiceTask> tasks;
  std::vector<SluiceView> views;
  std::deque<std::vector<void *>> pointers;
  /// For roots of which only a part is in memory.
  std::deque<SluiceDomain> domains;
  std::shared_ptr<void> closure;
  /// On several ranks: the rank of each point, or `everyRank`.
  std::vector<uint32_t> ranks;
  /// For a launch of which only some points exist: these points.
  std::shared_ptr<const PointSubset> subset;
};

/// The description of a store if every field is one, as on several ranks.
struct StoreInfo {
  const Root *root = nullptr;
  uint32_t field = 0;
  /// The address of element 0 of the field, or of where it would be in the
  /// private copy.
  void *base = nullptr;
  /// For a private copy: resets elements to the identity.
  std::function<void(void *elements, int64_t count)> reset = {};
  /// A private copy of few elements.
  bool isTiny = false;
};

/// A graph, expanded.
struct Expansion {
  TaskTable table;
  /// The launches of each block, in order.
  std::vector<std::vector<std::unique_ptr<RegionLaunch>>> blocks;
  /// Partitions made only for this graph.
  std::vector<PartitionPointer> partitions;
  std::vector<std::shared_ptr<void>> memory;
  uint32_t numStores = 0;
  /// The beginning of the graph; earlier steps have already run.
  uint32_t firstStep = 0;
  /// On several ranks: the description of each store.
  std::vector<StoreInfo> stores;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_LAUNCHES_H
