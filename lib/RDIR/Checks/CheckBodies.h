//===- CheckBodies.h - Values that bodies see from before -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop or must-epoch that discards a region declares that the region's
// earlier values are lost. So its body must overwrite every element before it
// reads it, and must have overwritten all elements when it ends. A body that
// may only reduce must not see partial results. This class finds the elements
// that a body certainly overwrites: those of the versions that tasks write as a
// whole.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_CHECKS_CHECKBODIES_H
#define SLUICE_LIB_RDIR_CHECKS_CHECKBODIES_H

#include "../Graph/Reachability.h"

#include <optional>

namespace sluice::rdir {

class BodyValues {
public:
  using NamedFields = std::vector<std::pair<RegionIndex, FieldMask>>;
  /// `read`: the data that the node around the body reads. The body may use its
  /// earlier values.
  BodyValues(const Graph &body, NamedFields read);

  /// False for a body with cycles. Nothing is known about such a body.
  bool isKnown() const { return reach.has_value(); }
  /// The fields in which the reader of this edge may see values from before the
  /// body.
  FieldMask seenFromBefore(const Edge &read);
  /// The fields of a region in which the body may leave some elements
  /// unchanged.
  FieldMask leftFromBefore(RegionIndex region, FieldMask fields);

private:
  FieldMask notOverwritten(RegionIndex region, FieldMask fields,
                           NodeIndex until, const std::vector<int64_t> *colors);

  const Graph &graph;
  NamedFields read;
  Digraph digraph;
  std::vector<uint32_t> order;
  std::optional<Reachability> reach;
  /// Write edges.
  std::vector<uint32_t> writes;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_CHECKS_CHECKBODIES_H
