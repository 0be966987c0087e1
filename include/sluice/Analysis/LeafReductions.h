//===- LeafReductions.h - Reductions that leaves declare ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By a call of `llvm.hpvm.reduce.*` a leaf declares that its instances fold
// into the memory of a pointer parameter. Front ends check the call, the race
// check checks how the leaf uses the memory, and code generation gives every
// chunk of instances its own copy. By a call of `llvm.hpvm.scan.*` a leaf
// declares that the elements, each of which one instance writes, become their
// scan.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFREDUCTIONS_H
#define SLUICE_ANALYSIS_LEAFREDUCTIONS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>
#include <string>

namespace sluice {

/// One call of `llvm.hpvm.reduce.*` or `llvm.hpvm.scan.*`.
struct LeafReduction {
  /// In an exclusive scan, an element does not include the value that its own
  /// instance wrote.
  enum class Kind { Reduce, Scan, ExclusiveScan };
  /// Numbered as in sluice_reduce; User: functions of the program.
  enum class Op { Sum, Product, Min, Max, And, Or, Xor, User };

  Kind kind = Kind::Reduce;
  const llvm::CallBase *call = nullptr;
  /// The parameter; null if the leaf names something else.
  const llvm::Argument *memory = nullptr;
  llvm::Value *bytes = nullptr;
  /// None if the call does not name an operator as a constant.
  std::optional<Op> op;
  /// The type of an element; null for User.
  llvm::Type *type = nullptr;
  bool isSigned = true;
  /// The size of an element; 0 if not known.
  uint64_t elementBytes = 0;
  /// User only; null if the call names no function.
  llvm::Function *identity = nullptr, *combine = nullptr;
};

/// True for both kinds of scans.
inline bool isScan(const LeafReduction &reduction) {
  return reduction.kind != LeafReduction::Kind::Reduce;
}

/// The declaration of `instruction`, if it is such a call.
std::optional<LeafReduction> reductionOf(const llvm::Instruction &instruction);

/// All declarations of `leaf`, in code order.
llvm::SmallVector<LeafReduction> reductionsOf(const llvm::Function &leaf);

/// Whether `leaf` declares any.
bool hasReductions(const llvm::Function &leaf);

/// Whether `leaf` declares scans.
bool hasScans(const llvm::Function &leaf);

/// Whether every instance executes `instruction` before any branch.
bool isBeforeBranches(const llvm::Instruction &instruction);

/// "reduce", "scan", "exclusive_scan".
llvm::StringRef spellKind(LeafReduction::Kind kind);

/// "reduction", "scan".
llvm::StringRef spellNoun(LeafReduction::Kind kind);

/// The prefix of the intrinsic's name: "reduce.", "scan.", "scan.exclusive.".
llvm::StringRef spellIntrinsic(llvm::StringRef kind);

/// "sum", "min" and so on.
llvm::StringRef spellReduction(LeafReduction::Op op);

/// The identity of every operator but User.
llvm::Constant *identityOf(const LeafReduction &reduction);

/// Emits `into op from` for every operator but User.
llvm::Value *emitReduction(llvm::IRBuilderBase &builder,
                           const LeafReduction &reduction, llvm::Value *into,
                           llvm::Value *from);

/// True if `value` is computed only from parameters of the leaf and constants,
/// by operations that cannot fail.
bool followsFromArguments(const llvm::Value &value);

/// Whether such a value uses parameter `index`.
bool usesArgument(const llvm::Value &value, unsigned index);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFREDUCTIONS_H
