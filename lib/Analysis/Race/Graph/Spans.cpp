//===- Spans.cpp - Bounds of accessed bytes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval arithmetic over ids and loop counters whose bounds are constant.
//
//===----------------------------------------------------------------------===//

#include "GraphRegions.h"

#include <algorithm>

using namespace sluice;
using namespace sluice::races;
using regions::Span;

/// An upper bound, exclusive, of an id or a loop counter.
static std::optional<int64_t> boundOf(const Symbol &symbol,
                                      const TreeNode &leaf,
                                      const PlacedAccess &access) {
  std::optional<int64_t> best;
  if (symbol.kind == Symbol::Kind::Id)
    if (auto extent = leaf.ancestorAt(symbol.index)->extent(symbol.dimension))
      best = extent->asConstant();
  for (const Condition &condition : access.conditions) {
    if (condition.kind != Condition::Kind::NotPositive)
      continue;
    Polynomial rest = condition.value - Polynomial::of(symbol);
    std::optional<int64_t> constant = rest.asConstant();
    if (constant && rest.isValid() && *constant > INT64_MIN / 2)
      best = std::min(best.value_or(INT64_MAX), 1 - *constant);
  }
  return best;
}

/// The range of a product; its symbols are numbers from 0 on.
static std::optional<int64_t> limitOf(const Monomial &monomial,
                                      const TreeNode &leaf,
                                      const PlacedAccess &access) {
  int64_t limit = 1;
  for (const Symbol &symbol : monomial) {
    if (symbol.kind != Symbol::Kind::Id && symbol.kind != Symbol::Kind::Turn)
      return std::nullopt;
    std::optional<int64_t> bound = boundOf(symbol, leaf, access);
    if (!bound || *bound < 1 ||
        __builtin_mul_overflow(limit, *bound - 1, &limit))
      return std::nullopt;
  }
  return limit;
}

static std::optional<Span> spanOf(const TreeNode &leaf,
                                  const PlacedAccess &access) {
  if (!access.offset || access.access->size <= 0)
    return std::nullopt;
  Span span;
  for (const auto &[monomial, factor] : access.offset->getTerms()) {
    std::optional<int64_t> limit = limitOf(monomial, leaf, access);
    int64_t value;
    if (!limit || __builtin_mul_overflow(*limit, factor, &value))
      return std::nullopt;
    bool isConstant = monomial.empty();
    int64_t &first = isConstant || value < 0 ? span.begin : span.end;
    if (__builtin_add_overflow(first, value, &first) ||
        (isConstant && __builtin_add_overflow(span.end, value, &span.end)))
      return std::nullopt;
  }
  if (__builtin_add_overflow(span.end, access.access->size, &span.end))
    return std::nullopt;
  return span;
}

std::optional<Span> races::spanOf(const std::vector<LeafUse> &uses,
                                  const PlacedAccesses &accesses) {
  std::optional<Span> all;
  for (const LeafUse &use : uses) {
    std::optional<Span> span =
        ::spanOf(*use.leaf, accesses.of(*use.leaf)[use.access]);
    if (!span)
      return std::nullopt;
    all = all ? Span{std::min(all->begin, span->begin),
                     std::max(all->end, span->end)}
              : *span;
  }
  return all;
}
