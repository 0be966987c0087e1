//===- Gathers.h - Processors with slow gathers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's processors run gathers and scatters as microcode, one element after
// another. LLVM takes them to be as fast as Intel's, and prefers them to loads
// and shuffles of what lies a few elements apart.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_GATHERS_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_GATHERS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Tells LLVM's vectorisers that there are no gathers and scatters, in
/// functions whose loops read every second element, say, or elements by an
/// index, on such a processor. Functions where only some rounds of a loop do
/// so, and those that write far apart, keep them: there plain code is slower
/// still.
class AvoidGathers : public llvm::PassInfoMixin<AvoidGathers> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Ends that, after all vectorisers: lanes have no other way.
class AllowGathers : public llvm::PassInfoMixin<AllowGathers> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_GATHERS_H
