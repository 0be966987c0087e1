//===- LookBeforeExchange.h - Loads before exchanges ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph search sets the level of each vertex by a compare-exchange, which
// fails for all but the first of the edges that lead to the vertex. Even when
// it fails, a processor takes exclusive ownership of the cache line and waits
// for its own stores. A load that finds an unexpected value has the same effect
// and is cheap.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_LOOKBEFOREEXCHANGE_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_LOOKBEFOREEXCHANGE_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Inserts a load, with the ordering of a failed exchange, before each
/// compare-exchange that expects a constant or an argument. The exchange only
/// runs if the load finds the expected value. A computed expected value was
/// usually read from the same place just before, so loops of exchanges stay
/// unchanged. Applies to the same functions as PromoteUpdates.
class LookBeforeExchange : public llvm::PassInfoMixin<LookBeforeExchange> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_LOOKBEFOREEXCHANGE_H
