//===- MaskRemainders.h - Rows that are no multiple of vectors --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a row of instances is longer than whole vectors would run one instance
// after another, which takes as long as the whole vectors where rows are short.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_MASKREMAINDERS_H
#define SLUICE_LIB_CODEGEN_LEAF_MASKREMAINDERS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Cuts loops over instances in two, the first one for whole vectors, the
/// second one for what is left, and asks for masked vectors in the latter. Done
/// for processors that mask elements of any size, and for loops of plain
/// operations whose accesses follow each other from instance to instance.
class MaskRemainders : public llvm::PassInfoMixin<MaskRemainders> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_MASKREMAINDERS_H
