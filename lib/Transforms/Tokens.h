//===- Tokens.h - Orders between nodes that carry no value ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result cannot be added to a node later, so a transform that may need tokens
// gives all nodes one first, and drops those without users at its end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_TOKENS_H
#define SLUICE_LIB_TRANSFORMS_TOKENS_H

#include "sluice/DFG/DFG.h"

namespace sluice::transforms {

/// A copy of `node` with other results: those of `ports`, in order, and a token
/// if `hasToken`. The users of results that are left take the copy's; `node` is
/// erased.
dfg::NodeOp replaceResults(dfg::NodeOp node, llvm::ArrayRef<unsigned> ports,
                           bool hasToken);

/// The token of `node`; null if it has none.
mlir::Value tokenOf(dfg::NodeOp node);

/// Gives every node of `graph` a token.
void addTokens(dfg::GraphOp graph);

/// Takes tokens that nobody uses from the nodes of `graph`.
void dropUnusedTokens(dfg::GraphOp graph);

/// Lets `node` wait for all of `source`, which has a token, unless edges make
/// it do so.
void addOrder(dfg::NodeOp node, dfg::NodeOp source);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_TOKENS_H
