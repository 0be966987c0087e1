//===- PromoteUpdates.h - Atomic updates in registers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose rounds update one address, such as a sum over all instances, is
// only as fast as the caches transfer the line between cores. With this pass,
// the loop collects in a register, which later becomes a vector, and updates
// once at its end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_PROMOTEUPDATES_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_PROMOTEUPDATES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Moves relaxed integer atomics with an unused old value after the loops that
/// do not change their address, inner loops first. In functions that run
/// instances of leaves (collectsUpdatesAttribute) only: in host code, other
/// threads may wait to see each update.
class PromoteUpdates : public llvm::PassInfoMixin<PromoteUpdates> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_PROMOTEUPDATES_H
