//===- Launches.h - Statements expanded to tasks --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The middle form between recorded statements and a table: every point is a
// task, every task says which colors it touches, and where a reduction needs
// copies there are tasks that fold them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_LAUNCHES_H
#define SLUICE_RUNTIME_REGIONS_LAUNCHES_H

#include "Graph.h"

#include "../Plan/TaskTable.h"

#include <deque>
#include <functional>

namespace sluice::regions {

/// Memory as dependences see it: fields of a root that are always used
/// together, or private copies.
using Store = uint32_t;

/// What the points of a launch do to one store.
struct LaunchAccess {
  Store store;
  const RegionPartition *partition;
  /// The color of each point; one for all points if there is only one.
  std::vector<uint32_t> colors;
  bool isWrite;
  /// Points that use another store than `store`, if any do.
  std::vector<Store> pointStores;
  /// A write that does not need what was there.
  bool discards = false;
  /// A color that all ranks read.
  bool isForAll = false;
  /// Points fold what is there elsewhere and leave the identity.
  bool consumes = false;

  uint32_t colorOf(uint32_t point) const {
    return colors.size() == 1 ? colors[0] : colors[point];
  }
  Store storeOf(uint32_t point) const {
    return pointStores.empty() ? store : pointStores[point];
  }
};

/// Consecutive tasks of a block, and the memory that their calls refer to.
struct Launch {
  uint32_t firstTask = 0;
  uint32_t numPoints = 0;
  std::vector<LaunchAccess> accesses;
  std::vector<SluiceTask> tasks;
  std::vector<SluiceView> views;
  std::deque<std::vector<void *>> pointers;
  /// Of roots of which a part is in memory.
  std::deque<SluiceDomain> domains;
  std::shared_ptr<void> closure;
  /// On several ranks: which one runs each point, or `everyRank`.
  std::vector<uint32_t> ranks;
  /// Of a launch of which some points are there: which ones.
  std::shared_ptr<const PointSubset> subset;
};

/// What a store is when every field is one, as on several ranks.
struct StoreInfo {
  const Root *root = nullptr;
  uint32_t field = 0;
  /// Where element 0 of the field is, or would be of the private copy.
  void *base = nullptr;
  /// A private copy: how it becomes the identity again.
  std::function<void(void *elements, int64_t count)> reset = {};
  /// A private copy of few elements.
  bool isTiny = false;
};

/// A graph, expanded.
struct Expansion {
  TaskTable table;
  /// The launches of each block, in order.
  std::vector<std::vector<std::unique_ptr<Launch>>> blocks;
  /// Made for this graph only.
  std::vector<PartitionPointer> partitions;
  std::vector<std::shared_ptr<void>> memory;
  uint32_t numStores = 0;
  /// Where the graph begins; what stands before was run already.
  uint32_t firstStep = 0;
  /// On several ranks: of each store.
  std::vector<StoreInfo> stores;
};

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_LAUNCHES_H
