//===- Tiles.cpp - Choosing bands of nodes that run strip by strip --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A band reads and writes memory once where its nodes alone would do so once
// each. The more nodes it has, the more rows lie between its first and its last
// node, and the more work remains at the borders of regions.
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

using namespace sluice;

/// Whether gaps between regions are disjoint, and contain only a small part of
/// the work, if nodes `first` to `node` are one band.
static bool mayJoin(const std::vector<TileOffset> &offsets, uint32_t first,
                    uint32_t node, uint64_t rows, uint64_t workers) {
  const uint64_t spread = offsets[node].ahead - offsets[first].ahead +
                          offsets[node].behind - offsets[first].behind;
  return workers == 1 || 2 * spread <= rows / workers;
}

std::vector<TileBand>
sluice::chooseBands(const std::vector<TileOffset> &offsets,
                    const TileCosts &costs) {
  const auto numNodes = static_cast<uint32_t>(offsets.size());
  const uint64_t workers = std::max(1u, costs.numWorkers);
  const uint64_t workerRows = costs.rows / workers;
  if (!costs.rowBytes || numNodes < 2 ||
      workerRows <= costs.cacheBytes / costs.rowBytes)
    return {};
  // The rest of the cache is for the nodes' other memory and for the code.
  const uint64_t cachedRows = costs.cacheBytes / costs.rowBytes * 3 / 4;
  const uint64_t stripRows = std::max<uint64_t>(1, cachedRows / 4);
  if (cachedRows < stripRows + 2)
    return {};
  std::vector<TileBand> bands;
  bool isUseful = false;
  for (uint32_t first = 0; first < numNodes;) {
    TileBand band{first, first + 1, costs.rows, stripRows, 1};
    // Between strips there are two rows that a node's neighbours may need.
    while (band.endNode < numNodes &&
           offsets[band.endNode].ahead - offsets[first].ahead + 2 <=
               cachedRows - stripRows &&
           mayJoin(offsets, first, band.endNode, costs.rows, workers))
      ++band.endNode;
    band.numRegions = static_cast<uint32_t>(workers);
    isUseful |= band.endNode - first > 1;
    first = band.endNode;
    bands.push_back(band);
  }
  return isUseful ? bands : std::vector<TileBand>();
}

std::vector<TileBand> sluice::makeBands(const std::vector<TileOffset> &offsets,
                                        uint64_t rows, unsigned numWorkers,
                                        uint64_t stripRows,
                                        uint32_t mostNodes) {
  const auto numNodes = static_cast<uint32_t>(offsets.size());
  const uint64_t workers = std::max(1u, numWorkers);
  std::vector<TileBand> bands;
  bool isUseful = false;
  for (uint32_t first = 0; first < numNodes;) {
    TileBand band{first, first + 1, rows, stripRows,
                  static_cast<uint32_t>(workers)};
    while (band.endNode < numNodes &&
           (!mostNodes || band.endNode - first < mostNodes) &&
           mayJoin(offsets, first, band.endNode, rows, workers))
      ++band.endNode;
    isUseful |= band.endNode - first > 1;
    first = band.endNode;
    bands.push_back(band);
  }
  return isUseful ? bands : std::vector<TileBand>();
}
