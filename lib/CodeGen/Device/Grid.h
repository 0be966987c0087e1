//===- Grid.h - Levels of a node on a device --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With one level of a leaf, its instances are the items of all groups. With
// two, the instances of the outer level are groups, and those of the inner
// level are their items. Levels further out are launches. A leaf with barriers
// needs a group, as do the children of a compound node. Levels without
// dimensions do not count.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_GRID_H
#define SLUICE_LIB_CODEGEN_DEVICE_GRID_H

#include "sluice/CodeGen/PlanModel.h"

namespace sluice::codegen {

struct Grid {
  bool isGrouped = false;
  unsigned numLaunchLevels = 0;
  unsigned gridLevel = SLUICE_NO_INDEX;
  /// For grouped leaves: the level whose instances are the items. Otherwise,
  /// all levels are outside of the group.
  unsigned itemLevel = SLUICE_NO_INDEX;
};

/// `hasBarrier`: of a leaf.
Grid gridOf(const FlatNode &node, bool hasBarrier);

/// The maximum number of items in a group if the program does not fix it.
inline constexpr unsigned maxItems = 256;
/// Items of the groups that run chunks of nodes with reductions and scans.
inline constexpr unsigned foldItems = 64;

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_GRID_H
