//===- NeutralForm.h - Parts of the neutral form of kernels -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeviceTarget.h describes the form itself.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_NEUTRALFORM_H
#define SLUICE_LIB_CODEGEN_DEVICE_NEUTRALFORM_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sluice::codegen {

inline constexpr unsigned globalSpace = 1, localSpace = 3;
inline constexpr llvm::StringLiteral kernelAttribute = "sluice-kernel";

/// Marks the address that is a member of a structure passed by value.
inline constexpr llvm::StringLiteral memberMetadata = "sluice.member";

/// Marks a comparison of addresses that the program makes, as opposed to one
/// from a memory copy.
inline constexpr llvm::StringLiteral comparisonMetadata = "sluice.comparison";

/// `ptr @(i32)` stands for local memory in leaf functions.
inline constexpr llvm::StringLiteral localMarker = "sluice.local";

/// The number of the group, of the item in it, and of items in each group.
/// Global, the number of the item among all groups, is only used in analyses.
enum class Builtin { Group, Item, Items, Global };

/// i64, at least 0 and below 2^31.
llvm::Value *emitBuiltin(llvm::IRBuilderBase &b, Builtin builtin,
                         unsigned dimension);
/// The dimension if `value` is a call of `builtin`.
std::optional<unsigned> builtinDimension(const llvm::Value *value,
                                         Builtin builtin);
/// Waits for all items of the group; orders local and global memory.
void emitBarrier(llvm::IRBuilderBase &b);
/// Turns HPVM's barriers in `function` into the neutral form's.
void replaceBarriers(llvm::Function &function);
bool isNeutralBuiltin(llvm::StringRef name);

/// A separate module with the given functions of `module` and everything that
/// they call and read; called functions are internal.
std::unique_ptr<llvm::Module>
cloneForDevices(const llvm::Module &module,
                llvm::ArrayRef<llvm::Function *> leaves);

/// Keeps only the kernels and what they use, without debug information.
void finishNeutral(llvm::Module &module);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_NEUTRALFORM_H
