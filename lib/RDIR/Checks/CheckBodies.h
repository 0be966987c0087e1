//===- CheckBodies.h - What bodies see of the time before them --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop or must-epoch that discards a region says that nothing of the region's
// earlier values goes on. So its body must overwrite all elements before it
// reads them, and all of them until it ends. A body that may only reduce must
// not see partial results. Here it is found out which elements a body surely
// overwrites: those of the versions that tasks write as a whole.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_CHECKS_CHECKBODIES_H
#define SLUICE_LIB_RDIR_CHECKS_CHECKBODIES_H

#include "../Graph/Reach.h"

#include <optional>

namespace sluice::rdir {

class BodyValues {
public:
  using NamedFields = std::vector<std::pair<RegionIndex, FieldMask>>;
  /// `read` is what the node around the body reads: its earlier values may be
  /// used.
  BodyValues(const Graph &body, NamedFields read);

  /// False for a body with cycles, of which nothing is known.
  bool isKnown() const { return reach.has_value(); }
  /// The fields of which the reader of this edge may see values from before
  /// the body.
  FieldMask seenFromBefore(const Edge &read);
  /// The fields of a region of which the body may leave elements as they were.
  FieldMask leftFromBefore(RegionIndex region, FieldMask fields);

private:
  FieldMask notOverwritten(RegionIndex region, FieldMask fields,
                           NodeIndex until, const std::vector<int64_t> *colors);

  const Graph &graph;
  NamedFields read;
  Digraph digraph;
  std::vector<uint32_t> order;
  std::optional<Reach> reach;
  /// Write edges.
  std::vector<uint32_t> writes;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_CHECKS_CHECKBODIES_H
