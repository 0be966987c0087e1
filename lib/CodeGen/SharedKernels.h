//===- SharedKernels.h - Sharing one kernel between nodes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps over the same arrays are separate nodes with the same code. A kernel
// that all of them share is compiled once, and so are its variants.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_SHAREDKERNELS_H
#define SLUICE_LIB_CODEGEN_SHAREDKERNELS_H

#include "sluice/CodeGen/PlanModel.h"
#include <optional>
#include <vector>

namespace sluice::codegen {

/// True if a leaf at or below `callee` does more with input `index` than return
/// it, or if an extent there depends on it.
bool usesInput(mlir::Operation *callee, unsigned index,
               const llvm::Module &leaves);
/// True if a node reads output `index` of `node` or needs it as the size of
/// memory, or if the output leaves the graph. Most sizes that leaves pass on
/// only express an order.
bool isOutputRead(const PlanModel &model, const FlatNode &node, unsigned index,
                  const llvm::Module &leaves);

/// Everything that the kernel of `node` depends on: nodes with equal keys share
/// one kernel. None for nodes whose kernels are not shared: those with several
/// leaves, and those with reductions.
using KernelKey = std::vector<uint64_t>;
std::optional<KernelKey> kernelKeyOf(const PlanModel &model,
                                     const FlatNode &node,
                                     const llvm::Module &leaves);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_SHAREDKERNELS_H
