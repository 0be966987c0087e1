//===- RegionOrders.h - Which points of a region program wait -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the compiler: what the runtime finds out about a program over regions
// when it starts, found out when it is built.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONORDERS_H
#define SLUICE_RUNTIME_REGIONORDERS_H

#include "sluice-c/RegionProgram.h"

#include <optional>
#include <vector>

namespace sluice::regions {

/// The numbers of a SluiceRegionOrders.
struct GraphOrders {
  std::vector<uint32_t> firstPredecessor, predecessors;
};

/// The orders of the wanted graphs of a program whose integer parameters have
/// these values; of those with more than `maxPoints` points none. Nothing runs:
/// pointers to functions are only compared, and partitions by functions or by
/// what fields hold have no elements.
std::vector<std::optional<GraphOrders>>
findOrders(const SluiceRegionProgram &table, std::vector<int64_t> parameters,
           const std::vector<bool> &isWanted, uint64_t maxPoints);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONORDERS_H
