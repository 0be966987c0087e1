//===- Windows.h - Nodes that run strip by strip in windows ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intermediate data that the nodes of a group write, and that nobody else uses,
// need not be kept. The rows go through all nodes together, and of the memory
// between two nodes only a window exists, one for each region. At the borders
// of regions, each region computes the rows that it needs by itself: no one can
// observe that they are computed twice.
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

/// The memory of a group of nodes that may be in windows. Indices of nodes
/// count from the first node of the group.
struct TileWindows {
  /// Arguments of the graph; empty if there are no windows.
  std::vector<uint32_t> arguments;
  /// For each node and each entry of its SluicePlanNode::touched: the window as
  /// an index in `arguments`, or SLUICE_NO_INDEX.
  std::vector<std::vector<uint32_t>> ofNode;
  /// For each node: it writes data visible outside, so no row may run twice.
  std::vector<bool> isFinal;
};

/// The memory that may be in windows for the nodes `first` to `end` of a plan,
/// which may run row by row: memory that the graph declares temporary and that
/// only these nodes access, if no row that might run twice writes anything
/// else.
TileWindows findWindows(const SluicePlan &plan, uint32_t first, uint32_t end);

/// Rows of a node.
struct RowRange {
  uint64_t begin = 0, end = 0;
};

/// Iterates over the pieces of a group with independent regions.
class WindowWalk {
public:
  WindowWalk(const std::vector<TileOffset> &offsets, const TileWindows &windows,
             std::vector<uint64_t> nodeRows, uint64_t stripRows,
             uint32_t numRegions);

  uint32_t numNodes() const { return static_cast<uint32_t>(nodeRows.size()); }
  uint32_t regions() const { return band.numRegions; }
  /// The rows of a node in a region.
  RowRange rowsOf(uint32_t node, uint32_t region) const;
  /// Whether the last row of `node` runs in this region; if it runs in several,
  /// whether it belongs to this one.
  bool endsIn(uint32_t node, uint32_t region) const;

  /// Calls `run(node, begin, end)` for rows of a node, until it returns false.
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
  /// The number of rows by which the last node is behind this one.
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

/// The requirements of windows for similar launches: those with the same values
/// in their frames, except pointers. Computing them takes a call for each strip
/// of each node.
class WindowMemo {
public:
  struct Fit {
    /// Rows of a strip, and the number of regions.
    uint64_t stripRows = 0;
    uint32_t numRegions = 0;
    /// Bytes of each window; empty: windows are not possible.
    std::vector<uint64_t> sizes;
  };
  /// The fit of launches with the values `key`, if the last launch had these
  /// values.
  std::optional<Fit> find(std::span<const unsigned char> key) const;
  void keep(std::span<const unsigned char> key, const Fit &fit);

private:
  mutable std::mutex mutex;
  std::vector<unsigned char> key;
  std::optional<Fit> fit;
};

/// Calls a node's touch function for some of its rows: returns a range for each
/// entry of SluicePlanNode::touched.
using TouchRows = std::function<std::span<const SluiceDeviceRange>(
    uint32_t node, uint64_t begin, uint64_t end)>;

/// The number of bytes that each window must hold at a time; none if it is not
/// known, or if the total exceeds `limit`.
std::optional<std::vector<uint64_t>> measureWindows(const WindowWalk &walk,
                                                    const TileWindows &windows,
                                                    const TouchRows &touch,
                                                    uint64_t limit);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_WINDOWS_H
