//===- AloneUpdates.h - Atomics where nobody else runs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A locked instruction takes some twenty times as long as the load and the
// store that it stands for, and keeps others from overlapping. With one worker,
// nothing runs at the same time with which an instance could meet.
//
// A choice at each update would keep loops from being what they are without
// atomics: unrolled, with neighbours updated together, without copies that only
// others make worth their while. So a whole range is there twice where it
// updates memory in loops; other code chooses at each update.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_ALONEUPDATES_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_ALONEUPDATES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// A copy of a range function for invocations that are alone, if relaxed
/// atomics in its loops make it worth while; else null. It is to be handed to
/// `chooseAlone` when both have become what they should be.
llvm::Function *copyForAlone(llvm::Function &range);

/// Makes the relaxed atomics of `alone` plain loads and stores, and has `range`
/// run it where the invocation says that it is alone.
void chooseAlone(llvm::Function &range, llvm::Function &alone);

/// Puts beside each relaxed atomic of a function with an invocation
/// (invocationAttribute) a load and a store, which run where the invocation
/// says that it is alone. Both are atomic themselves. Leaves what `chooseAlone`
/// has decided.
class AloneUpdates : public llvm::PassInfoMixin<AloneUpdates> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_ALONEUPDATES_H
