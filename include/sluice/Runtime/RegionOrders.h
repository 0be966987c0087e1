//===- RegionOrders.h - The order of points of a region program -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the compiler: computes at build time what the runtime computes about a
// program over regions when it starts.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONORDERS_H
#define SLUICE_RUNTIME_REGIONORDERS_H

#include "sluice-c/RegionProgram.h"

#include <optional>
#include <vector>

namespace sluice::regions {

/// The data of a SluiceRegionOrders.
struct GraphOrders {
  std::vector<uint32_t> firstPredecessor, predecessors;
};

/// The orders of the requested graphs of a program with these values of its
/// integer parameters; none for graphs with more than `maxPoints` points.
/// Nothing runs: pointers to functions are only compared, and partitions that
/// depend on functions or on the contents of fields have no elements.
std::vector<std::optional<GraphOrders>>
findOrders(const SluiceRegionProgram &table, std::vector<int64_t> parameters,
           const std::vector<bool> &isWanted, uint64_t maxPoints);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONORDERS_H
