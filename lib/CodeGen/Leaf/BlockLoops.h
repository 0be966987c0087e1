//===- BlockLoops.h - Loops over blocks of neighbouring instances -*- C++ -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves divide their number: `x = i % width, y = i / width`, or `k = i & 63`
// in a butterfly. In 64 consecutive instances, starting at a multiple of 64,
// the quotient is constant and the remainder counts up. So they access one
// element or adjacent elements, where vectors would otherwise have to gather.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BLOCKLOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_BLOCKLOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Turns loops over instances that divide their number by a constant into loops
/// over blocks, and over the instances of a block. The order stays the same.
/// Runs just before vectorisation, when constants are known.
class SplitIntoBlocks : public llvm::PassInfoMixin<SplitIntoBlocks> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BLOCKLOOPS_H
