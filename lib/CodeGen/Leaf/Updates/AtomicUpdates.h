//===- AtomicUpdates.h - Atomics with an unused old value -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a sum, a histogram or a maximum, instances update memory by relaxed
// integer atomics and do not use the old value. Such updates may be collected
// elsewhere and applied later all at once: integers give the same bits in every
// order, and no code can see the difference as long as the code in between does
// not access the memory. This file contains the shared code of the
// transformations that do so.
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

/// Updates of one kind may be applied in any order, and several may be combined
/// into one.
struct UpdateKind {
  llvm::AtomicRMWInst::BinOp operation; ///< subtractions are additions
  llvm::IntegerType *type;

  bool operator==(const UpdateKind &) const = default;

  /// The operand that changes nothing.
  llvm::ConstantInt *neutral() const;
};

/// The operation of `atomic` if it is a relaxed update whose old value is not
/// used.
std::optional<UpdateKind> updateKindOf(const llvm::AtomicRMWInst &atomic);

/// The value that `update` stores if the old value is `old`.
llvm::Value *emitUpdatedValue(llvm::IRBuilderBase &builder,
                              const llvm::AtomicRMWInst &update,
                              llvm::Value *old);

/// Updates the memory at `pointer` with the collected operand `value`.
llvm::AtomicRMWInst *emitUpdate(llvm::IRBuilderBase &builder,
                                const UpdateKind &kind, llvm::Value *pointer,
                                llvm::Value *value);

/// Whether `instruction` may order memory for other threads, or must access it
/// exactly as written: fences, volatile accesses, atomics that are not relaxed.
bool ordersMemory(const llvm::Instruction &instruction);

/// A function of the runtime that allocates or frees memory, or ends the
/// launch.
bool isRuntimeCall(const llvm::CallBase &call);

/// Finds functions that access only what their callers see.
class ContainedFunctions {
public:
  /// Whether `function` accesses memory only through its arguments, constants
  /// and its own memory, does not order memory, and ends only by returning or
  /// by ending the launch.
  bool contains(const llvm::Function &function);

private:
  /// Functions known to be contained, as are all functions that they call.
  llvm::SmallPtrSet<const llvm::Function *, 8> known;
};

/// Calls `accept` for all uses of `pointer` and of addresses computed from it,
/// in its function and in functions that receive it, until `accept` returns
/// false. Returns whether it never did. For contained functions only.
bool followPointer(llvm::Value &pointer,
                   llvm::function_ref<bool(llvm::Use &)> accept);

/// Whether all accesses through `pointer` are updates of one kind: `kind`, or
/// that of the first update. Calls `found` for each.
bool hasOnlyUpdates(
    llvm::Value &pointer, std::optional<UpdateKind> &kind,
    llvm::function_ref<void(llvm::AtomicRMWInst &)> found =
        [](llvm::AtomicRMWInst &) {});

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_UPDATES_ATOMICUPDATES_H
