//===- LookBeforeExchange.h - Exchanges that would fail ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of a graph gives each vertex its level by a compare-exchange,
// which fails for all but the first of the edges that lead there. A processor
// takes the line for itself and waits for its own stores even when it fails; a
// load that finds another value than the expected one is as good, and cheap.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_LOOKBEFOREEXCHANGE_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_LOOKBEFOREEXCHANGE_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Puts a load, with the ordering of a failed exchange, before each
/// compare-exchange that expects a constant or an argument, and makes the
/// exchange only if the load finds that. A value that was computed has been
/// read from there just before, so loops that exchange stay as they are.
class LookBeforeExchange : public llvm::PassInfoMixin<LookBeforeExchange> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_LOOKBEFOREEXCHANGE_H
