//===- Unwritten.h - Reads of what has no value -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A version that nobody writes and that is not initial has no value, nor has
// what launches over some colors leave of it. A check remarks on who reads such
// elements (rule D3), and a program is not generated from them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_UNWRITTEN_H
#define SLUICE_RDIR_UNWRITTEN_H

#include "sluice/RDIR/Graph.h"

#include <memory>
#include <optional>

namespace sluice::rdir {

/// A read of elements that surely have no value.
struct UnwrittenRead {
  NodeIndex reader = noNode;
  /// What is read.
  NodeIndex version = noNode;
  /// The version without a writer that the elements are from: `version`, or the
  /// one that launches over some colors discarded at first.
  NodeIndex origin = noNode;
  /// The launch that made `version`; noNode if nobody did.
  NodeIndex writer = noNode;
  /// The reader is an open, and nobody reads what it makes: it hands on values
  /// that are only overwritten.
  bool isOnlyOpened = false;
};

/// Finds such reads in a graph, which must stay. What launches have in common
/// is worked out once.
class UnwrittenReads {
public:
  explicit UnwrittenReads(const Graph &graph);
  ~UnwrittenReads();

  /// The first reader of elements of a data node that have no value.
  std::optional<UnwrittenRead> find(NodeIndex version);

  /// Versions and colors that were looked at so far, for tests.
  uint64_t work() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace sluice::rdir

#endif // SLUICE_RDIR_UNWRITTEN_H
