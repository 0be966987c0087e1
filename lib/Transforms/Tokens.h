//===- Tokens.h - Orders between nodes that carry no value ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR cannot add a result to an operation, so a transform that may need tokens
// first gives one to every node, and removes the unused ones at its end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_TOKENS_H
#define SLUICE_LIB_TRANSFORMS_TOKENS_H

#include "sluice/DFG/DFG.h"

namespace sluice::transforms {

/// Replaces `node` by a copy with other results: those of `ports`, in order,
/// and a token if `hasToken`. Users of the kept results use the copy's.
dfg::NodeOp replaceResults(dfg::NodeOp node, llvm::ArrayRef<unsigned> ports,
                           bool hasToken);

/// The token of `node`; null if it has none.
mlir::Value tokenOf(dfg::NodeOp node);

/// Gives every node of `graph` a token.
void addTokens(dfg::GraphOp graph);

/// Removes the unused tokens from the nodes of `graph`.
void dropUnusedTokens(dfg::GraphOp graph);

/// Makes `node` wait for all of `source`, which has a token, unless edges
/// already do.
void addOrder(dfg::NodeOp node, dfg::NodeOp source);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_TOKENS_H
