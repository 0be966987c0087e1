//===- Forest.h - The region forest of a system of tasks --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects become roots. Ranges whose spans overlap, directly or through others,
// share a subregion of the disjoint partition "spans"; each range is a
// partition of its own below, with a color for each instance of its task:
//
//   data ─┬─ data.spans[0] ─┬─ fill.data [n]
//         │                 └─ smooth.data [n]
//         └─ data.spans[1] ─── tail.data [1]
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_REGIONS_FOREST_H
#define SLUICE_LIB_ANALYSIS_REGIONS_FOREST_H

#include "sluice/Analysis/Regions.h"

namespace sluice::regions {

/// The regions of ranges, with what is known of their instances.
class Forest {
public:
  /// `instancesMeet[r]`: instances of the task of range r may meet in it.
  Forest(const TaskSystem &system, const std::vector<bool> &instancesMeet);

  rdir::RegionForest &regions() { return forest; }
  const rdir::RegionForest &regions() const { return forest; }
  rdir::RegionIndex root(uint32_t object) const { return roots[object]; }
  /// The partition that stands for all instances of a range.
  rdir::RegionIndex partition(uint32_t range) const {
    return partitions[range];
  }
  /// A partition for the range in an object of the same kind that is other
  /// memory.
  rdir::RegionIndex addTwin(const TaskSystem &system, uint32_t range);
  bool mayAlias(uint32_t first, uint32_t second) const {
    return forest.mayAlias(partitions[first], partitions[second]);
  }

private:
  void addRoots(const TaskSystem &system);
  rdir::RegionIndex parentOf(const TaskSystem &system, uint32_t range);

  rdir::RegionForest forest;
  std::vector<rdir::RegionIndex> roots, partitions;
  /// By object: its twin.
  std::vector<rdir::RegionIndex> twins;
  /// By object: the partition by spans. By range: its part of that.
  std::vector<rdir::RegionIndex> spans;
  std::vector<int64_t> parts;
};

/// For every range, the part of its object that it lies in: ranges in different
/// parts have spans that are apart. -1 where an object has one part only.
std::vector<int64_t> separateSpans(const TaskSystem &system);

/// The number of instances of a task, 0 if not known.
uint64_t numInstances(const Task &task);

/// True unless the task has exactly one instance.
bool isReplicated(const Task &task);

/// True if the edge leaves different instances without an order.
bool isPointwise(const TaskGraph &graph, const OrderEdge &edge);

} // namespace sluice::regions

#endif // SLUICE_LIB_ANALYSIS_REGIONS_FOREST_H
