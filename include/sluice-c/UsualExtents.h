//===- UsualExtents.h - Extents that a plan takes as usual ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some graphs are free of races only for extents below a power of two. Their
// plans say of which extents that was taken for granted, and launches with more
// instances are refused.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_C_USUALEXTENTS_H
#define SLUICE_C_USUALEXTENTS_H

/// More bits of SluicePlanNode::tiling.
enum SluiceUsualExtents {
  /// All extents of the node follow from arguments of the graph.
  SLUICE_USUAL_AT_LAUNCH = 32,
  /// Bit `3 * level + dimension` from this one on: that extent of the node must
  /// be below the node's limit.
  SLUICE_USUAL_EXTENT = 64,
  /// Levels that have such bits.
  SLUICE_USUAL_LEVELS = 8,
  /// The two bits from this one on say which of SLUICE_USUAL_EXPONENTS the
  /// limit has.
  SLUICE_USUAL_LIMIT = 1 << 30
};

/// Limits are two to the power of one of these.
#define SLUICE_USUAL_EXPONENTS                                                 \
  { 30, 26, 21, 16 }

#endif // SLUICE_C_USUALEXTENTS_H
