//===- LeafRemarks.h - What passes say about leaves -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over leaves report what they did, and what they refused and why, at
// the line of the leaf: -Rpass=sluice, -Rpass-missed=sluice and
// -Rpass-analysis=sluice. The texts are for the author of the leaf, who knows
// instances, but not this compiler.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_PIPELINE_LEAFREMARKS_H
#define SLUICE_LIB_CODEGEN_LEAF_PIPELINE_LEAFREMARKS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

namespace sluice::codegen {

enum class RemarkKind { Done, Missed, Analysis };

/// Where the first instruction of `loop` stands in a leaf. The loop's own place
/// is often that of code around leaves.
llvm::DebugLoc leafPlace(const llvm::Loop &loop);

/// Reports `text` about `loop`, or about what it contains. `pass` is the pass's
/// name, a literal.
void remark(RemarkKind kind, llvm::FunctionAnalysisManager &analyses,
            const char *pass, const llvm::Loop &loop, const llvm::Twine &text);

/// The same about `instruction`.
void remark(RemarkKind kind, llvm::FunctionAnalysisManager &analyses,
            const char *pass, const llvm::Instruction &instruction,
            const llvm::Twine &text);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_PIPELINE_LEAFREMARKS_H
