//===- Forest.h - The region forest of a system of tasks --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects become roots. An object is cut where spans of ranges begin and end,
// and the pieces become the leaves of a binary tree of disjoint partitions. So
// each range is a few regions of that tree, and ranges with disjoint spans are
// provably disjoint:
//
//   data ─── [0, 64) ─┬─ [0, 32) ─┬─ [0, 16)
//                     │           └─ [16, 32)
//                     └─ [32, 64)
//
// A range without a span is the whole object.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_REGIONS_FOREST_H
#define SLUICE_LIB_ANALYSIS_REGIONS_FOREST_H

#include "sluice/Analysis/RegionTasks.h"

namespace sluice::regions {

class Forest {
public:
  explicit Forest(const TaskSystem &system);

  const rdir::RegionForest &get() const { return forest; }
  /// The regions that make up a range.
  const std::vector<rdir::RegionIndex> &regionsOf(uint32_t range) const {
    return regions[range];
  }
  /// A separate root for the object, which stands for other memory.
  rdir::RegionIndex addTwin(uint32_t object);

private:
  /// The pieces [begin, end) of an object as a region; it is halved when a
  /// range needs it.
  struct Piece {
    rdir::RegionIndex region = rdir::noRegion;
    uint32_t begin = 0, end = 0;
    /// Index of the first half in `pieces`, followed by the second one; 0 if
    /// there are none.
    uint32_t halves = 0;
  };
  void addRoots();
  void addSpans(uint32_t object, const std::vector<uint32_t> &ranges);
  void halve(uint32_t piece);
  void cover(uint32_t piece, uint32_t begin, uint32_t end,
             std::vector<rdir::RegionIndex> &result);

  const TaskSystem &system;
  rdir::RegionForest forest;
  std::vector<rdir::RegionIndex> roots;
  std::vector<std::vector<rdir::RegionIndex>> regions;
  std::vector<Piece> pieces;
};

/// True unless the ranges are of different objects or their spans are apart.
bool mayOverlap(const TaskSystem &system, uint32_t first, uint32_t second);

/// The number of instances of a task, 0 if not known.
uint64_t numInstances(const Task &task);

/// True unless the task has exactly one instance.
bool isReplicated(const Task &task);

/// True if the edge does not order different instances.
bool isPointwise(const TaskGraph &graph, const OrderEdge &edge);

} // namespace sluice::regions

#endif // SLUICE_LIB_ANALYSIS_REGIONS_FOREST_H
