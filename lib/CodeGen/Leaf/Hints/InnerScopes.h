//===- InnerScopes.h - Alias scopes within instances ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When LLVM inlines a function whose pointers do not alias, their accesses get
// alias scopes. Scopes of a call within an instance only hold for that one
// instance.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_INNERSCOPES_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_INNERSCOPES_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Removes the scopes of calls within loops over instances. LLVM's vectoriser
/// ignores all scopes of an access if one of them was declared in the loop,
/// even those that hold for all instances.
class DropInnerScopes : public llvm::PassInfoMixin<DropInnerScopes> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_INNERSCOPES_H
