//===- ReductionTest.cpp - Reductions, the same for any workers -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator and type, with and without private copies, and floating-point
// sums whose bytes must not depend on the number of workers.
//
//===----------------------------------------------------------------------===//

#include "Testing/RegionsTest.h"

#include "Operators.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
class ReductionTest : public RegionsTest {
protected:
  static SluiceArgument reducing(SluiceArgument argument,
                                 SluiceReductionKind kind) {
    argument.privilege = SLUICE_PRIVILEGE_REDUCE;
    argument.reduction.kind = kind;
    return argument;
  }
  /// Runs `make` with several numbers of workers; all must give equal bytes.
  void expectSameBytes(const std::function<std::vector<char>()> &make) {
    std::vector<char> expected;
    for (unsigned workers : {0, 1, 2, 3, 8}) {
      start(workers);
      std::vector<char> bytes = make();
      if (expected.empty())
        expected = bytes;
      ASSERT_EQ(bytes, expected) << workers << " workers";
    }
  }
  template <typename Value>
  std::vector<char> bytesOf(uint32_t root, int64_t count) {
    const auto *start = reinterpret_cast<const char *>(data<Value>(root));
    return {start, start + count * sizeof(Value)};
  }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Workers, ReductionTest,
                         testing::Values(1, recorded, recordedTwice));

/// Not a sum whose order would not matter.
static double term(int64_t i) {
  return std::sin(static_cast<double>(i)) * std::pow(10.0, i % 17);
}

TEST_P(ReductionTest, DotProductsHaveTheSameBytes) {
  for (int64_t numPoints : {1, 2, 5, 64, 65, 1000, 5000})
    expectSameBytes([&] {
      uint32_t sum = addRoot("sum", {1}, {{"value", SLUICE_F64, 1}});
      *data<double>(sum) = 0.5;
      check(program->beginGraph("dot"));
      check(program->beginLoop(3, SLUICE_NO_PARTITION));
      add("dot", {numPoints},
          {reducing(argument(sum, SLUICE_PRIVILEGE_REDUCE), SLUICE_REDUCE_SUM)},
          [](const SluiceTask &task, const SluiceView *views) {
            *field<double>(views[0]) = term(task.point[0]);
          });
      check(program->endLoop());
      check(program->endGraph());
      double about = 0.5, absolute = 0.5;
      for (int64_t i = 0; i < numPoints; ++i) {
        about += 3 * term(i);
        absolute += 3 * std::abs(term(i));
      }
      EXPECT_NEAR(*data<double>(sum), about, 1e-11 * absolute);
      return bytesOf<double>(sum, 1);
    });
}

TEST_P(ReductionTest, SingleTasksReduceToScalars) {
  uint32_t best = addRoot("best", {1}, {{"value", SLUICE_I32, 1}});
  *data<int32_t>(best) = 17;
  check(program->beginGraph("best"));
  for (int32_t value : {20, 12, 15})
    add("look", {},
        {reducing(argument(best, SLUICE_PRIVILEGE_REDUCE), SLUICE_REDUCE_MIN)},
        [value](const SluiceTask &, const SluiceView *views) {
          EXPECT_EQ(*field<int32_t>(views[0]),
                    std::numeric_limits<int32_t>::max());
          *field<int32_t>(views[0]) = value;
        });
  check(program->endGraph());
  EXPECT_EQ(*data<int32_t>(best), 12);
}

/// Every point adds to three colors of a partition: its own and both
/// neighbours', some of which it shares with others.
TEST_P(ReductionTest, SharedElementsHaveTheSameBytes) {
  for (auto [size, numPoints] : {std::pair<int64_t, int64_t>{40, 8},
                                 {3000, 100},
                                 {100000, 16},
                                 {100000, 300}})
    expectSameBytes([&, size = size, numPoints = numPoints] {
      uint32_t x = addRoot("x", {size}, {{"value", SLUICE_F64, 1}});
      uint32_t blocks = addBlocks("blocks", x, {numPoints});
      uint32_t halos = addHalos("halos", blocks, {size / numPoints / 2}, true);
      for (int64_t i = 0; i < size; ++i)
        data<double>(x)[i] = term(i);
      check(program->beginGraph("spread"));
      check(program->beginLoop(4, SLUICE_NO_PARTITION));
      add("spread", {numPoints},
          {reducing(argument(x, SLUICE_PRIVILEGE_REDUCE, 1, halos),
                    SLUICE_REDUCE_SUM)},
          [](const SluiceTask &task, const SluiceView *views) {
            forEachElement(views[0], [&](int64_t i) {
              field<double>(views[0])[i] += term(i * 31 + task.point[0]);
            });
          });
      check(program->endLoop());
      check(program->endGraph());
      return bytesOf<double>(x, size);
    });
}

/// Disjoint points reduce in place, in the order of statements, as one thread
/// would: no copy may change the rounding.
TEST_P(ReductionTest, DisjointPointsReduceInPlace) {
  uint32_t x = addRoot("x", {1000}, {{"value", SLUICE_F64, 1}});
  uint32_t blocks = addBlocks("blocks", x, {10});
  std::vector<double> expected(1000, 0.25);
  std::fill_n(data<double>(x), 1000, 0.25);
  check(program->beginGraph("place"));
  for (int64_t round = 0; round < 3; ++round) {
    add("add", {10},
        {reducing(argument(x, SLUICE_PRIVILEGE_REDUCE, 1, blocks),
                  SLUICE_REDUCE_SUM)},
        [round, this, x](const SluiceTask &, const SluiceView *views) {
          EXPECT_EQ(views[0].fields[0], data<double>(x));
          forEachElement(views[0], [&](int64_t i) {
            field<double>(views[0])[i] += term(i + round);
          });
        });
    for (int64_t i = 0; i < 1000; ++i)
      expected[i] += term(i + round);
  }
  check(program->endGraph());
  EXPECT_EQ(0, std::memcmp(expected.data(), data<double>(x), 8000));
}

namespace {
/// What operators mean, once more.
template <typename Value>
Value plain(SluiceReductionKind kind, Value a, Value b) {
  switch (kind) {
  case SLUICE_REDUCE_SUM:
    return static_cast<Value>(a + b);
  case SLUICE_REDUCE_PRODUCT:
    return static_cast<Value>(a * b);
  case SLUICE_REDUCE_MIN:
    return std::min(a, b);
  case SLUICE_REDUCE_MAX:
    return std::max(a, b);
  default:
    break;
  }
  if constexpr (std::is_integral_v<Value>) {
    if (kind == SLUICE_REDUCE_AND)
      return a & b;
    if (kind == SLUICE_REDUCE_OR)
      return a | b;
    return a ^ b;
  }
  return a;
}

template <typename Value, SluiceElementType type> struct Case {
  using value = Value;
  static constexpr SluiceElementType elementType = type;
};
template <typename Pair> class OperatorTest : public testing::Test {};
using Cases =
    testing::Types<Case<int8_t, SLUICE_I8>, Case<int16_t, SLUICE_I16>,
                   Case<int32_t, SLUICE_I32>, Case<int64_t, SLUICE_I64>,
                   Case<float, SLUICE_F32>, Case<double, SLUICE_F64>>;
} // namespace
TYPED_TEST_SUITE(OperatorTest, Cases);

TYPED_TEST(OperatorTest, FoldsAndResets) {
  using Value = typename TypeParam::value;
  for (int kind = SLUICE_REDUCE_SUM; kind <= SLUICE_REDUCE_XOR; ++kind) {
    if (kind >= SLUICE_REDUCE_AND && !isInteger(TypeParam::elementType))
      continue;
    SluiceReduction reduction = {};
    reduction.kind = static_cast<SluiceReductionKind>(kind);
    Field field = {"value", TypeParam::elementType, 3, {}};
    Operator op(reduction, field);
    std::vector<Value> into(3 * 7), from(3 * 7), expected, identity(3 * 7);
    op.reset(identity.data(), 7);
    for (int i = 0; i < 21; ++i) {
      into[i] = static_cast<Value>(i - 9);
      from[i] = static_cast<Value>((i * 5) % 7 - 3);
      expected.push_back(plain(reduction.kind, into[i], from[i]));
      EXPECT_EQ(plain(reduction.kind, into[i], identity[i]), into[i]);
    }
    op.foldAndReset(into.data(), from.data(), 7);
    EXPECT_EQ(into, expected) << "operator " << kind;
    EXPECT_EQ(from, identity) << "operator " << kind;
  }
}

/// The element with the smaller first value, of arrays of two.
static void foldCloser(void *into, const void *value) {
  auto *a = static_cast<float *>(into);
  const auto *b = static_cast<const float *>(value);
  if (b[0] < a[0])
    std::copy_n(b, 2, a);
}

TEST_P(ReductionTest, OwnOperatorsOnArrays) {
  static const float far[2] = {1e30f, -1};
  uint32_t x = addRoot("x", {50}, {{"near", SLUICE_F32, 2}});
  uint32_t blocks = addBlocks("blocks", x, {5});
  uint32_t halos = addHalos("halos", blocks, {4}, true);
  auto *values = data<float>(x);
  for (int i = 0; i < 50; ++i)
    std::copy_n(far, 2, values + 2 * i);
  SluiceArgument argument =
      regions::test::argument(x, SLUICE_PRIVILEGE_REDUCE, 1, halos);
  argument.reduction = {SLUICE_REDUCE_CUSTOM, far, foldCloser};
  check(program->beginGraph("closest"));
  add("closest", {5}, {argument},
      [](const SluiceTask &task, const SluiceView *views) {
        forEachElement(views[0], [&](int64_t i) {
          float candidate[2] = {
              std::abs(static_cast<float>(i - 10 * task.point[0])),
              static_cast<float>(task.point[0])};
          foldCloser(field<float>(views[0]) + 2 * i, candidate);
        });
      });
  check(program->endGraph());
  for (int i = 0; i < 50; ++i) {
    float best[2] = {1e30f, -1};
    for (int p = 0; p < 5; ++p)
      if (i >= 10 * p - 4 && i < 10 * p + 14) {
        float candidate[2] = {std::abs(static_cast<float>(i - 10 * p)),
                              static_cast<float>(p)};
        foldCloser(best, candidate);
      }
    EXPECT_EQ(values[2 * i], best[0]) << i;
    EXPECT_EQ(values[2 * i + 1], best[1]) << i;
  }
}
