//===- StridedBoxesTest.cpp - Strided boxes compared with their elements --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the arithmetic of StridedBoxes.cpp with plain sets of elements on
// random boxes.
//
//===----------------------------------------------------------------------===//

#include "StridedBoxes.h"
#include "Cells.h"
#include "sluice/Analysis/TaskOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace sluice;

namespace {
using Random = std::minstd_rand;

std::set<int64_t> indicesOf(const Progression &range) {
  std::set<int64_t> result;
  for (int64_t i = 0; i != range.count; ++i)
    result.insert(range.first + i * range.step);
  return result;
}

std::set<int64_t> common(const std::set<int64_t> &a,
                         const std::set<int64_t> &b) {
  std::set<int64_t> result;
  llvm::copy_if(a, std::inserter(result, result.end()),
                [&](int64_t i) { return b.count(i); });
  return result;
}

Progression randomRange(Random &random, int64_t extent) {
  int64_t first = random() % extent, step = 1 + random() % 7;
  int64_t most = (extent - 1 - first) / step + 1;
  return {first, int64_t(random() % (most + 1)), step};
}

using ElementSet = std::set<std::vector<int64_t>>;

ElementSet elementsOf(const Part &part) {
  ElementSet result{{}};
  for (const Progression &range : part) {
    ElementSet longer;
    for (const std::vector<int64_t> &element : result)
      for (int64_t index : indicesOf(range)) {
        std::vector<int64_t> next = element;
        next.push_back(index);
        longer.insert(next);
      }
    result = std::move(longer);
  }
  return result;
}

std::vector<Part> randomParts(Random &random, llvm::ArrayRef<int64_t> shape) {
  std::vector<Part> parts;
  for (unsigned i = 0, e = 1 + random() % 5; i != e; ++i) {
    Part &part = parts.emplace_back();
    for (int64_t extent : shape)
      part.push_back(randomRange(random, extent));
  }
  return parts;
}

bool shares(const ElementSet &a, const ElementSet &b) {
  return llvm::any_of(
      a, [&](const std::vector<int64_t> &element) { return b.count(element); });
}
} // namespace

TEST(TaskParts, ProgressionsIntersectAsTheirIndicesDo) {
  Random random(1);
  unsigned meetings = 0;
  for (unsigned i = 0; i != 20000; ++i) {
    Progression a = randomRange(random, 40), b = randomRange(random, 40);
    std::set<int64_t> expected = common(indicesOf(a), indicesOf(b));
    std::optional<Progression> found = intersect(a, b);
    EXPECT_EQ(found ? indicesOf(*found) : std::set<int64_t>(), expected)
        << a.first << ' ' << a.count << ' ' << a.step << ", " << b.first << ' '
        << b.count << ' ' << b.step;
    EXPECT_EQ(found.has_value(), !expected.empty());
    EXPECT_EQ(a.contains(b), expected.size() == size_t(b.count));
    meetings += !expected.empty();
  }
  EXPECT_GT(meetings, 2000u);
}

TEST(TaskParts, StepsMayBeLarge) {
  // Even and odd indices never meet; others meet once within the product of the
  // steps.
  int64_t half = INT64_MAX / 2;
  EXPECT_FALSE(intersect({0, half, 2}, {1, half, 2}));
  constexpr int64_t p = 3037000493, q = 3037000507; // primes
  std::optional<Progression> found =
      intersect({0, INT64_MAX / p, p}, {0, INT64_MAX / q, q});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 0);
  EXPECT_EQ(found->count, 1);
  found = intersect({5, 1000, 1'000'003}, {9, 1000, 1'000'000});
  ASSERT_FALSE(found);
  found = intersect({5, 1000, 1'000'003}, {11, 1000, 1'000'000});
  ASSERT_TRUE(found); // 5 + 2 * 1000003 = 11 + 2 * 1000000
  EXPECT_EQ(found->first, 2'000'011);
}

TEST(TaskParts, ArgumentsNameElements) {
  mlir::MLIRContext context;
  context.loadDialect<dfg::DFGDialect>();
  auto name = mlir::FlatSymbolRefAttr::get(&context, "A");
  auto get = [&](llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                 llvm::ArrayRef<int64_t> steps) {
    return dfg::TaskArgAttr::get(&context, name, dfg::Access::InOut,
                                 dfg::PassBy::Reference, offsets, sizes, steps);
  };
  auto whole = get({}, {}, {}), even = get({0, 0}, {2, 4}, {2, 1}),
       odd = get({1, 0}, {2, 4}, {2, 1}), none = get({0, 0}, {0, 4}, {1, 1});
  EXPECT_TRUE(sluice::sharesElements(whole, even, {4, 4}));
  EXPECT_FALSE(sluice::sharesElements(even, odd, {4, 4}));
  EXPECT_FALSE(sluice::sharesElements(whole, none, {4, 4}));
  EXPECT_FALSE(sluice::sharesElements(whole, whole, {4, 0}));
  EXPECT_TRUE(sluice::sharesElements(whole, whole, {}));
}

TEST(TaskParts, AgreeWithTheirElements) {
  unsigned covered = 0, uncovered = 0;
  for (unsigned seed = 1; seed != 2000; ++seed) {
    Random random(seed * 7919);
    llvm::SmallVector<int64_t> shape(random() % 4);
    for (int64_t &extent : shape)
      extent = 1 + random() % 6;
    std::vector<Part> parts = randomParts(random, shape);
    std::vector<ElementSet> elements(parts.size());
    llvm::transform(parts, elements.begin(), elementsOf);
    std::vector<std::vector<unsigned>> overlaps = findOverlaps(parts);
    ElementSet all;
    for (unsigned i = 1; i < parts.size(); ++i)
      all.insert(elements[i].begin(), elements[i].end());
    bool isIn = llvm::all_of(elements[0], [&](const std::vector<int64_t> &e) {
      return all.count(e);
    });
    EXPECT_EQ(isCovered(parts[0], llvm::ArrayRef(parts).drop_front()), isIn);
    (isIn ? covered : uncovered)++;
    TaskData data;
    data.shape = shape;
    data.parts = parts;
    std::optional<Cells> cells = findCells(data, 1 << 20);
    ASSERT_TRUE(cells);
    for (unsigned i = 0; i != parts.size(); ++i) {
      EXPECT_EQ(isEmpty(parts[i]), elements[i].empty());
      EXPECT_LE(cells->byPart[i].size(), elements[i].size());
      for (unsigned j = 0; j != parts.size(); ++j) {
        bool meet = shares(elements[i], elements[j]);
        EXPECT_EQ(sharesElements(parts[i], parts[j]), meet);
        EXPECT_EQ(llvm::is_contained(overlaps[i], j), meet);
        bool isInside = std::includes(elements[i].begin(), elements[i].end(),
                                      elements[j].begin(), elements[j].end());
        EXPECT_EQ(contains(parts[i], parts[j]), isInside);
        std::set<uint64_t> a(cells->byPart[i].begin(), cells->byPart[i].end());
        EXPECT_EQ(llvm::any_of(cells->byPart[j],
                               [&](uint64_t cell) { return a.count(cell); }),
                  meet);
      }
    }
  }
  EXPECT_GT(covered, 200u);
  EXPECT_GT(uncovered, 400u);
}

TEST(TaskParts, CellsGiveUp) {
  TaskData data;
  data.shape = {INT64_MAX / 8};
  data.parts = {Part{{0, INT64_MAX / 8 / 1009, 1009}},
                Part{{0, INT64_MAX / 8 / 1013, 1013}},
                Part{{0, INT64_MAX / 8 / 1019, 1019}}};
  EXPECT_FALSE(findCells(data, 100'000));
  // Long ranges are not examined index by index.
  data.parts.pop_back();
  std::optional<Cells> cells = findCells(data, 10'000'000);
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->byPart[0].size(), 2u);
}
