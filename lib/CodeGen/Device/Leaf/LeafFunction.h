//===- LeafFunction.h - One instance of a leaf, for devices -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf becomes a function of its inputs and its place in the grid, with all
// calls inlined. The function is in the leaf's module: the neutral module for
// kernels, the program's module for values that the host computes before a
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

/// Makes the function of `leaf` below levels with these numbers of dimensions;
/// the leaf's own level is last. Barriers stay `llvm.hpvm.barrier`, or are
/// dropped if the leaf is the only instance of its group.
llvm::Expected<llvm::Function *>
createLeafFunction(llvm::Function &leaf, llvm::ArrayRef<unsigned> dims);

/// Calls the function; the leaf's own level is last in `levels`.
llvm::CallInst *callLeaf(llvm::IRBuilderBase &b, llvm::Function &function,
                         llvm::ArrayRef<llvm::Value *> inputs,
                         llvm::ArrayRef<PlacedLevel> levels);

/// Inlines the calls of defined functions in `function`, whatever their
/// attributes. Calls that cannot be inlined stay.
void inlineCalls(llvm::Function &function);

/// The allocations of a leaf function in order.
llvm::SmallVector<llvm::CallInst *> allocationsIn(llvm::Function &function);

/// Whether the function touches no memory except its own variables and
/// allocations: then calling it in several items has the same effect as calling
/// it once.
bool isPure(const llvm::Function &function);

/// The parameter of the leaf that its output `index` always equals, or none.
std::optional<unsigned> forwardedInput(const llvm::Function &function,
                                       unsigned index);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_LEAF_LEAFFUNCTION_H
