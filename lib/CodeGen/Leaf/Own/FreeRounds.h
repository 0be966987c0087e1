//===- FreeRounds.h - Own loops whose rounds are independent ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM makes vectors of innermost loops whose accesses it finds to be apart. It
// gives up where it would compare many of them, and where it takes places of
// one array for dependent that no two rounds share.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_OWN_FREEROUNDS_H
#define SLUICE_LIB_CODEGEN_LEAF_OWN_FREEROUNDS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Whether `loop` is an innermost loop in a loop over instances, and nothing in
/// it is a vector yet.
bool isPlainOwnLoop(const llvm::Loop &loop);

/// Declares the accesses of such loops independent where ApartRounds finds
/// them to be, if LLVM does not find that itself. A copy of the loop runs where
/// rounds turn out to meet.
class FreeRounds : public llvm::PassInfoMixin<FreeRounds> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_OWN_FREEROUNDS_H
