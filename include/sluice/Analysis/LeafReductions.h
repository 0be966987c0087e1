//===- LeafReductions.h - What leaves declare as reductions -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf says by a call of `llvm.hpvm.reduce.*` that its instances fold into
// what a pointer parameter points to. Front ends check the call, the race check
// what the leaf does with the memory, and code generation gives every chunk of
// instances a copy of its own. By a call of `llvm.hpvm.scan.*` it says that the
// elements there, of which each instance writes its own, become their scan.
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
  /// In an exclusive scan, an element does not hold what its own instance
  /// wrote.
  enum class Kind { Reduce, Scan, ExclusiveScan };
  /// As sluice_reduce numbers them; User: functions of the program.
  enum class Op { Sum, Product, Min, Max, And, Or, Xor, User };

  Kind kind = Kind::Reduce;
  const llvm::CallBase *call = nullptr;
  /// The parameter; null if the leaf names something else.
  const llvm::Argument *memory = nullptr;
  llvm::Value *bytes = nullptr;
  /// None: the call names no operator, or no constant.
  std::optional<Op> op;
  /// Of an element; null for User.
  llvm::Type *type = nullptr;
  bool isSigned = true;
  /// Of an element; 0: not known.
  uint64_t elementBytes = 0;
  /// User only; null where the call names no function.
  llvm::Function *identity = nullptr, *combine = nullptr;
};

/// True for both kinds of scans.
inline bool isScan(const LeafReduction &reduction) {
  return reduction.kind != LeafReduction::Kind::Reduce;
}

/// What `instruction` declares, if it is such a call.
std::optional<LeafReduction> reductionOf(const llvm::Instruction &instruction);

/// All that `leaf` declares, in the order of its code.
llvm::SmallVector<LeafReduction> reductionsOf(const llvm::Function &leaf);

/// Whether it declares any.
bool hasReductions(const llvm::Function &leaf);

/// Whether it declares scans.
bool hasScans(const llvm::Function &leaf);

/// Whether every instance passes `instruction` before any branch.
bool isBeforeBranches(const llvm::Instruction &instruction);

/// "reduce", "scan", "exclusive_scan".
llvm::StringRef spellKind(LeafReduction::Kind kind);

/// "reduction", "scan".
llvm::StringRef spellNoun(LeafReduction::Kind kind);

/// How the name of the intrinsic begins: "reduce.", "scan.", "scan.exclusive.".
llvm::StringRef spellIntrinsic(llvm::StringRef kind);

/// "sum", "min" and so on.
llvm::StringRef spellReduction(LeafReduction::Op op);

/// What changes nothing, for every operator but User.
llvm::Constant *identityOf(const LeafReduction &reduction);

/// `into op from`, likewise.
llvm::Value *emitReduction(llvm::IRBuilderBase &builder,
                           const LeafReduction &reduction, llvm::Value *into,
                           llvm::Value *from);

/// True if `value` is computed from parameters of the leaf and constants alone,
/// without anything that may go wrong.
bool followsFromArguments(const llvm::Value &value);

/// Whether parameter `index` is part of such a value.
bool usesArgument(const llvm::Value &value, unsigned index);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFREDUCTIONS_H
