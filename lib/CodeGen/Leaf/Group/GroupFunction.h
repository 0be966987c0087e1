//===- GroupFunction.h - A box of instances as one function -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second step from a leaf to its range function, see ItemSignature.h.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_GROUPFUNCTION_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_GROUPFUNCTION_H

#include "../Item/ItemFunction.h"
#include "InstanceStorage.h"

namespace sluice::codegen {

struct GroupFunction {
  llvm::Function *function = nullptr;
  /// The bytes that each instance needs in the scratch memory, one number per
  /// array. Arrays start at multiples of 64. If empty, `scratch` may be null.
  llvm::SmallVector<uint64_t> scratchSizes;
  /// If given, no box may be larger than this: the leaf is cut where it has no
  /// barrier, and values that cross the cuts should stay in registers. The
  /// scratch memory then holds a whole tile, even if the box is smaller.
  std::optional<std::array<int64_t, 3>> tile;
  /// Vertically adjacent tiles read the same elements in their loops: the tiles
  /// of one column should run one after another.
  bool sharesColumns = false;
};

/// Turns `item`, which is consumed, into a group function.
llvm::Expected<GroupFunction> createGroupFunction(const ItemFunction &item,
                                                  const RangeSpec &spec,
                                                  const BoxCapacity &capacity);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_GROUPFUNCTION_H
