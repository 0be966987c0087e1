//===- TableEntries.cpp - Addresses that tables name ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `out[table[i]]`, the table decides where instances write, and only the
// host knows its entries. If no two entries are equal, as in a permutation, two
// instances meet only where they read the same entry; different entries are at
// least 1 apart.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include <optional>

using namespace sluice::races;

namespace {
/// A number that is loaded, and after that at most converted, so that it keeps
/// all bits: for two different entries, it differs.
struct TableEntry {
  Symbol memory;
  Polynomial place;
  unsigned bits = 0;
  /// Types that it was converted to, and whether they have a sign.
  std::vector<std::pair<unsigned, bool>> types = {};

  bool isOfSameTable(const TableEntry &other) const {
    return memory == other.memory && bits == other.bits && types == other.types;
  }
};
} // namespace

/// The symbol that `value` is.
static std::optional<Symbol> symbolIn(const Polynomial &value) {
  std::vector<Symbol> symbols = value.symbols();
  if (symbols.size() != 1 || !(value == Polynomial::of(symbols.front())))
    return std::nullopt;
  return symbols.front();
}

static std::optional<TableEntry> entryOf(const Symbol &symbol) {
  const Derivation *derivation = symbol.derivation.get();
  if (!derivation)
    return std::nullopt;
  std::optional<Symbol> inner = symbolIn(derivation->operands[0]);
  if (!inner)
    return std::nullopt;
  if (derivation->op == Derivation::Op::Wrap) {
    std::optional<TableEntry> entry = entryOf(*inner);
    if (!entry || derivation->bits < entry->bits)
      return std::nullopt;
    entry->types.push_back({derivation->bits, derivation->isSigned});
    return entry;
  }
  if (derivation->op != Derivation::Op::Opaque ||
      derivation->code != loadCode || derivation->operands.size() != 2)
    return std::nullopt;
  return TableEntry{*inner, derivation->operands[1], derivation->bits};
}

namespace {
/// Two entries of one table, by which two addresses differ.
struct EntryPair {
  TableEntry first, second;
  /// The distance by which an address moves if an entry grows by 1.
  Polynomial stride;
  /// The addresses without them.
  Polynomial firstRest, secondRest;
};
} // namespace

static std::vector<EntryPair>
pairsIn(const OverlapQuery &query,
        llvm::function_ref<bool(const Symbol &)> isTable) {
  std::vector<EntryPair> pairs;
  for (const Symbol &x : query.firstOffset.symbols())
    for (const Symbol &y : query.secondOffset.symbols()) {
      std::optional<TableEntry> first = entryOf(x), second = entryOf(y);
      if (!first || !second || !first->isOfSameTable(*second) ||
          !isTable(first->memory))
        continue;
      std::optional<Polynomial> stride = query.firstOffset.coefficientOf(x);
      if (!stride || !stride->isValid() || stride->containsAny(isFree) ||
          query.secondOffset.coefficientOf(y) != stride)
        continue;
      pairs.push_back({*first, *second, *stride,
                       query.firstOffset - *stride * Polynomial::of(x),
                       query.secondOffset - *stride * Polynomial::of(y)});
    }
  return pairs;
}

static OverlapQuery withOffsets(OverlapQuery query, Polynomial first,
                                Polynomial second) {
  query.firstOffset = std::move(first);
  query.secondOffset = std::move(second);
  return query;
}

bool sluice::races::areDisjointByTables(
    const OverlapQuery &query, llvm::function_ref<bool(const Symbol &)> isTable,
    std::vector<TableUse> &tables,
    llvm::function_ref<bool(const OverlapQuery &)> prove, unsigned depth) {
  constexpr unsigned maxTried = 4;
  unsigned numTried = 0;
  for (const EntryPair &pair : pairsIn(query, isTable)) {
    if (numTried++ == maxTried)
      return false;
    auto isOfPlace = [&](const Symbol &symbol) {
      return isVariable(symbol) && (pair.first.place.contains(symbol) ||
                                    pair.second.place.contains(symbol));
    };
    std::vector<TableUse> used = {
        {pair.first.memory, pair.first.place, pair.second.place,
         pair.first.bits, pair.firstRest,
         !pair.firstRest.containsAny(isOfPlace) &&
             !pair.secondRest.containsAny(isOfPlace)}};
    auto proveFurther = [&](const OverlapQuery &asked) {
      return asked.firstOffset.isValid() && asked.secondOffset.isValid() &&
             (prove(asked) ||
              (depth > 1 &&
               areDisjointByTables(asked, isTable, used, prove, depth - 1)));
    };
    // Different entries: one of the two is the other, and 1 or more.
    Symbol more;
    more.kind = Symbol::Kind::Turn;
    more.side = Symbol::Side::First;
    more.index = 7000 + depth;
    const Polynomial distance =
        pair.stride * (Polynomial::of(more) + Polynomial(1));
    if (!proveFurther(
            withOffsets(query, pair.firstRest + distance, pair.secondRest)) ||
        !proveFurther(
            withOffsets(query, pair.firstRest, pair.secondRest + distance)))
      continue;
    // The same entry: none that two instances read, or they part elsewhere.
    OverlapQuery reads =
        withOffsets(query, pair.first.place, pair.second.place);
    reads.firstSize = reads.secondSize = 1;
    OverlapQuery same = withOffsets(query, pair.firstRest, pair.secondRest);
    same.conditions.push_back(
        {Condition::Kind::Zero, pair.first.place - pair.second.place});
    if (!proveFurther(reads) &&
        (!same.conditions.back().value.isValid() || !proveFurther(same)))
      continue;
    tables.insert(tables.end(), used.begin(), used.end());
    return true;
  }
  return false;
}
