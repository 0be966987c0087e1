//===- Guards.h - Conditions that become bounds of loops --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves often begin with `if (id < n)`, and then do nothing for the other
// instances. Looping over the others costs time and vectors with masks; so
// such a comparison becomes a bound of the loop over instances.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_GUARDS_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_GUARDS_H

#include "GroupContext.h"

namespace sluice::codegen {

/// What a comparison that must be `truth` for an instance to do anything
/// demands of its id in one dimension: to lie in `constants`, if given, and
/// `predicate` to hold, if given, between an id plus values that all instances
/// share, and values they share.
struct Guard {
  llvm::ICmpInst *compare = nullptr;
  bool truth = true;
  /// Where this and the other guards of the comparison hold, so does it.
  bool isWhole = true;
  unsigned dim = 0;                                     ///< of the id
  std::optional<std::pair<int64_t, int64_t>> constants; ///< [begin, end)
  std::optional<llvm::ICmpInst::Predicate> predicate;
  unsigned idOperand = 0; ///< which operand of the comparison holds the id
};

/// The guards at the beginning of a fragment.
llvm::SmallVector<Guard> findGuards(const GroupContext &context,
                                    const Fragment &fragment);

/// The ids for which all guards of one dimension hold.
struct IdRange {
  llvm::Value *begin;
  llvm::Value *end;
};

/// Narrows `range` (64 bits, not empty) by `guard`; the result may be empty.
/// `source` gives shared values; `first` is the id at which `source` evaluates
/// other values.
IdRange restrict(llvm::IRBuilderBase &builder, const GroupContext &context,
                 ValueSource &source, const Guard &guard, IdRange range,
                 llvm::Value *first);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_GUARDS_H
