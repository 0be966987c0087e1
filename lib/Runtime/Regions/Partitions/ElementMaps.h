//===- ElementMaps.h - Elements computed from coordinates -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strided and transposed parts, and coarse and fine grids, follow from the
// coordinates of elements by sums, divisions and remainders. Where each
// coordinate depends on one other, whole boxes are mapped at once; otherwise
// row by row.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_REGIONS_PARTITIONS_ELEMENTMAPS_H
#define SLUICE_RUNTIME_REGIONS_PARTITIONS_ELEMENTMAPS_H

#include "ElementSet.h"

#include "sluice-c/Partitions.h"

#include <span>

namespace sluice::regions {

/// A limit on the numbers of maps, so that sums of products fit 128 bits.
constexpr int64_t maxMapNumber = int64_t(1) << 60;

/// One coordinate for each entry of `map`; they are valid.
using ElementMap = std::span<const SluiceElementCoordinate>;

/// The elements of `to` that the map computes from the elements of a set.
ElementSet imageOf(const Shape &from, const ElementSet &set, ElementMap map,
                   const Shape &to);
/// The elements of `from` from which the map computes elements of a set.
ElementSet preimageOf(const Shape &from, ElementMap map, const Shape &to,
                      const ElementSet &set);
/// Whether it is faster to visit each element of `from` once than to look in
/// each of its rows for each element of `to`.
bool isFoundByElements(const Shape &from, ElementMap map, const Shape &to);
/// For each element of `to` the sorted elements of `from` from which the map
/// computes it, in time that follows the elements of `from`.
std::vector<Runs> namingRuns(const Shape &from, ElementMap map,
                             const Shape &to);

} // namespace sluice::regions

#endif // SLUICE_RUNTIME_REGIONS_PARTITIONS_ELEMENTMAPS_H
