//===- Guards.h - Turning conditions into loop bounds -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaves often begin with `if (id < n)`, and do nothing for the other
// instances. Looping over these costs time and masked vectors, so such a
// comparison becomes a bound of the loop over instances.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_GROUP_GUARDS_H
#define SLUICE_LIB_CODEGEN_LEAF_GROUP_GUARDS_H

#include "GroupContext.h"

namespace sluice::codegen {

/// A comparison that must be `truth` for an instance to do anything requires
/// two things of the instance's id in one dimension. If `constants` is given,
/// the id must be in it. If `predicate` is given, it must hold between the id
/// plus shared values and other shared values.
struct Guard {
  llvm::ICmpInst *compare = nullptr;
  bool truth = true;
  /// True if this guard and the other guards of the comparison imply the
  /// comparison.
  bool isWhole = true;
  unsigned dim = 0;                                     ///< of the id
  std::optional<std::pair<int64_t, int64_t>> constants; ///< [begin, end)
  std::optional<llvm::ICmpInst::Predicate> predicate;
  unsigned idOperand = 0; ///< The operand of the comparison that contains the
                          ///< id.
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
/// `source` gives shared values; `first` is the id for which `source` evaluates
/// other values.
IdRange restrict(llvm::IRBuilderBase &builder, const GroupContext &context,
                 ValueSource &source, const Guard &guard, IdRange range,
                 llvm::Value *first);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_GROUP_GUARDS_H
