//===- Unwritten.h - Reads of undefined values ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A version that nobody writes and that is not initial has no value. Launches
// over some colors may also leave elements of a version without a value. A
// check emits a remark about reads of such elements (rule D3), and no program
// is generated from them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_UNWRITTEN_H
#define SLUICE_RDIR_UNWRITTEN_H

#include "sluice/RDIR/Graph.h"

#include <memory>
#include <optional>

namespace sluice::rdir {

/// A read of elements that certainly have no value.
struct UnwrittenRead {
  NodeIndex reader = noNode;
  /// The version that is read.
  NodeIndex version = noNode;
  /// The version without a writer from which the elements come: `version`, or
  /// the version that launches over some colors discarded first.
  NodeIndex origin = noNode;
  /// The launch that wrote `version`; noNode if there is none.
  NodeIndex writer = noNode;
  /// The reader is an open, and nobody reads what it makes: it hands on values
  /// that are only overwritten.
  bool isOnlyOpened = false;
};

/// Finds such reads in a graph, which must outlive the object. Common work for
/// launches is done once.
class UnwrittenReads {
public:
  explicit UnwrittenReads(const Graph &graph);
  ~UnwrittenReads();

  /// The first reader of elements of a data node without a value.
  std::optional<UnwrittenRead> find(NodeIndex version);

  /// Versions and colors that were looked at so far, for tests.
  uint64_t work() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace sluice::rdir

#endif // SLUICE_RDIR_UNWRITTEN_H
