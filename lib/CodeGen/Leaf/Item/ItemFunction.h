//===- ItemFunction.h - One instance of a leaf as a function ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first step from a leaf to its range function, see ItemSignature.h.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_ITEM_ITEMFUNCTION_H
#define SLUICE_LIB_CODEGEN_LEAF_ITEM_ITEMFUNCTION_H

#include "ItemSignature.h"

#include "sluice/Analysis/InstanceUniformity.h"

#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

struct ItemFunction {
  llvm::Function *function = nullptr;
  /// The ids of the last level are below 2^31, and values that the leaf
  /// truncates to 32 bits are computed in 32 bits...
  bool isNarrow = false;
  /// ...which holds if this function `i1 @(i64 extents...)` returns true. Null
  /// if it always holds.
  llvm::Function *fits = nullptr;
  /// Dimensions in which the own id counts over all groups.
  std::array<bool, 3> fused{};
};

/// Optimisations that an item function may use.
struct ItemFreedom {
  bool narrow = false; ///< The result is only correct where
                       ///< `ItemFunction::fits` is true.
  bool fuse = false;   ///< see FuseGroups.h
};

/// Creates the item function of a leaf: helpers inlined, queries resolved,
/// intrinsics lowered except barriers, results stored, values in SSA form,
/// loops in simplified and closed form.
llvm::Expected<ItemFunction> createItemFunction(const RangeSpec &spec,
                                                ItemFreedom freedom);

/// The values that the instances of a group share in an item function.
UniformityOracle itemUniformity(const ItemSignature &signature);

/// Runs passes on one function of a module.
void runPasses(llvm::Function &function, llvm::FunctionPassManager passes);

/// Whether `instruction` is a call of the barrier intrinsic.
bool isBarrier(const llvm::Instruction &instruction);
bool hasBarrier(const llvm::Function &function);

/// The linear index of an instance over the levels [first, last], from ids
/// and extents given by `id(level, dim)` and `extent(level, dim)`.
llvm::Value *
emitLinearIndex(llvm::IRBuilderBase &builder, unsigned first, unsigned last,
                llvm::function_ref<llvm::Value *(unsigned, unsigned)> id,
                llvm::function_ref<llvm::Value *(unsigned, unsigned)> extent);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_ITEM_ITEMFUNCTION_H
