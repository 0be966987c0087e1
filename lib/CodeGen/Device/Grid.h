//===- Grid.h - Levels of a node on a device --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One level of a leaf: its instances are the items of all groups. Two: the
// outer's are groups, the inner's their items. Levels further out are launches.
// A leaf with barriers, and the children of a compound node, need a group.
// Levels without dimensions count for nothing.
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
  /// Grouped leaves: the level whose instances are the items; otherwise, all
  /// levels are outside of the group.
  unsigned itemLevel = SLUICE_NO_INDEX;
};

/// `hasBarrier`: of a leaf.
Grid gridOf(const FlatNode &node, bool hasBarrier);

/// The most items that a group gets where the program leaves it open.
inline constexpr unsigned maxItems = 256;
/// Items of the groups that run chunks of nodes with reductions and scans.
inline constexpr unsigned foldItems = 64;

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_GRID_H
