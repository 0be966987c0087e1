//===- UsualExtents.h - Extents that a plan takes as usual ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some graphs are free of races for extents below 65536 only. Their plans say
// of which extents that was taken for granted, and launches with more instances
// are refused.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_USUALEXTENTS_H
#define SLUICE_C_USUALEXTENTS_H

/// More bits of SluicePlanNode::tiling.
enum SluiceUsualExtents {
  /// Bit `3 * level + dimension` from this one on: that extent of the node must
  /// be below SLUICE_USUAL_MOST. Of the first 8 levels.
  SLUICE_USUAL_EXTENT = 32,
  /// Levels that have such bits.
  SLUICE_USUAL_LEVELS = 8,
  /// All extents of the node follow from arguments of the graph.
  SLUICE_USUAL_AT_LAUNCH = 1 << 30,
  /// The largest extent that is usual.
  SLUICE_USUAL_MOST = 65535
};

#endif // SLUICE_C_USUALEXTENTS_H
