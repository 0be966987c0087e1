//===- SharedKernels.h - Nodes with one kernel ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps over the same arrays are nodes of their own with the same code. One
// kernel for all of them is compiled once, and so are its variants.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_SHAREDKERNELS_H
#define SLUICE_LIB_CODEGEN_SHAREDKERNELS_H

#include "sluice/CodeGen/PlanModel.h"
#include <optional>
#include <vector>

namespace sluice::codegen {

/// True if a leaf at or below `callee` does more with input `index` than to
/// return it, or an extent there depends on it.
bool usesInput(mlir::Operation *callee, unsigned index,
               const llvm::Module &leaves);
/// True if a node reads output `index` of `node`, or needs it as the size of
/// memory, or if it leaves the graph. Most sizes that leaves hand on are for
/// the order only.
bool isOutputRead(const PlanModel &model, const FlatNode &node, unsigned index,
                  const llvm::Module &leaves);

/// All that the kernel of `node` depends on: nodes with equal keys have one
/// kernel. Nothing for nodes whose kernels are not shared: those of several
/// leaves, and with reductions.
using KernelKey = std::vector<uint64_t>;
std::optional<KernelKey> kernelKeyOf(const PlanModel &model,
                                     const FlatNode &node,
                                     const llvm::Module &leaves);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_SHAREDKERNELS_H
