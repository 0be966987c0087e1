//===- Tiles.h - The order of nodes that run strip by strip ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that follow each other row by row are divided in two ways. A *band* is
// a number of consecutive nodes such that the rows between its first and last
// node stay in the cache of one core. Within a band the rows are divided into
// *regions*, one per worker. In each region the nodes run in strips of rows,
// every node after the previous one. Nodes keep enough distance from the
// regions' borders that regions do not interfere. The remaining rows at the
// borders, of which each later node has more, run when both sides have ended.
// No instance runs twice, and every instance finds the same memory contents as
// if the nodes ran one after another.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_TILES_H
#define SLUICE_RUNTIME_PLAN_TILES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sluice {

/// Row r of a node may run when all rows of the previous node before r +
/// `ahead` + 1 have ended. No row of that node from r - `behind` on was needed
/// later. Sums from the first node of the group on.
struct TileOffset {
  uint64_t ahead = 0, behind = 0;
};

/// How to run a band of nodes. Rows of a node are numbers below `rows`; a node
/// with fewer rows has none after its last.
struct TileBand {
  uint32_t firstNode = 0, endNode = 0;
  uint64_t rows = 0;
  uint64_t stripRows = 1;
  uint32_t numRegions = 1;
};

/// Iterates over the pieces of a band and calls `run(node, begin, end)` for
/// rows of a node, until it returns false.
class TileWalk {
public:
  TileWalk(const TileBand &band, const std::vector<TileOffset> &offsets)
      : band(band), offsets(offsets) {}

  /// The strips of one region; regions may be processed at the same time.
  template <typename Run> void region(uint32_t number, Run &&run) const {
    const bool isFirst = number == 0, isLast = number + 1 == band.numRegions;
    const uint64_t begin = border(number), end = border(number + 1);
    // The strip's end in the first node; the last node is behind it.
    const uint64_t stop = isLast ? end + ahead(band.endNode - 1) : end;
    for (uint64_t front = begin; front < stop;) {
      uint64_t next =
          stop - front > band.stripRows ? front + band.stripRows : stop;
      for (uint32_t node = band.firstNode; node < band.endNode; ++node) {
        uint64_t least = isFirst ? 0 : begin + behind(node);
        uint64_t from = std::max(least, minus(front, ahead(node)));
        uint64_t to = std::min(end, minus(next, ahead(node)));
        // The first strip begins at the start of the region.
        if (front == begin)
          from = least;
        if (from < to && !run(node, from, to))
          return;
      }
      front = next;
    }
  }

  /// The rows between regions `number` and `number` + 1, after all regions have
  /// been processed; gaps may be processed at the same time, too.
  template <typename Run> void gap(uint32_t number, Run &&run) const {
    const uint64_t middle = border(number + 1);
    for (uint32_t node = band.firstNode; node < band.endNode; ++node) {
      uint64_t from = middle - ahead(node), to = middle + behind(node);
      if (from < to && !run(node, from, to))
        return;
    }
  }

  uint64_t border(uint64_t number) const {
    uint64_t whole = band.rows / band.numRegions;
    uint64_t rest = band.rows % band.numRegions;
    return whole * number + std::min(number, rest);
  }

private:
  static uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }
  uint64_t ahead(uint32_t node) const {
    return offsets[node].ahead - offsets[band.firstNode].ahead;
  }
  uint64_t behind(uint32_t node) const {
    return offsets[node].behind - offsets[band.firstNode].behind;
  }

  const TileBand &band;
  const std::vector<TileOffset> &offsets;
};

/// The inputs for choosing bands.
struct TileCosts {
  /// Size of the cache of one core.
  uint64_t cacheBytes = 0;
  /// Size of one row in all memory that the nodes access.
  uint64_t rowBytes = 0;
  uint64_t rows = 0;
  unsigned numWorkers = 1;
};

/// The bands of all nodes, or none if bands do not pay: because each worker's
/// rows fit its cache, or no two nodes' strips do.
std::vector<TileBand> chooseBands(const std::vector<TileOffset> &offsets,
                                  const TileCosts &costs);

/// Bands with strips of `stripRows` rows and at most `mostNodes` nodes each (0:
/// as many as possible); none if no two nodes can be combined.
std::vector<TileBand> makeBands(const std::vector<TileOffset> &offsets,
                                uint64_t rows, unsigned numWorkers,
                                uint64_t stripRows, uint32_t mostNodes);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_TILES_H
