//===- OrderedNodeTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every unit of a node with ordered dimensions computes a hash of units of the
// steps before its own. One that runs too early finds zeros there.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Plan/Testing/RandomGraph.h"
#include "Rounds.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>

using namespace sluice;
using namespace sluice::test;

namespace {
constexpr uint32_t maxGridLevels = 3;
using UnitIds = std::array<int64_t, 3 * maxGridLevels>;

/// The node whose kernel runs, one at a time.
struct OrderedGrid {
  uint32_t numLevels = 1;
  uint32_t orderedDims = 1;
  UnitIds extents = {};

  uint64_t units() const {
    uint64_t count = 1;
    for (uint32_t i = 0; i < 3 * numLevels; ++i)
      count *= static_cast<uint64_t>(extents[i]);
    return count;
  }
  UnitIds idsOf(uint64_t unit) const {
    UnitIds ids = {};
    for (uint32_t level = numLevels; level-- > 0;)
      for (uint32_t i = 3 * level; i < 3 * level + 3; ++i) {
        ids[i] = static_cast<int64_t>(unit % static_cast<uint64_t>(extents[i]));
        unit /= static_cast<uint64_t>(extents[i]);
      }
    return ids;
  }
  uint64_t unitOf(const UnitIds &ids) const {
    uint64_t unit = 0;
    for (uint32_t level = 0; level < numLevels; ++level)
      for (uint32_t i = 3 * level + 3; i-- > 3 * level;)
        unit = unit * static_cast<uint64_t>(extents[i]) +
               static_cast<uint64_t>(ids[i]);
    return unit;
  }
  bool isOrdered(uint32_t i) const { return orderedDims >> i & 1; }
  uint32_t orderedLevel() const { return std::countr_zero(orderedDims) / 3; }

  /// Some unit of a step that waits for none but lesser ones.
  uint64_t hash(uint64_t unit, const uint64_t *values) const {
    const UnitIds ids = idsOf(unit);
    uint64_t hash = mix(17, unit);
    for (uint32_t i = 0; i < 3 * numLevels; ++i) {
      if (!isOrdered(i) || ids[i] == 0)
        continue;
      UnitIds before = ids;
      before[i] -= 1 + static_cast<int64_t>(unit % 3) % ids[i];
      // Any ids inside of the lane where nothing is ordered.
      for (uint32_t k = 3 * orderedLevel(); k < 3 * numLevels; ++k)
        if (!isOrdered(k))
          before[k] = static_cast<int64_t>((unit + 7 * k) %
                                           static_cast<uint64_t>(extents[k]));
      hash = mix(hash, values[unitOf(before)]);
    }
    return hash | 1;
  }
};

OrderedGrid grid;
std::atomic<unsigned> wrongCalls;

void orderedKernel(const SluiceInvocation *invocation, uint64_t begin,
                   uint64_t end) {
  uint64_t *values = at<uint64_t *>(invocation, 0);
  const UnitIds first = grid.idsOf(begin);
  for (uint64_t unit = begin; unit < end; ++unit) {
    const UnitIds ids = grid.idsOf(unit);
    for (uint32_t i = 0; i < 3 * grid.numLevels; ++i)
      wrongCalls += grid.isOrdered(i) && ids[i] != first[i];
    wrongCalls += values[unit] != 0;
    values[unit] = grid.hash(unit, values);
  }
}

void orderedExtents(const unsigned char *, int64_t *extents) {
  std::copy_n(grid.extents.begin(), 3 * grid.numLevels, extents);
}

class OrderedNodeTest : public RuntimeTest {
protected:
  static OrderedGrid randomGrid(std::mt19937 &random) {
    OrderedGrid grid;
    grid.numLevels = 1 + random() % maxGridLevels;
    grid.extents.fill(1);
    static constexpr int64_t extents[] = {0, 1, 1, 2, 3, 5, 7, 12, 19};
    uint32_t level = random() % grid.numLevels;
    for (uint32_t i = 0; i < 3 * grid.numLevels; ++i)
      if (random() % 3 != 0 || i / 3 == level)
        grid.extents[i] = extents[1 + random() % 8];
    while (grid.units() > 20000)
      grid.extents[random() % (3 * grid.numLevels)] = 1;
    if (random() % 20 == 0)
      grid.extents[random() % (3 * grid.numLevels)] = 0;
    grid.orderedDims = (1 + random() % 7) << 3 * level;
    return grid;
  }
  /// In the order of the ordered dimensions alone.
  static std::vector<uint64_t> expected() {
    std::vector<uint64_t> values(grid.units(), 0);
    std::vector<std::pair<UnitIds, uint64_t>> order;
    for (uint64_t unit = 0; unit < values.size(); ++unit) {
      UnitIds key = {}, ids = grid.idsOf(unit);
      for (uint32_t i = 0; i < ids.size(); ++i)
        if (grid.isOrdered(i))
          key[i] = ids[i];
      order.push_back({key, unit});
    }
    std::sort(order.begin(), order.end());
    for (const auto &[key, unit] : order)
      values[unit] = grid.hash(unit, values.data());
    return values;
  }
};
} // namespace

TEST_P(OrderedNodeTest, RandomGridsEqualTheSerialOrder) {
  std::mt19937 random(GetParam());
  for (unsigned round = 0; round < test::rounds(120); ++round) {
    grid = randomGrid(random);
    if (round % 10 == 0) {
      options.maxTimeHere = std::array{0, 300, 1000000}[round / 10 % 3];
      start();
    }
    PlanBuilder builder;
    builder.argument("values", 8);
    uint32_t node = builder.node("root/step", orderedKernel, orderedExtents,
                                 grid.numLevels);
    builder.at(node).orderedDims = grid.orderedDims;
    builder.at(node).unitCost = std::array{0, 1, 300, 100000}[random() % 4];
    const SluicePlan *plan = builder.finish();
    std::vector<uint64_t> values, wanted = expected();
    for (unsigned launch = 0; launch < 3; ++launch) {
      values.assign(grid.units() + 1, 0);
      wrongCalls = 0;
      Structure structure;
      structure.add(values.data());
      run(plan, structure);
      values.pop_back();
      ASSERT_EQ(wrongCalls, 0u) << "round " << round;
      ASSERT_EQ(values, wanted)
          << "round " << round << ", dimensions " << grid.orderedDims;
    }
    start();
  }
}

/// Nodes before and behind it wait as for any other.
TEST_P(OrderedNodeTest, ChainsOfOrderedNodes) {
  PlanBuilder builder;
  builder.argument("values", 8);
  constexpr uint32_t numNodes = 200;
  auto kernel = [](const SluiceInvocation *invocation, uint64_t begin,
                   uint64_t) {
    uint64_t *values = at<uint64_t *>(invocation, 0);
    // All units of the node before have ended.
    const uint64_t lap = std::atomic_ref(values[begin]).load();
    for (uint64_t unit = 0; unit < 54; ++unit)
      wrongCalls += std::atomic_ref(values[unit]).load() < lap;
    std::atomic_ref(values[begin]).fetch_add(1);
  };
  for (uint32_t i = 0; i < numNodes; ++i) {
    builder.node("root/step", kernel, {9, 6});
    builder.at(i).orderedDims = 3;
    builder.at(i).unitCost = 2000;
    if (i)
      builder.order(i - 1, i);
  }
  wrongCalls = 0;
  std::vector<uint64_t> values(54, 0);
  Structure structure;
  structure.add(values.data());
  for (int launch = 0; launch < 3; ++launch)
    run(builder.finish(), structure);
  EXPECT_EQ(values, std::vector<uint64_t>(54, 3 * numNodes));
  EXPECT_EQ(wrongCalls, 0u);
}

TEST_P(OrderedNodeTest, AnErrorStopsTheSteps) {
  PlanBuilder builder;
  builder.argument("values", 8);
  auto kernel = [](const SluiceInvocation *invocation, uint64_t, uint64_t) {
    uint64_t *values = at<uint64_t *>(invocation, 0);
    if (std::atomic_ref(values[0]).fetch_add(1) >= 20)
      throw std::runtime_error("enough");
  };
  builder.node("root/step", kernel, {50, 50});
  builder.at(0).orderedDims = 3;
  builder.at(0).unitCost = 100000;
  std::vector<uint64_t> values(1, 0);
  Structure structure;
  structure.add(values.data());
  const SluicePlan *plan = builder.finish();
  for (int launch = 0; launch < 20; ++launch) {
    values[0] = 0;
    EXPECT_NE(errorOf(plan, structure.data()).find("enough"),
              std::string::npos);
    EXPECT_LE(values[0], 40u);
  }
}

TEST_P(OrderedNodeTest, RefusesTablesThatDoNotFit) {
  auto errorFor = [&](auto change) {
    PlanBuilder builder;
    builder.argument("values", 8);
    builder.node("root/a", orderedKernel, {4, 4});
    builder.node("root/b", orderedKernel, {4, 4});
    change(builder);
    Structure structure;
    structure.add(uint64_t(0));
    return errorOf(builder.finish(), structure.data());
  };
  EXPECT_NE(errorFor([](PlanBuilder &b) { b.at(0).orderedDims = 8; })
                .find("orders the dimensions 8, which are not of one of its 1 "
                      "unit levels"),
            std::string::npos);
  EXPECT_NE(errorFor([](PlanBuilder &b) {
              b.at(1).orderedDims = 1;
              b.order(0, 1, SLUICE_ONE_TO_ONE);
            }).find("has ordered dimensions and one-to-one orders"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Workers, OrderedNodeTest,
                         testing::Values(0, 1, 2, 3, 5));
