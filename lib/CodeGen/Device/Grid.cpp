//===- Grid.cpp - Levels of a node on a device ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which levels of a node become launches, which become work-groups, and
// which become items of groups.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

Grid codegen::gridOf(const FlatNode &node, bool hasBarrier) {
  SmallVector<unsigned> replicated;
  for (unsigned i = 0; i != node.levels.size(); ++i)
    if (!dfg::NodeOp(node.levels[i].node).getExtents().empty())
      replicated.push_back(i);
  Grid grid;
  bool isLeaf = node.getKernel() != nullptr;
  grid.isGrouped = !isLeaf || hasBarrier || replicated.size() > 1;
  if (isLeaf && grid.isGrouped && !replicated.empty())
    grid.itemLevel = replicated.pop_back_val();
  if (!replicated.empty())
    grid.gridLevel = replicated.pop_back_val();
  if (!replicated.empty())
    grid.numLaunchLevels = grid.gridLevel;
  return grid;
}
