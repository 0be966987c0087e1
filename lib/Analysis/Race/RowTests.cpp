//===- RowTests.cpp - What launches test of rows --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In `for (k = first[i]; k < first[i + 1]; k++) out[k] = i`, instances use rows
// of consecutive numbers. Two of them meet if and only if their rows overlap,
// so a test of all rows refuses no correct launch. A number stands for `stride`
// bytes, of which an instance uses a fixed part.
//
//===----------------------------------------------------------------------===//

#include "RowTests.h"
#include "EqualStores.h"
#include "ProofAttempts.h"
#include "TableFormulas.h"
#include "TableTests.h"
#include "Terms/Work.h"

#include "sluice/DFG/AssumedExtents.h"
#include "sluice/DFG/OrderedDims.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace sluice::races;

namespace {
/// What one instance uses, and when.
struct RowUse {
  Polynomial offset;
  std::vector<Condition> conditions;

  friend bool operator==(const RowUse &, const RowUse &) = default;
};

struct RowLoad {
  Symbol symbol;
  Polynomial place;
  SluicePlanLoad load = {};
};

/// The rows of one leaf, as sums of ids, turns and loaded numbers.
class RowForm {
public:
  RowForm(const PlacedAccesses &accesses, const TreeNode &leaf, RowUse use)
      : accesses(accesses), leaf(leaf), use(std::move(use)) {}

  /// False if the rows have another form.
  bool find(int64_t size);
  /// Whether the rows' overlaps are what decides.
  bool isShown(OverlapQuery query, const Relation &relation,
               llvm::function_ref<bool(const OverlapQuery &)> prove) const;
  std::optional<TableCondition> test() const;

private:
  bool addLoads(const Polynomial &value);
  std::optional<RowLoad> loadOf(const Symbol &symbol) const;
  bool splitOffset(int64_t size);
  bool addIds();
  void addTurns();
  bool isFree(const Symbol &variable) const;
  bool isRow(const Symbol &variable) const;
  bool findRow();
  void addFirstTurn(const Polynomial &limit);
  bool addSums();
  bool areTurnsLimited() const;
  std::optional<Polynomial> factorOf(const Symbol &symbol,
                                     Polynomial value) const;
  bool isOfPlace(const Symbol &symbol) const {
    return llvm::any_of(loads, [&](const RowLoad &load) {
      return load.place.contains(symbol);
    });
  }

  const PlacedAccesses &accesses;
  const TreeNode &leaf;
  RowUse use;
  std::vector<RowLoad> loads;
  /// The offset is `number` times `stride`, and `rest`.
  Polynomial number, stride, rest;
  std::vector<Symbol> ids, turns;
  /// The variable that counts the places of a row.
  std::optional<Symbol> row;
  Polynomial first;
  std::vector<Polynomial> ends, nonZeros, limits;
};
} // namespace

static RowUse useIn(const OverlapQuery &query) {
  RowUse use = {withoutSide(query.firstOffset), {}};
  for (Condition condition : query.conditions) {
    if (condition.isResult || condition.value.containsAny(isOfSecond))
      continue;
    condition.value = withoutSide(condition.value);
    condition.loop = -1;
    if (!llvm::is_contained(use.conditions, condition))
      use.conditions.push_back(std::move(condition));
  }
  return use;
}

/// Whether a condition with a maximum follows from one with an operand of it.
static bool isImplied(const Condition &condition,
                      const std::vector<Condition> &others) {
  if (condition.kind != Condition::Kind::NotPositive)
    return false;
  for (const Symbol &symbol : condition.value.symbols()) {
    if (!symbol.derivation || symbol.derivation->op != Derivation::Op::Maximum)
      continue;
    std::optional<Polynomial> factor = condition.value.coefficientOf(symbol);
    if (!factor || factor->asConstant().value_or(0) >= 0)
      continue;
    for (const Polynomial &operand : symbol.derivation->operands) {
      const Condition stronger = {
          Condition::Kind::NotPositive,
          condition.value + *factor * (operand - Polynomial::of(symbol))};
      if (llvm::is_contained(others, stronger))
        return true;
    }
  }
  return false;
}

/// The only symbol that `value` is, if it is derived.
static const Derivation *derivationIn(const Polynomial &value) {
  std::vector<Symbol> symbols = value.symbols();
  return symbols.size() == 1 && value == Polynomial::of(symbols.front())
             ? symbols.front().derivation.get()
             : nullptr;
}

std::optional<RowLoad> RowForm::loadOf(const Symbol &symbol) const {
  const Derivation *derivation = symbol.derivation.get();
  const Derivation *loaded = derivation;
  if (derivation && derivation->op == Derivation::Op::Wrap) {
    loaded = derivationIn(derivation->operands[0]);
    if (loaded && (derivation->isSigned || derivation->bits != loaded->bits))
      return std::nullopt;
  }
  if (!loaded || loaded->op != Derivation::Op::Opaque ||
      loaded->code != loadCode || !isEntrySize(loaded->bits) ||
      loaded->operands[0].symbols().size() != 1)
    return std::nullopt;
  std::optional<MemoryObject> table =
      accesses.unwritten(leaf, loaded->operands[0].symbols().front());
  if (!table || table->kind != MemoryObject::Kind::Argument ||
      table->depth != 0)
    return std::nullopt;
  return RowLoad{symbol,
                 loaded->operands[1],
                 {table->index, loaded->bits / 8, derivation != loaded, 0}};
}

/// Numbers the loads in `value`, those that others depend on first.
bool RowForm::addLoads(const Polynomial &value) {
  for (const Symbol &symbol : value.symbols()) {
    if (llvm::any_of(loads, [&](const RowLoad &known) {
          return known.symbol == symbol;
        }))
      continue;
    std::optional<RowLoad> load = loadOf(symbol);
    if (!load)
      continue;
    if (!addLoads(load->place) || loads.size() == SLUICE_TABLE_VARIABLES)
      return false;
    loads.push_back(std::move(*load));
  }
  return true;
}

/// The factor of a variable that may be in the places of loads as well.
std::optional<Polynomial> RowForm::factorOf(const Symbol &symbol,
                                            Polynomial value) const {
  for (const RowLoad &load : llvm::reverse(loads)) {
    std::optional<Polynomial> factor = value.coefficientOf(load.symbol);
    if (!factor)
      return std::nullopt;
    value -= *factor * Polynomial::of(load.symbol);
  }
  return value.coefficientOf(symbol);
}

bool RowForm::splitOffset(int64_t size) {
  stride = Polynomial(size);
  rest = use.offset;
  bool isFirst = true;
  auto take = [&](const Symbol &symbol, bool mustDivide) {
    std::optional<Polynomial> factor = rest.coefficientOf(symbol);
    if (!factor || !factor->isValid())
      return !mustDivide;
    if (factor->isZero())
      return true;
    if (mustDivide && std::exchange(isFirst, false))
      stride = *factor;
    std::optional<int64_t> times = factor->dividedBy(stride);
    if (!times)
      return !mustDivide;
    number += Polynomial::of(symbol) * Polynomial(*times);
    rest -= *factor * Polynomial::of(symbol);
    return true;
  };
  for (const RowLoad &load : llvm::reverse(loads))
    if (!take(load.symbol, /*mustDivide=*/true))
      return false;
  if (stride.isZero() || stride.containsAny(isVariable))
    return false;
  for (const Symbol &symbol : rest.symbols())
    take(symbol, /*mustDivide=*/false);
  if (std::optional<int64_t> bytes = stride.asConstant()) {
    const int64_t whole = rest.constantTerm() / *bytes;
    number += whole;
    rest -= whole * *bytes;
  }
  return number.isValid() && rest.isValid();
}

bool RowForm::addIds() {
  if (leaf.effects && leaf.effects->order)
    return false;
  for (unsigned level = 0; level != leaf.depth; ++level) {
    const TreeNode *node = leaf.ancestorAt(level);
    if (node->op && dfg::orderedDims(node->op) != 0)
      return false;
    for (const auto &[dimension, extent] : llvm::enumerate(node->extents)) {
      if (!extent)
        return false;
      Symbol id;
      id.index = level;
      id.dimension = dimension;
      if (extent->asConstant() != 1)
        ids.push_back(id);
    }
  }
  return true;
}

void RowForm::addTurns() {
  auto addFrom = [&](const Polynomial &value) {
    for (const Symbol &symbol : value.baseSymbols())
      if (symbol.kind == Symbol::Kind::Turn &&
          !llvm::is_contained(turns, symbol))
        turns.push_back(symbol);
  };
  addFrom(use.offset);
  for (const Condition &condition : use.conditions)
    addFrom(condition.value);
  llvm::sort(turns);
}

/// Whether an instance uses all values of a variable for each number: they only
/// select bytes, and 0 is among them if any is.
bool RowForm::isFree(const Symbol &variable) const {
  return !number.contains(variable) && !isOfPlace(variable) &&
         llvm::all_of(use.conditions, [&](const Condition &condition) {
           if (!condition.value.contains(variable))
             return true;
           std::optional<Polynomial> factor =
               factorOf(variable, condition.value);
           return condition.kind == Condition::Kind::NotPositive && factor &&
                  factor->asConstant().value_or(-1) >= 0;
         });
}

bool RowForm::isRow(const Symbol &variable) const {
  if (factorOf(variable, number) != Polynomial(1) || rest.contains(variable) ||
      isOfPlace(variable))
    return false;
  bool hasEnd = variable.kind == Symbol::Kind::Id;
  for (const Condition &condition : use.conditions) {
    if (!condition.value.contains(variable))
      continue;
    if (condition.kind != Condition::Kind::NotPositive ||
        factorOf(variable, condition.value) != Polynomial(1))
      return false;
    hasEnd = true;
  }
  return hasEnd;
}

/// Finds what counts the places of a row. Without it, a row is one place.
bool RowForm::findRow() {
  for (bool isDown : {false, true}) {
    for (const Symbol &turn : llvm::reverse(turns))
      if (isRow(turn)) {
        row = turn;
        llvm::erase(turns, turn);
        return true;
      }
    // Instances that differ in it alone have other places, if each has one.
    if (llvm::all_of(turns,
                     [&](const Symbol &turn) { return rest.contains(turn); }))
      for (const Symbol &id : ids)
        if (isRow(id)) {
          row = id;
          llvm::erase(ids, id);
          return true;
        }
    number = Polynomial(0) - number;
    stride = Polynomial(0) - stride;
    if (isDown)
      break;
  }
  return number.isValid() && stride.isValid();
}

/// What holds in some turn of a loop also holds in the first. That guards loads
/// which the program does only in the loop, and the test before it counts.
void RowForm::addFirstTurn(const Polynomial &limit) {
  Polynomial first = limit;
  auto begin = [&](const Symbol &turn) {
    std::optional<Polynomial> factor = factorOf(turn, first);
    if (factor && factor->asConstant().value_or(0) > 0)
      first -= *factor * Polynomial::of(turn);
  };
  llvm::for_each(turns, begin);
  if (row)
    begin(*row);
  if (first.isValid() && first != limit)
    limits.push_back(first);
}

bool RowForm::addSums() {
  first = number;
  if (row) {
    first -= Polynomial::of(*row);
    if (row->kind == Symbol::Kind::Id)
      ends.push_back(first +
                     *leaf.ancestorAt(row->index)->extent(row->dimension) - 1);
  } else {
    ends.push_back(first);
  }
  for (const Condition &condition : use.conditions) {
    const Polynomial &value = condition.value;
    if (!value.isValid())
      return false;
    if (condition.kind == Condition::Kind::NotPositive)
      addFirstTurn(value);
    if (row && value.contains(*row)) {
      ends.push_back(first + Polynomial::of(*row) - value);
      continue;
    }
    if (condition.kind == Condition::Kind::NotZero) {
      nonZeros.push_back(value);
      continue;
    }
    limits.push_back(value);
    if (condition.kind == Condition::Kind::Zero)
      limits.push_back(Polynomial(0) - value);
  }
  return true;
}

/// Whether the number of turns is known wherever a launch counts them: when it
/// knows all ids, earlier turns, and what is loaded by these.
bool RowForm::areTurnsLimited() const {
  auto isLater = [&](const Symbol &symbol, size_t turn) {
    return symbol.kind == Symbol::Kind::Turn &&
           llvm::is_contained(llvm::drop_begin(turns, turn), symbol);
  };
  for (size_t i = 0; i != turns.size(); ++i) {
    if (rest.contains(turns[i]))
      continue;
    size_t numLoaded = 0;
    while (numLoaded != loads.size() &&
           !loads[numLoaded].place.containsAny(
               [&](const Symbol &symbol) { return isLater(symbol, i); }))
      ++numLoaded;
    const bool isLimited = llvm::any_of(limits, [&](const Polynomial &limit) {
      std::optional<Polynomial> factor = factorOf(turns[i], limit);
      return factor && factor->asConstant().value_or(0) > 0 &&
             !limit.containsAny([&](const Symbol &symbol) {
               return isLater(symbol, i) && symbol != turns[i];
             }) &&
             llvm::none_of(
                 llvm::drop_begin(loads, numLoaded), [&](const RowLoad &load) {
                   return limit.coefficientOf(load.symbol) != Polynomial(0);
                 });
    });
    if (!isLimited)
      return false;
  }
  return true;
}

bool RowForm::find(int64_t size) {
  std::vector<Condition> needed;
  for (const Condition &condition : use.conditions)
    if (!isImplied(condition, use.conditions))
      needed.push_back(condition);
  use.conditions = std::move(needed);
  for (const Condition &condition : use.conditions)
    if (!addLoads(condition.value))
      return false;
  if (!addLoads(use.offset) || loads.empty() || !splitOffset(size) || !addIds())
    return false;
  addTurns();
  for (const std::vector<Symbol> *variables : {&ids, &turns})
    for (const Symbol &variable : *variables)
      if (rest.contains(variable) && !isFree(variable))
        return false;
  return findRow() && addSums() && areTurnsLimited();
}

bool RowForm::isShown(
    OverlapQuery query, const Relation &relation,
    llvm::function_ref<bool(const OverlapQuery &)> prove) const {
  auto of = [&](Polynomial value, Symbol::Side side) {
    return value.substitute([&](Symbol symbol) -> std::optional<Polynomial> {
      if (symbol.kind == Symbol::Kind::Turn ||
          (symbol.kind == Symbol::Kind::Id &&
           symbol.index >= relation.equalLevels))
        symbol.side = side;
      return Polynomial::of(symbol);
    });
  };
  const Polynomial one = of(rest, Symbol::Side::First);
  const Polynomial other = of(rest, Symbol::Side::Second);
  llvm::erase_if(query.conditions, [](const Condition &condition) {
    return condition.value.containsAny([](const Symbol &symbol) {
      return symbol.kind == Symbol::Kind::Value;
    });
  });
  auto isApart = [&](const Polynomial &x, const Polynomial &y) {
    query.firstOffset = x;
    query.secondOffset = y;
    return x.isValid() && y.isValid() && prove(query);
  };
  // Different numbers: one of the two is the other, and 1 or more.
  Symbol more;
  more.kind = Symbol::Kind::Turn;
  more.side = Symbol::Side::First;
  more.index = 7100;
  const Polynomial distance = stride * (Polynomial::of(more) + Polynomial(1));
  if (!isApart(one + distance, other) || !isApart(one, other + distance))
    return false;
  // The same number, by instances that the test does not tell apart.
  bool isOfRest = false;
  for (const Symbol &id : ids) {
    if (id.index < relation.equalLevels)
      continue;
    if (rest.contains(id)) {
      isOfRest |= id.index == relation.equalLevels;
      continue;
    }
    Polynomial value = Polynomial::of(id);
    query.conditions.push_back(
        {Condition::Kind::Zero,
         of(value, Symbol::Side::First) - of(value, Symbol::Side::Second)});
  }
  if (row && row->kind == Symbol::Kind::Id)
    query.conditions.push_back(
        {Condition::Kind::Zero,
         of(Polynomial::of(*row), Symbol::Side::First) -
             of(Polynomial::of(*row), Symbol::Side::Second)});
  return !isOfRest || isApart(one, other);
}

std::optional<TableCondition> RowForm::test() const {
  constexpr size_t maxSums = 64, maxSteps = 2000;
  TableCondition test{.rule = SLUICE_TABLE_ROWS};
  FormulaWriter formulas;
  for (const Symbol &id : ids) {
    Polynomial extent = *leaf.ancestorAt(id.index)->extent(id.dimension);
    if (rest.contains(id))
      extent = Polynomial(1) - maximum(Polynomial(1) - extent, Polynomial(0));
    if (!formulas.add(extent))
      return std::nullopt;
  }
  for (const Symbol &turn : turns)
    if (rest.contains(turn))
      formulas.add(Polynomial(1));
    else
      formulas.addUnlimited();
  std::vector<Symbol> factors = ids;
  llvm::append_range(factors, turns);
  test.numVariables = factors.size();
  std::vector<Polynomial> sums;
  for (const RowLoad &load : loads) {
    sums.push_back(load.place);
    factors.push_back(load.symbol);
    test.loads.push_back(load.load);
  }
  sums.push_back(first);
  for (const std::vector<Polynomial> *some : {&ends, &nonZeros, &limits})
    sums.insert(sums.end(), some->begin(), some->end());
  if (test.numVariables > SLUICE_TABLE_VARIABLES || sums.size() > maxSums)
    return std::nullopt;
  for (const Polynomial &sum : sums)
    if (!formulas.addSum(sum, factors))
      return std::nullopt;
  if (formulas.steps.size() > maxSteps)
    return std::nullopt;
  test.numSums = sums.size();
  test.numIds = ids.size();
  test.numEnds = ends.size();
  test.numNonZeros = nonZeros.size();
  test.steps = std::move(formulas.steps);
  if (rest.isZero())
    test.entryBytes = std::max<int64_t>(stride.asConstant().value_or(0), 0);
  return test;
}

/// The conditions that decide alone which instances execute an access; none if
/// something else does.
static const std::vector<Condition> *deciding(const PlacedAccess &access) {
  if (access.followedConditions)
    return &*access.followedConditions;
  return access.isCertain && access.access->firstTurns.empty()
             ? &access.conditions
             : nullptr;
}

/// Whether a condition that continues a loop holds in earlier turns wherever it
/// holds in one.
static bool holdsBefore(const Condition &condition) {
  if (condition.loop < 0)
    return true;
  Symbol turn;
  turn.kind = Symbol::Kind::Turn;
  turn.index = condition.loop;
  if (!condition.value.contains(turn))
    return true;
  std::optional<Polynomial> factor = condition.value.coefficientOf(turn);
  return condition.kind == Condition::Kind::NotPositive && factor &&
         factor->asConstant().value_or(0) > 0;
}

/// Whether an instance may wait for others, which then are no race.
static bool mayWait(const TreeNode &leaf) {
  return llvm::any_of(leaf.effects->accesses, [](const LeafAccess &access) {
    return access.isAtomic || access.isUnknownCode || !access.guards.empty();
  });
}

std::optional<TableCondition>
races::testOfRows(const PlacedAccesses &accesses, Explorer &explorer,
                  const TreeNode &leaf, const PlacedAccess &a,
                  const PlacedAccess &b, const Relation &relation) {
  const std::vector<Condition> *conditions = deciding(a), *others = deciding(b);
  if (!conditions || !others || !haveSameDeciders(*conditions, *others) ||
      !llvm::all_of(*conditions, holdsBefore) || !relation.mustDiffer ||
      a.target.object != b.target.object ||
      a.target.object.kind != MemoryObject::Kind::Argument ||
      a.access->size != b.access->size || !isUnprotected(a) ||
      !isUnprotected(b) || mayWait(leaf) || leaf.effects->hasBarrier ||
      storeTheSame(a, b))
    return std::nullopt;
  PlacedAccess one = a, other = b;
  one.conditions = other.conditions = *conditions;
  std::optional<OverlapQuery> query =
      followedQuery(QueryBuilder(relation), leaf, one, leaf, other);
  if (!query)
    return std::nullopt;
  WorkLimit limit(explorer.maxWork());
  const OverlapQuery exact = simplify(*query);
  // Iterations of one chunk may meet, so their loop is no graph in a run.
  if (chunkOf(a) != 1)
    return std::nullopt;
  UsualExtents assumed;
  const OverlapQuery usual =
      assumeUsualExtents(exact, dfg::leastUsualExponent, &assumed);
  const RowUse use = useIn(usual);
  if (use.offset != withoutSide(usual.secondOffset))
    return std::nullopt;
  RowForm form(accesses, leaf, use);
  if (!form.find(a.access->size) ||
      !form.isShown(usual, relation, [&](const OverlapQuery &asked) {
        return isProven(asked, explorer, leaf, leaf);
      }))
    return std::nullopt;
  std::optional<TableCondition> test = form.test();
  if (!test || WorkLimit::isReached())
    return std::nullopt;
  test->argument = a.target.object.index;
  noteLimits(explorer, exact, assumed, leaf, leaf,
             [&](const OverlapQuery &asked) { return useIn(asked) == use; });
  return test;
}
