//===- EdgeWords.h - What edges of graphs are called ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table, so that modules, messages and tests use the same words.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_EDGEWORDS_H
#define SLUICE_RDIR_EDGEWORDS_H

#include "sluice/RDIR/Graph.h"

namespace sluice::rdir {

/// What edges of a kind are called.
struct EdgeWords {
  /// In a module: "read", as in `edges(read to %x)`, and "reads", the clause of
  /// a compute node, whose direction is implied.
  const char *name, *clause;
  /// In messages: "reduces into", "a Reduce".
  const char *verb, *title;
};
const EdgeWords &wordsOf(EdgeKind kind);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_EDGEWORDS_H
