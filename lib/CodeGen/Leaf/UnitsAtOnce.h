//===- UnitsAtOnce.h - How many units a kernel runs at once -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime splits nodes into chunks of whole vectors of instances. How long
// these are is known when the kernel has been optimised; the plan refers to the
// number before.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UNITSATONCE_H
#define SLUICE_LIB_CODEGEN_LEAF_UNITSATONCE_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class GlobalVariable;
} // namespace llvm

namespace sluice::codegen {

/// The number of consecutive units that `kernel`, whose units are instances,
/// runs at once: 1 until `StoreUnitsAtOnce` has run. Added when first asked
/// for.
llvm::GlobalVariable *unitsAtOnceOf(llvm::Function &kernel,
                                    const llvm::Twine &name);

/// Records that a loop of `function` runs `count` neighbouring instances at
/// once.
void noteInstancesAtOnce(llvm::Function &function, unsigned count);

/// Stores the largest number that was recorded for a kernel or what it calls.
class StoreUnitsAtOnce : public llvm::PassInfoMixin<StoreUnitsAtOnce> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module,
                              llvm::ModuleAnalysisManager &);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UNITSATONCE_H
