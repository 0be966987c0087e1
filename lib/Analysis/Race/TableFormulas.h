//===- TableFormulas.h - Formulas of tests of tables ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches evaluate formulas of the arguments of the root as the steps of a
// stack machine, see SluicePlanTable.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_TABLEFORMULAS_H
#define SLUICE_LIB_ANALYSIS_RACE_TABLEFORMULAS_H

#include "Overlap/Overlap.h"

#include "sluice-c/Plan.h"

namespace sluice::races {

/// The value for one of the two instances, whichever it is.
Polynomial withoutSide(const Polynomial &value);

/// True for a value of one of the two instances, and only of the second.
bool isOfSecond(const Symbol &symbol);

/// Writes formulas one after the other. All functions return false if not all
/// of a value follows from the arguments of the root.
class FormulaWriter {
public:
  bool add(const Polynomial &value);
  /// A sum of products with `factors`: the formula of the rest, and one for
  /// each of them.
  bool addSum(Polynomial sum, llvm::ArrayRef<Symbol> factors);
  /// A variable without a limit of its own.
  void addUnlimited();

  std::vector<SluicePlanStep> steps;

private:
  bool addValue(const Polynomial &value);
  bool addSymbol(const Symbol &symbol);
  void step(uint32_t kind, int64_t value = 0) {
    steps.push_back({kind, 0, value});
  }
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_TABLEFORMULAS_H
