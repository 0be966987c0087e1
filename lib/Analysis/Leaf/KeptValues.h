//===- KeptValues.h - Values that a minimum or maximum keeps ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf may update an element by a comparison and a choice. This shows that
// the choice takes the other value exactly where the operator does.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_LEAF_KEPTVALUES_H
#define SLUICE_LIB_ANALYSIS_LEAF_KEPTVALUES_H

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"

#include <functional>

namespace sluice {

/// True for `>` and `>=`.
bool asksGreater(llvm::CmpInst::Predicate predicate);

class KeptValues {
public:
  /// `isOfElement`: true for the element of `leaf`, and for its address.
  KeptValues(const llvm::Function &leaf, bool isMaximum,
             std::function<bool(const llvm::Value &)> isOfElement)
      : isMaximum(isMaximum), isOfElement(std::move(isOfElement)),
        dominators(const_cast<llvm::Function &>(leaf)) {}

  /// True if the operator keeps `value` rather than the element on each path to
  /// `block`.
  bool isKept(const llvm::BasicBlock &block, const llvm::Value &value) const;
  /// True if a select or a phi takes `arm`, which is not an element, exactly
  /// where the operator does.
  bool isArmKept(const llvm::Instruction &choice, const llvm::Use &arm) const;

private:
  bool isKept(const llvm::Value &condition, bool outcome,
              const llvm::Value &value, unsigned depth) const;

  bool isMaximum;
  std::function<bool(const llvm::Value &)> isOfElement;
  llvm::DominatorTree dominators;
};

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_LEAF_KEPTVALUES_H
