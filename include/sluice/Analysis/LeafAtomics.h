//===- LeafAtomics.h - The atomic operations of HPVM ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effects of `llvm.hpvm.atomic.*` calls on memory, and the same operations
// as LLVM instructions.
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
  /// The operation: "add", "load", "cmpxchg"; without the type.
  llvm::StringRef operation;
  llvm::Value *address;
  /// The type of the value in memory.
  llvm::Type *type;
  /// False for the part that a load (only reads) or a store (only writes)
  /// lacks.
  bool isRead = true, isWritten = true;
};

/// The atomic operation that `value` calls, if it is such a call.
std::optional<HPVMAtomic> hpvmAtomicOf(const llvm::Value &value);

/// Emits the operation named `operation`, "add" or "cmpxchg", with `arguments`
/// and a result of type `type`: relaxed, for the whole machine. Returns the
/// result of the operation, the store instruction for a store, or null for an
/// unknown name.
llvm::Value *emitAtomic(llvm::IRBuilderBase &builder, llvm::StringRef operation,
                        llvm::ArrayRef<llvm::Value *> arguments,
                        llvm::Type *type);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFATOMICS_H
