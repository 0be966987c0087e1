//===- KeepOrder.h - The order of accesses within a round -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop whose rounds are declared independent may still access one place
// several times in a round, and then the order counts. LLVM's vectoriser
// combines accesses of neighbouring elements, as of the fields of a record, and
// moves loads ahead and stores back to each other. In loops that are declared
// independent, it does not look for what is in the way.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_HINTS_KEEPORDER_H
#define SLUICE_LIB_CODEGEN_LEAF_HINTS_KEEPORDER_H

#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

/// Takes the declaration from innermost loops in which LLVM would move an
/// access over another one of the same round that may touch the same place.
/// LLVM looks for dependences itself there.
class KeepOrder : public llvm::PassInfoMixin<KeepOrder> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_HINTS_KEEPORDER_H
