//===- TableFormulas.cpp - Formulas of tests of tables --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every value of the root's arguments that the check computes with has a form
// as steps, but for values that nothing is known of.
//
//===----------------------------------------------------------------------===//

#include "TableFormulas.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::races;

Polynomial races::withoutSide(const Polynomial &value) {
  return value.substitute([](Symbol symbol) -> std::optional<Polynomial> {
    symbol.side = Symbol::Side::Both;
    return Polynomial::of(symbol);
  });
}

bool races::isOfSecond(const Symbol &symbol) {
  return symbol.side == Symbol::Side::Second;
}

bool FormulaWriter::addSymbol(const Symbol &symbol) {
  if (!symbol.derivation) {
    if (symbol.kind != Symbol::Kind::Argument || symbol.levels != 0 ||
        symbol.owner)
      return false;
    step(SLUICE_STEP_ARGUMENT, symbol.index);
    return true;
  }
  const Derivation &derivation = *symbol.derivation;
  if (derivation.op == Derivation::Op::Opaque)
    return false;
  for (const Polynomial &operand : derivation.operands)
    if (!addValue(operand))
      return false;
  switch (derivation.op) {
  case Derivation::Op::Wrap:
    step(derivation.isSigned ? SLUICE_STEP_SIGNED : SLUICE_STEP_UNSIGNED,
         std::min(derivation.bits, 64u));
    break;
  case Derivation::Op::Divide:
    step(SLUICE_STEP_DIVIDE, derivation.divisor);
    break;
  default:
    step(SLUICE_STEP_MAXIMUM);
  }
  return true;
}

bool FormulaWriter::addValue(const Polynomial &value) {
  if (!value.isValid())
    return false;
  step(SLUICE_STEP_CONSTANT, value.constantTerm());
  for (const auto &[monomial, factor] : value.getTerms()) {
    if (monomial.empty())
      continue;
    step(SLUICE_STEP_CONSTANT, factor);
    for (const Symbol &symbol : monomial) {
      if (!addSymbol(symbol))
        return false;
      step(SLUICE_STEP_MULTIPLY);
    }
    step(SLUICE_STEP_ADD);
  }
  return true;
}

bool FormulaWriter::add(const Polynomial &value) {
  const bool isKnown = !value.containsAny(isVariable) && addValue(value);
  step(SLUICE_STEP_END);
  return isKnown;
}

bool FormulaWriter::addSum(Polynomial sum, llvm::ArrayRef<Symbol> factors) {
  std::vector<Polynomial> found;
  // A load comes after what its place depends on.
  for (const Symbol &symbol : llvm::reverse(factors)) {
    std::optional<Polynomial> factor = sum.coefficientOf(symbol);
    if (!factor || !factor->isValid())
      return false;
    found.push_back(*factor);
    sum -= *factor * Polynomial::of(symbol);
  }
  return add(sum) &&
         llvm::all_of(llvm::reverse(found),
                      [&](const Polynomial &factor) { return add(factor); });
}

void FormulaWriter::addUnlimited() {
  step(SLUICE_STEP_CONSTANT, INT64_MAX);
  step(SLUICE_STEP_END);
}
