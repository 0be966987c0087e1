//===- BlockLoops.h - Loops over blocks of neighbouring instances -*- C++ -*-=//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves take their number apart: `x = i % width, y = i / width`, or a
// butterfly's `k = i & 63`. In 64 instances in a row, from a multiple of 64 on,
// the quotient is one number and the remainder counts; what they address is
// then one element, or neighbours, where vectors would else have to gather.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BLOCKLOOPS_H
#define SLUICE_LIB_CODEGEN_LEAF_BLOCKLOOPS_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Makes loops over blocks, and over the instances of a block, of loops over
/// instances that divide their number by a constant. The order stays. Runs
/// just before vectorisation, when constants are known.
class SplitIntoBlocks : public llvm::PassInfoMixin<SplitIntoBlocks> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BLOCKLOOPS_H
