//===- VersionClasses.h - Data nodes that can meet --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions of regions alias only within a group of joined roots, and only where
// they share fields. So the data nodes of a group are sorted into classes, one
// per set of fields that no data node distinguishes; a sweep over a class can
// ignore fields. A data node that spans several classes appears in each.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_GRAPH_VERSIONCLASSES_H
#define SLUICE_LIB_RDIR_GRAPH_VERSIONCLASSES_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir {

struct VersionClass {
  /// One root of the group.
  RegionIndex group = noRegion;
  FieldMask fields = 0;
  /// Constraints join or separate regions of the group, so that the forest's
  /// shape does not decide what aliases.
  bool isConstrained = false;
  /// In the order given to `versionClasses`.
  std::vector<NodeIndex> versions;
};

/// Splits fields so that each mask is a union of the results.
std::vector<FieldMask> splitFields(const std::vector<FieldMask> &masks);

/// The classes of the data nodes in `order` that have edges.
std::vector<VersionClass> versionClasses(const Graph &graph,
                                         std::span<const uint32_t> order);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_GRAPH_VERSIONCLASSES_H
