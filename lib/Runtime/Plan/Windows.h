//===- Windows.h - Nodes that run strip by strip over windows ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the nodes of a group write on the way, and nobody else uses, need not be
// kept: the rows go through all nodes at once, and of the memory between two
// nodes only a window is there, one for each region. Where regions meet, each
// computes the rows between that it needs by itself: nobody sees that they are
// computed twice.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_WINDOWS_H
#define SLUICE_RUNTIME_PLAN_WINDOWS_H

#include "Tiles.h"

#include "sluice-c/Plan.h"

#include <functional>
#include <mutex>
#include <optional>
#include <span>

namespace sluice {

/// Of a group of nodes: which memory may live in windows. Indices of nodes
/// count from the first one of the group.
struct TileWindows {
  /// Arguments of the graph. Empty: no windows.
  std::vector<uint32_t> arguments;
  /// Of each node, for each entry of its SluicePlanNode::touched: the window,
  /// an index in `arguments`, or SLUICE_NO_INDEX.
  std::vector<std::vector<uint32_t>> ofNode;
  /// Of each node: it writes what others see, so no row may run twice.
  std::vector<bool> isFinal;
};

/// What may live in windows of the nodes `first` to `end` of a plan, which may
/// run row by row: memory that the graph says is temporary and that only these
/// nodes touch, if no row that might run twice writes anything else.
TileWindows findWindows(const SluicePlan &plan, uint32_t first, uint32_t end);

/// Rows of a node.
struct RowRange {
  uint64_t begin = 0, end = 0;
};

/// Walks over the pieces of a group whose regions do not need each other.
class WindowWalk {
public:
  WindowWalk(const std::vector<TileOffset> &offsets, const TileWindows &windows,
             std::vector<uint64_t> nodeRows, uint64_t stripRows,
             uint32_t numRegions);

  uint32_t numNodes() const { return static_cast<uint32_t>(nodeRows.size()); }
  uint32_t regions() const { return band.numRegions; }
  /// What a node runs in a region.
  RowRange rowsOf(uint32_t node, uint32_t region) const;
  /// The region in which the last row of `node` runs, if it runs in several the
  /// one to which it belongs.
  bool endsIn(uint32_t node, uint32_t region) const;

  /// `run(node, begin, end)` for rows of a node; it returns false to stop.
  template <typename Run> bool region(uint32_t number, Run &&run) const {
    const RowRange own = ownRows(number);
    std::vector<RowRange> left;
    for (uint32_t node = 0; node < numNodes(); ++node)
      left.push_back(rowsOf(node, number));
    for (uint64_t front = own.begin; front < own.end;) {
      front = std::min(front + band.stripRows, own.end);
      for (uint32_t node = 0; node < numNodes(); ++node) {
        uint64_t end = std::min(left[node].end, front + ahead(node));
        if (left[node].begin >= end)
          continue;
        if (!run(node, left[node].begin, end))
          return false;
        left[node].begin = end;
      }
    }
    return true;
  }

private:
  RowRange ownRows(uint32_t region) const {
    TileWalk walk(band, offsets);
    return {walk.border(region), walk.border(region + 1)};
  }
  /// Rows by which the last node follows this one.
  uint64_t ahead(uint32_t node) const {
    return offsets.back().ahead - offsets[node].ahead;
  }
  uint64_t behind(uint32_t node) const {
    return offsets.back().behind - offsets[node].behind;
  }

  const std::vector<TileOffset> &offsets;
  const TileWindows &windows;
  std::vector<uint64_t> nodeRows;
  TileBand band;
};

/// What the windows of launches need that are alike: they have the same values
/// in their frames, pointers aside. Asking for it takes a call for each strip
/// of each node.
class WindowMemo {
public:
  struct Fit {
    /// Of a strip, and the regions.
    uint64_t stripRows = 0;
    uint32_t numRegions = 0;
    /// Bytes of each window; empty: there can be none.
    std::vector<uint64_t> sizes;
  };
  /// The fit of launches whose values are `key`, if the last one was such.
  std::optional<Fit> find(std::span<const unsigned char> key) const;
  void keep(std::span<const unsigned char> key, const Fit &fit);

private:
  mutable std::mutex mutex;
  std::vector<unsigned char> key;
  std::optional<Fit> fit;
};

/// Calls a node's touch function for rows of it: a range for each entry of
/// SluicePlanNode::touched.
using TouchRows = std::function<std::span<const SluiceDeviceRange>(
    uint32_t node, uint64_t begin, uint64_t end)>;

/// The bytes that each window must hold at a time; none if that is not known,
/// or if they are more than `limit` together.
std::optional<std::vector<uint64_t>> measureWindows(const WindowWalk &walk,
                                                    const TileWindows &windows,
                                                    const TouchRows &touch,
                                                    uint64_t limit);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_WINDOWS_H
