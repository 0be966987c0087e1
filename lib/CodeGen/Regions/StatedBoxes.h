//===- StatedBoxes.h - Boxes of parts that programs state -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of roots, blocks and halos with constant extents.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_STATEDBOXES_H
#define SLUICE_LIB_CODEGEN_REGIONS_STATEDBOXES_H

#include "sluice/CodeGen/RegionModel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace sluice::codegen {

using BoxCoordinates = llvm::SmallVector<int64_t, 3>;

/// Coordinates lower <= c < upper; all empty boxes are equal.
struct StatedBox {
  BoxCoordinates lower, upper;

  bool isEmpty() const;
  bool contains(llvm::ArrayRef<int64_t> element) const;
  bool operator==(const StatedBox &other) const;
};

/// All of a root.
std::optional<StatedBox> boxOfRoot(const RegionRoot &root);

/// The elements of an argument at a point, if known.
std::optional<StatedBox> boxAt(const RegionModel &program,
                               const RegionArgument &argument,
                               llvm::ArrayRef<int64_t> point);

/// A box that has all elements of an argument at a point, if known; also for
/// halos.
std::optional<StatedBox> boxAround(const RegionModel &program,
                                   const RegionArgument &argument,
                                   llvm::ArrayRef<int64_t> point);

/// The coordinates at a linear position.
BoxCoordinates coordinatesAt(int64_t position, llvm::ArrayRef<Extent> extents);

/// Moves to the next point; false after the last one.
bool stepPoint(llvm::ArrayRef<Extent> extents, BoxCoordinates &point);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_STATEDBOXES_H
