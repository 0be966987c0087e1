//===- EdgeWords.h - Names of the edges of graphs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table, so that modules, messages and tests use the same names.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_EDGEWORDS_H
#define SLUICE_RDIR_EDGEWORDS_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir {

/// The names of the edges of one kind.
struct EdgeWords {
  /// In a module: "read", as in `edges(read to %x)`, and "reads", the clause of
  /// a compute node, which implies the direction.
  const char *name, *clause;
  /// In messages: "reduces into", "a Reduce".
  const char *verb, *title;
};
const EdgeWords &wordsOf(EdgeKind kind);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_EDGEWORDS_H
