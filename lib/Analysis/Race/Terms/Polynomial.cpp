//===- Polynomial.cpp - Sums of products of symbols -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses in leaves are nearly always polynomials of ids, extents and
// arguments. One normal form makes two of them comparable.
//
//===----------------------------------------------------------------------===//

#include "Polynomial.h"
#include "Work.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sluice::races;

std::strong_ordering sluice::races::operator<=>(const Symbol &a,
                                                const Symbol &b) {
  auto key = [](const Symbol &s) {
    return std::tie(s.kind, s.side, s.dimension, s.levels, s.index, s.owner,
                    s.bits);
  };
  if (auto order = key(a) <=> key(b); order != 0)
    return order;
  if (a.derivation == b.derivation)
    return std::strong_ordering::equal;
  if (!a.derivation || !b.derivation)
    return a.derivation ? std::strong_ordering::greater
                        : std::strong_ordering::less;
  return *a.derivation <=> *b.derivation;
}

std::strong_ordering sluice::races::operator<=>(const Polynomial &a,
                                                const Polynomial &b) {
  if (auto order = a.valid <=> b.valid; order != 0)
    return order;
  return a.terms <=> b.terms;
}

/// True if `wanted` accepts `symbol`, or one that it follows from.
static bool isAnyIn(const Symbol &symbol,
                    llvm::function_ref<bool(const Symbol &)> wanted) {
  if (!symbol.derivation)
    return wanted(symbol);
  takeWork(1);
  for (const Polynomial &operand : symbol.derivation->operands)
    if (operand.containsAny(wanted))
      return true;
  return false;
}

Polynomial::Polynomial(int64_t constant) {
  if (constant != 0)
    terms[{}] = constant;
}

Polynomial Polynomial::of(const Symbol &symbol) {
  Polynomial result;
  result.terms[{symbol}] = 1;
  return result;
}

std::optional<int64_t> Polynomial::asConstant() const {
  if (!valid || terms.size() > 1)
    return std::nullopt;
  if (terms.empty())
    return 0;
  const auto &[monomial, coefficient] = *terms.begin();
  if (!monomial.empty())
    return std::nullopt;
  return coefficient;
}

int64_t Polynomial::constantTerm() const {
  auto found = terms.find({});
  return found == terms.end() ? 0 : found->second;
}

bool Polynomial::containsAny(
    llvm::function_ref<bool(const Symbol &)> wanted) const {
  for (const auto &[monomial, coefficient] : terms)
    if (std::any_of(
            monomial.begin(), monomial.end(),
            [&](const Symbol &symbol) { return isAnyIn(symbol, wanted); }))
      return true;
  return false;
}

bool Polynomial::contains(const Symbol &symbol) const {
  return containsAny([&](const Symbol &other) { return other == symbol; });
}

std::vector<Symbol> Polynomial::symbols() const {
  std::vector<Symbol> result;
  for (const auto &[monomial, coefficient] : terms)
    result.insert(result.end(), monomial.begin(), monomial.end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::vector<Symbol> Polynomial::baseSymbols() const {
  std::vector<Symbol> result;
  containsAny([&](const Symbol &symbol) {
    result.push_back(symbol);
    return false;
  });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  if (!takeWork(monomial.size() + 1)) {
    valid = false;
    terms.clear();
    return;
  }
  int64_t &term = terms[monomial];
  if (llvm::AddOverflow(term, coefficient, term))
    valid = false;
  if (term == 0)
    terms.erase(monomial);
}

Polynomial &Polynomial::operator+=(const Polynomial &other) {
  valid &= other.valid;
  for (const auto &[monomial, coefficient] : other.terms)
    add(monomial, coefficient);
  return *this;
}

Polynomial &Polynomial::operator-=(const Polynomial &other) {
  return *this += other * Polynomial(-1);
}

Polynomial sluice::races::operator*(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  result.valid = a.valid && b.valid;
  for (const auto &[left, leftFactor] : a.terms)
    for (const auto &[right, rightFactor] : b.terms) {
      Monomial product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end());
      int64_t factor;
      if (llvm::MulOverflow(leftFactor, rightFactor, factor))
        result.valid = false;
      else
        result.add(product, factor);
    }
  return result;
}

std::optional<Polynomial>
Polynomial::coefficientOf(const Symbol &symbol) const {
  Polynomial result;
  for (const auto &[monomial, coefficient] : terms) {
    auto number = std::count(monomial.begin(), monomial.end(), symbol);
    auto isHidden = [&](const Symbol &other) {
      return other.derivation && !(other == symbol) &&
             isAnyIn(other, [&](const Symbol &base) { return base == symbol; });
    };
    if (number > 1 || std::any_of(monomial.begin(), monomial.end(), isHidden))
      return std::nullopt;
    if (number == 0)
      continue;
    Monomial rest = monomial;
    rest.erase(std::find(rest.begin(), rest.end(), symbol));
    result.add(rest, coefficient);
  }
  return result;
}

Polynomial
Polynomial::without(llvm::function_ref<bool(const Symbol &)> unwanted) const {
  Polynomial result;
  result.valid = valid;
  for (const auto &[monomial, coefficient] : terms)
    if (std::none_of(
            monomial.begin(), monomial.end(),
            [&](const Symbol &symbol) { return isAnyIn(symbol, unwanted); }))
      result.add(monomial, coefficient);
  return result;
}

Polynomial Polynomial::substitute(
    llvm::function_ref<std::optional<Polynomial>(const Symbol &)> by) const {
  Polynomial result;
  result.valid = valid;
  for (const auto &[monomial, coefficient] : terms) {
    Polynomial product(coefficient);
    for (const Symbol &symbol : monomial) {
      std::optional<Polynomial> value =
          symbol.derivation ? symbol.derivation->substitute(by) : by(symbol);
      if (!value) {
        result.valid = false;
        return result;
      }
      product = product * *value;
    }
    result += product;
  }
  return result;
}

std::optional<int64_t>
Polynomial::evaluate(llvm::function_ref<int64_t(const Symbol &)> value) const {
  if (!valid)
    return std::nullopt;
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t product = coefficient;
    for (const Symbol &symbol : monomial) {
      std::optional<int64_t> factor = symbol.derivation
                                          ? symbol.derivation->evaluate(value)
                                          : std::optional(value(symbol));
      if (!factor || llvm::MulOverflow(product, *factor, product))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return sum;
}

std::optional<int64_t> Polynomial::dividedBy(const Polynomial &other) const {
  if (!valid || !other.valid || terms.size() != other.terms.size() ||
      terms.empty())
    return std::nullopt;
  int64_t factor = terms.begin()->second / other.terms.begin()->second;
  if (factor == 0 || !(other * Polynomial(factor) == *this))
    return std::nullopt;
  return factor;
}
