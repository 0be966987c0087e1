//===- AloneUpdates.h - Atomics where nobody else runs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A locked instruction takes some twenty times as long as the load and the
// store that it stands for, and keeps others from overlapping. With one worker,
// nothing runs at the same time with which an instance could meet.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_ALONEUPDATES_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_ALONEUPDATES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Puts beside each relaxed atomic of a function with an invocation
/// (invocationAttribute) a load and a store, which run where the invocation
/// says that it is alone. Both are atomic themselves.
class AloneUpdates : public llvm::PassInfoMixin<AloneUpdates> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_ALONEUPDATES_H
