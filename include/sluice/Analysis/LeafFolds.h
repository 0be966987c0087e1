//===- LeafFolds.h - Ports and leaves that speak of folds -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That instances fold into memory is said twice: by the port of a kernel, for
// all who look at graphs, and by a call at the start of the leaf, for all who
// look at its code. Programs in HPVM-C write the call; text of the dfg dialect
// may write either. Here each follows from the other.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFFOLDS_H
#define SLUICE_ANALYSIS_LEAFFOLDS_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/Module.h"

namespace sluice {

/// Gives the ports of `kernel` the reductions and scans that its leaf calls
/// for, which must be well-formed.
void declareFolds(dfg::KernelOp kernel, const llvm::Function &leaf);

/// Gives the leaves in `code` the calls that the ports of their kernels speak
/// of, and ports what leaves call for. Fails, with messages, where both
/// disagree or a leaf uses the memory in another way.
mlir::LogicalResult matchFolds(mlir::ModuleOp graphs, llvm::Module &code);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFFOLDS_H
