//===- LeafAtomics.h - The atomic operations of HPVM ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of `llvm.hpvm.atomic.*` do to memory, and the same operations in
// LLVM's own instructions.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFATOMICS_H
#define SLUICE_ANALYSIS_LEAFATOMICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace sluice {

/// A call of an atomic operation of HPVM.
struct HPVMAtomic {
  /// What it does: "add", "load", "cmpxchg"; the type is left out.
  llvm::StringRef operation;
  llvm::Value *address;
  /// Of the value in memory.
  llvm::Type *type;
  /// A load only reads, a store only writes; all others do both.
  bool isRead = true, isWritten = true;
};

/// The atomic operation that `value` is a call of, if it is one.
std::optional<HPVMAtomic> hpvmAtomicOf(const llvm::Value &value);

/// Emits the operation that is called `operation`, "add" or "cmpxchg", with
/// `arguments` and a result of type `type`: relaxed, for the whole machine.
/// Returns its result, a store for a store, or null for an unknown name.
llvm::Value *emitAtomic(llvm::IRBuilderBase &builder, llvm::StringRef operation,
                        llvm::ArrayRef<llvm::Value *> arguments,
                        llvm::Type *type);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFATOMICS_H
