//===- LeafFunction.h - One instance of a leaf, for devices -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf becomes a function of its inputs and of its place in the grid, with
// everything it calls inlined, in the module that the leaf stands in: the
// neutral module for kernels, the program's for what the host computes before a
// launch. Its parameters are those of an item function (Leaf/ItemSignature.h)
// without outputs; it returns what the leaf returns.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_LEAF_LEAFFUNCTION_H
#define SLUICE_LIB_CODEGEN_DEVICE_LEAF_LEAFFUNCTION_H

#include "sluice/CodeGen/RangeFunction.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

/// Values of one level: x, y, z.
using ValueTriple = std::array<llvm::Value *, 3>;

/// A level with its current instance.
struct PlacedLevel {
  ValueTriple ids;
  ValueTriple extents;
  unsigned numDims = 0;
};

/// Makes the function of `leaf` below levels with these numbers of dimensions,
/// its own last. Barriers stay `llvm.hpvm.barrier`, or are dropped if the leaf
/// is the only instance of its group.
llvm::Expected<llvm::Function *>
createLeafFunction(llvm::Function &leaf, llvm::ArrayRef<unsigned> dims);

/// Calls it; `levels` end with its own.
llvm::CallInst *callLeaf(llvm::IRBuilderBase &b, llvm::Function &function,
                         llvm::ArrayRef<llvm::Value *> inputs,
                         llvm::ArrayRef<PlacedLevel> levels);

/// Inlines the calls of defined functions in `function`, whatever their
/// attributes; calls of what cannot be inlined stay.
void inlineCalls(llvm::Function &function);

/// The allocations of a leaf function in order.
llvm::SmallVector<llvm::CallInst *> allocationsIn(llvm::Function &function);

/// Whether the function leaves memory alone, but for its own variables and
/// allocations: calling it in several items has the effect of calling it once.
bool isPure(const llvm::Function &function);

/// The parameter of the leaf that its output `index` always is, or none.
std::optional<unsigned> forwardedInput(const llvm::Function &function,
                                       unsigned index);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_LEAF_LEAFFUNCTION_H
