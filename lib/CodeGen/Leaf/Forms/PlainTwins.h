//===- PlainTwins.h - Loops that LLVM may vectorise in vain -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances are independent, so LLVM makes vectors of their loops where it
// could not for a plain loop, even if each lane reads a place of its own, as in
// a table. What that costs depends on the processor and on the data.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_FORMS_PLAINTWINS_H
#define SLUICE_LIB_CODEGEN_LEAF_FORMS_PLAINTWINS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

class PlainForm;

/// Puts beside a loop, in simple form and with one exit, from its latch, and no
/// values used behind it, a copy that runs instead where `condition` holds.
llvm::Loop *addCopy(llvm::Loop &loop, llvm::Value &condition,
                    const llvm::Twine &name, llvm::LoopInfo &loops,
                    llvm::DominatorTree &dominators);

/// Puts beside each innermost loop over instances whose vectors would gather a
/// copy without vectors, which runs where `form` says so. Whether there is any.
bool addPlainTwins(llvm::Function &function,
                   llvm::FunctionAnalysisManager &analyses, PlainForm &form);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_FORMS_PLAINTWINS_H
