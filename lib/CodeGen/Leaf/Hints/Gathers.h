//===- Gathers.h - Processors with slow gathers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's processors run gathers and scatters as microcode, one element after
// another. LLVM assumes that they are as fast as Intel's, and prefers them to
// loads and shuffles for elements that are a few elements apart.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_GATHERS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_GATHERS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Tells LLVM's vectorisers that there are no gathers and scatters. Applies on
/// such a processor to functions whose loops read, for example, every second
/// element, or elements by an index. Functions in which only some rounds of a
/// loop do so, and those that write elements far apart, keep gathers and
/// scatters: there, plain code is slower still.
class AvoidGathers : public llvm::PassInfoMixin<AvoidGathers> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Reverts this after all vectorisers: lanes have no alternative.
class AllowGathers : public llvm::PassInfoMixin<AllowGathers> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_GATHERS_H
