//===- AtomicUpdates.h - Atomics whose old value nobody uses ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum, a histogram, a maximum: instances update memory by relaxed integer
// atomics and do not look at the old value. Such updates may be collected
// somewhere else and made later all at once: whole numbers give the same bits
// in every order, and nobody can see the difference as long as the code in
// between does not look at the memory. Here is what the transformations that do
// so have in common.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_UPDATES_ATOMICUPDATES_H
#define SLUICE_LIB_CODEGEN_LEAF_UPDATES_ATOMICUPDATES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace sluice::codegen {

/// Updates of one kind may be made in any order, and several as one.
struct UpdateKind {
  llvm::AtomicRMWInst::BinOp operation; ///< subtractions are additions
  llvm::IntegerType *type;

  bool operator==(const UpdateKind &) const = default;

  /// The operand that changes nothing.
  llvm::ConstantInt *neutral() const;
};

/// What `atomic` does if it is a relaxed update whose old value is not used.
std::optional<UpdateKind> updateKindOf(const llvm::AtomicRMWInst &atomic);

/// The value that `update` stores where it finds `old`.
llvm::Value *emitUpdatedValue(llvm::IRBuilderBase &builder,
                              const llvm::AtomicRMWInst &update,
                              llvm::Value *old);

/// Updates what `pointer` points to by the collected operand `value`.
llvm::AtomicRMWInst *emitUpdate(llvm::IRBuilderBase &builder,
                                const UpdateKind &kind, llvm::Value *pointer,
                                llvm::Value *value);

/// Whether `instruction` may order memory for other threads, or must access it
/// exactly as it says: fences, volatile accesses, atomics that are not relaxed.
bool ordersMemory(const llvm::Instruction &instruction);

/// A function of the runtime that gives or takes memory, or ends the launch.
bool isRuntimeCall(const llvm::CallBase &call);

/// Finds functions that touch nothing but what their callers see.
class ContainedFunctions {
public:
  /// Whether `function` reaches memory only through its arguments, constants
  /// and memory of its own, does not order memory, and ends in no way but by
  /// returning or by ending the launch.
  bool contains(const llvm::Function &function);

private:
  /// Found to be contained, with all that they call.
  llvm::SmallPtrSet<const llvm::Function *, 8> known;
};

/// Calls `accept` for all that is done with `pointer` and addresses computed
/// from it, in its function and those it is given to, until that is false;
/// whether it never was. For contained functions only.
bool followPointer(llvm::Value &pointer,
                   llvm::function_ref<bool(llvm::Use &)> accept);

/// Whether all that is done through `pointer` is updates of one kind: `kind`,
/// or that of the first. Calls `found` for each.
bool hasOnlyUpdates(
    llvm::Value &pointer, std::optional<UpdateKind> &kind,
    llvm::function_ref<void(llvm::AtomicRMWInst &)> found =
        [](llvm::AtomicRMWInst &) {});

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_ATOMICUPDATES_H
