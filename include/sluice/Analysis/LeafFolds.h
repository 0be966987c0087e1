//===- LeafFolds.h - Folds in ports and in leaves -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program states twice that instances fold into memory: in the port of a
// kernel, for code that looks at graphs, and in a call at the start of the
// leaf, for code that looks at leaves. Programs in HPVM-C write the call; text
// of the dfg dialect may contain either. The functions here derive each from
// the other.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFFOLDS_H
#define SLUICE_ANALYSIS_LEAFFOLDS_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/Module.h"

namespace sluice {

/// Adds to the ports of `kernel` the reductions and scans that its leaf calls.
/// The calls must be well-formed.
void declareFolds(dfg::KernelOp kernel, const llvm::Function &leaf);

/// Adds to the leaves in `code` the calls that the ports of their kernels
/// declare, and to ports the folds that leaves call. Fails with messages where
/// both disagree or a leaf uses the memory in another way.
mlir::LogicalResult matchFolds(mlir::ModuleOp graphs, llvm::Module &code);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFFOLDS_H
