//===- AlignArrays.h - Variables on the lines of vectors --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private arrays begin at any multiple of 16 bytes, which chance decides in
// each call. Where vectors of 64 bytes access them, all but one of four such
// places make every access touch two cache lines.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ALIGNARRAYS_H
#define SLUICE_LIB_CODEGEN_LEAF_ALIGNARRAYS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Aligns variables on the stack to the widest vectors that access them, if
/// they are larger.
class AlignArrays : public llvm::PassInfoMixin<AlignArrays> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ALIGNARRAYS_H
