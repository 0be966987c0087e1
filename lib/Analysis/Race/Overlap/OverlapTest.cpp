//===- OverlapTest.cpp - The arithmetic of the race check -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random small queries, with answers found by trying all ids.
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <random>

using namespace sluice::races;

namespace {

Symbol id(Symbol::Side side, unsigned dimension) {
  Symbol symbol;
  symbol.side = side;
  symbol.dimension = dimension;
  return symbol;
}

Symbol turn(Symbol::Side side) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::Turn;
  symbol.side = side;
  return symbol;
}

/// Two instances of a node with two dimensions, with accesses in a loop.
class RandomQuery {
public:
  explicit RandomQuery(unsigned seed) : random(seed) {
    for (unsigned &extent : extents)
      extent = 1 + random() % 4;
    query.firstSize = 1 + random() % 4;
    query.secondSize = 1 + random() % 4;
    query.mustDiffer = random() % 2;
    bool isSame = random() % 2;
    int64_t strides[2][4];
    for (auto &side : strides)
      for (int64_t &stride : side)
        stride = choose();
    for (unsigned i = 0; i != 4; ++i)
      if (isSame)
        strides[1][i] = strides[0][i];
    query.firstOffset = add(Symbol::Side::First, strides[0]);
    query.secondOffset = add(Symbol::Side::Second, strides[1]);
    if (random() % 3 == 0)
      query.secondOffset += int64_t(random() % 9) - 4;
    if (random() % 3 == 0)
      for (Symbol::Side side : {Symbol::Side::First, Symbol::Side::Second})
        restrict(side);
  }

  OverlapQuery query;

  /// Whether any ids overlap.
  bool overlaps() {
    std::map<Symbol, int64_t> values;
    return tryAll(values, 0);
  }

private:
  int64_t choose() { return int64_t(random() % 14) * (random() % 5 ? 1 : -1); }

  Polynomial add(Symbol::Side side, const int64_t (&strides)[4]) {
    Polynomial offset(strides[3]);
    Symbol symbols[] = {id(side, 0), id(side, 1), turn(side)};
    for (unsigned i = 0; i != 3; ++i) {
      offset += Polynomial::of(symbols[i]) * Polynomial(strides[i]);
      query.bounds[symbols[i]] = Polynomial(extents[i]);
      variables.push_back({symbols[i], extents[i]});
    }
    if (side == Symbol::Side::Second)
      for (unsigned i = 0; i != 2; ++i)
        query.differences.push_back(
            {id(Symbol::Side::First, i), id(Symbol::Side::Second, i)});
    return offset;
  }

  void restrict(Symbol::Side side) {
    Polynomial value = Polynomial::of(id(side, random() % 2)) -
                       Polynomial(int64_t(random() % 6));
    if (random() % 2)
      value += Polynomial::of(turn(side)) * Polynomial(1 + random() % 4);
    if (random() % 2)
      value += Polynomial::of(id(side, random() % 2)) *
               Polynomial(int64_t(random() % 9) - 3);
    query.conditions.push_back(
        {static_cast<Condition::Kind>(random() % 3), value});
  }

  bool tryAll(std::map<Symbol, int64_t> &values, unsigned number) {
    if (number == variables.size())
      return meet(values);
    for (unsigned i = 0; i != variables[number].second; ++i) {
      values[variables[number].first] = i;
      if (tryAll(values, number + 1))
        return true;
    }
    return false;
  }

  bool meet(std::map<Symbol, int64_t> &values) {
    auto of = [&](const Symbol &symbol) { return values[symbol]; };
    for (const Condition &condition : query.conditions) {
      int64_t value = *condition.value.evaluate(of);
      if (condition.kind == Condition::Kind::NotPositive ? value > 0
          : condition.kind == Condition::Kind::Zero      ? value != 0
                                                         : value == 0)
        return false;
    }
    bool isEqual = true;
    for (const DifferingIds &difference : query.differences)
      isEqual &= of(difference.first) == of(difference.second);
    if (query.mustDiffer && isEqual)
      return false;
    int64_t first = *query.firstOffset.evaluate(of);
    int64_t second = *query.secondOffset.evaluate(of);
    return first < second + query.secondSize &&
           second < first + query.firstSize;
  }

  std::minstd_rand random;
  unsigned extents[3];
  std::vector<std::pair<Symbol, unsigned>> variables;
};

/// What overflows lacks terms: nothing follows from it.
TEST(Overlap, OverflowSaysNothing) {
  const Polynomial large = Polynomial(INT64_MAX) * Polynomial(INT64_MAX);
  ASSERT_FALSE(large.isValid());
  const Symbol first = id(Symbol::Side::First, 0);
  const Symbol second = id(Symbol::Side::Second, 0);
  OverlapQuery query;
  query.mustDiffer = true;
  query.differences = {{first, second}};
  for (const Symbol &symbol : {first, second}) {
    query.bounds[symbol] = Polynomial(4);
    query.conditions.push_back(
        {Condition::Kind::Zero, Polynomial::of(symbol) + large});
  }
  EXPECT_FALSE(areDisjoint(query));
  query.conditions.clear();
  query.firstOffset = Polynomial::of(first) * Polynomial(8) + large;
  query.secondOffset = Polynomial::of(second) * Polynomial(8) + large;
  EXPECT_FALSE(areDisjoint(query));
  std::optional<OverlapQuery> without = withoutDerived(query);
  EXPECT_FALSE(without && areDisjoint(*without));
}

TEST(Overlap, AgreesWithTryingAllIds) {
  unsigned proven = 0, refuted = 0;
  // './dev test --all' tries more.
  const unsigned end = std::getenv("SLUICE_TEST_ALL") ? 20000 : 7000;
  for (unsigned seed = 1; seed != end; ++seed) {
    RandomQuery random(seed);
    bool overlaps = random.overlaps();
    if (areDisjoint(withImplied(random.query)))
      ASSERT_FALSE(overlaps) << "seed " << seed << ", with implied conditions";
    if (areDisjoint(random.query)) {
      ASSERT_FALSE(overlaps) << "seed " << seed;
      ++proven;
    } else if (findCollision(random.query, {}, {},
                             [](const auto &) { return true; })) {
      ASSERT_TRUE(overlaps) << "seed " << seed;
      ++refuted;
    }
  }
  // Neither answer may come from giving up.
  EXPECT_GT(proven, end / 20);
  EXPECT_GT(refuted, end / 4);
}

/// Rows y1 * w + x1 and min(y2 + 1, h - 1) * w + x2 in the second case, where
/// y2 is the last row, with y1 = y2 - `apart` or less.
TEST(Overlap, AnIdThatAnAddressLostLimitsAnother) {
  auto parameter = [](unsigned index) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::Argument;
    symbol.index = index;
    return symbol;
  };
  const Polynomial w = Polynomial::of(parameter(0)),
                   h = Polynomial::of(parameter(1));
  for (int64_t apart : {1, 2}) {
    OverlapQuery query;
    const Symbol x1 = id(Symbol::Side::First, 0),
                 y1 = id(Symbol::Side::First, 1),
                 x2 = id(Symbol::Side::Second, 0),
                 y2 = id(Symbol::Side::Second, 1);
    query.firstOffset = Polynomial::of(y1) * w + Polynomial::of(x1);
    query.secondOffset = (h - Polynomial(2)) * w + Polynomial::of(x2);
    query.bounds = {{x1, w}, {x2, w}, {y1, h}, {y2, h}};
    query.least = {{parameter(0), 1}, {parameter(1), 1}};
    query.conditions.push_back(
        {Condition::Kind::NotPositive,
         Polynomial::of(y1) - Polynomial::of(y2) + Polynomial(apart)});
    EXPECT_FALSE(areDisjoint(query));
    // Row h - 2 is at least one before the last one.
    EXPECT_EQ(areDisjoint(withImplied(query)), apart == 2);
  }
}

/// An address of an id in arithmetic of 32 bits, for an extent `f * n + c` or
/// `n / d`.
class RandomAddress {
public:
  explicit RandomAddress(unsigned seed) : random(seed) {
    n.kind = Symbol::Kind::Argument;
    const Symbol x = id(Symbol::Side::First, 0);
    const Polynomial argument = Polynomial::of(n);
    query.bounds[x] = random() % 3 == 0
                          ? divide(argument, 1 + int64_t(random() % 5))
                          : argument * Polynomial(1 + int64_t(random() % 3)) +
                                Polynomial(number());
    Polynomial value = Polynomial::of(x);
    for (unsigned i = 0, e = 1 + random() % 4; i != e; ++i) {
      switch (random() % 4) {
      case 0:
        value = value * Polynomial(int64_t(1) << random() % 17);
        break;
      case 1:
        value += random() % 2 ? argument : Polynomial(number());
        break;
      case 2:
        value = divide(value, int64_t(1) << random() % 17);
        break;
      default:
        value = value * Polynomial(1 + int64_t(random() % 50));
        break;
      }
      value = wrap(value, 32, random() % 3 == 0);
    }
    query.firstOffset = query.secondOffset = value;
  }

  /// True unless the addresses differ in a launch within the limit.
  bool isSame(const Polynomial &rewritten, unsigned exponent) {
    const Polynomial &extent = query.bounds.begin()->second;
    const int64_t most = (int64_t(1) << exponent) - 1;
    for (unsigned i = 0; i != 60; ++i) {
      auto among = [&](int64_t least, int64_t most) {
        const int64_t part =
            random() % 3 == 0 ? random() % 9
                              : (int64_t(random()) << 20) ^ int64_t(random());
        return random() % 2 ? least + part % (most - least + 1)
                            : most - part % (most - least + 1);
      };
      const int64_t count = among(-2 * 70000, 6 * most);
      auto atStart = [&](const Symbol &) { return count; };
      const int64_t numInstances = *extent.evaluate(atStart);
      if (numInstances < 1 || numInstances > most)
        continue;
      const int64_t place = among(0, numInstances - 1);
      auto at = [&](const Symbol &symbol) {
        return symbol.kind == Symbol::Kind::Id ? place : count;
      };
      ++numTried;
      if (query.firstOffset.evaluate(at) != rewritten.evaluate(at))
        return false;
    }
    return true;
  }

  OverlapQuery query;
  unsigned numTried = 0;

private:
  /// Small, or near the least of the limits.
  int64_t number() {
    return random() % 3 == 0 ? 65530 + int64_t(random() % 9)
                             : int64_t(random() % 9) - 4;
  }

  Symbol n;
  std::minstd_rand random;
};

TEST(Overlap, LimitsOfExtentsKeepAddressesWithin) {
  unsigned changed = 0, tried = 0;
  for (unsigned seed = 1; seed != 1500; ++seed)
    for (unsigned exponent : {16u, 21u, 26u, 30u}) {
      RandomAddress address(seed);
      if (!address.query.firstOffset.isValid())
        continue;
      const OverlapQuery usual = assumeUsualExtents(address.query, exponent);
      EXPECT_TRUE(address.isSame(usual.firstOffset, exponent))
          << "seed " << seed << ", exponent " << exponent;
      const bool isChanged = !(usual.firstOffset == address.query.firstOffset);
      changed += isChanged;
      tried += isChanged ? address.numTried : 0;
    }
  EXPECT_GT(changed, 1000u);
  EXPECT_GT(tried, 10000u);
}

} // namespace
