//===- Extents.h - Evaluating the extents of a node -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents depend on data, so they are checked where they are evaluated: none
// may be negative and the number of instances must stay below 2^63. The
// executor and the sequential interpreter share this one function.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_EXTENTS_H
#define SLUICE_RUNTIME_PLAN_EXTENTS_H

#include "sluice-c/Plan.h"
#include "sluice/Base/Status.h"

#include <span>
#include <string>

namespace sluice {

/// The numbers of instances and units of a node.
struct NodeCounts {
  /// Product of the first `numIndexLevels` levels.
  uint64_t instances = 1;
  /// Product of the first `numUnitLevels` levels.
  uint64_t units = 1;
  /// Extent x of the innermost unit level: a row of units.
  uint64_t rowUnits = 1;
  /// Chunks of fewer rows take longer; 0: chunks may be of any size.
  uint64_t chunkRows = 0;
  /// No instance at any level: the kernel does not run.
  bool empty = false;
};

/// Counts what `extents` (three per level) span; an error names the node and
/// the values.
Result<NodeCounts> countInstances(const SluicePlanNode &node,
                                  const int64_t *extents);

/// Refuses extents of the nodes of a plan that are larger than a proof took for
/// granted, as far as arguments tell.
Status checkUsualExtents(const SluicePlan &plan,
                         std::span<const uint32_t> nodes,
                         const unsigned char *frame);

/// The product over `numLevels` levels, 0 if any extent is; false if it does
/// not fit 63 bits. No extent may be negative.
bool multiplyExtents(const int64_t *extents, uint32_t numLevels,
                     uint64_t &product);

/// "[4, 2] x [16]": the levels' extents without trailing ones.
std::string extentsText(const int64_t *extents, uint32_t numLevels);

/// "node 'root/blur' at blur.c:12:3".
std::string nodeText(const SluicePlanNode &node);

} // namespace sluice

#endif // SLUICE_RUNTIME_PLAN_EXTENTS_H
