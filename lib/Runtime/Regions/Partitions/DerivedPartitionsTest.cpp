//===- DerivedPartitionsTest.cpp - Partitions of colors and coordinates ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random partitions of every derived kind, held against loops over all elements
// and colors.
//
//===----------------------------------------------------------------------===//

#include "CoordinateLines.h"
#include "RootPartitions.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace sluice;
using namespace sluice::regions;

namespace {
using Positions = std::set<int64_t>;

Positions positionsOf(const Shape &shape, const ElementSet &set) {
  Positions result;
  set.forEachRun(shape, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      result.insert(i);
  });
  EXPECT_EQ(int64_t(result.size()), set.size());
  return result;
}

/// A root, and partitions of it.
class RandomParts {
public:
  explicit RandomParts(std::mt19937 &random, int32_t rank) : random(random) {
    root.name = "root";
    root.shape.rank = rank;
    for (int d = 0; d < rank; ++d)
      root.shape.extent[d] = 1 + random() % (rank == 1 ? 40 : 9);
  }

  PartitionPointer begin(const Shape &colors, bool onDemand = false) const {
    return std::move(*beginPartition("test", root,
                                     ElementSet(Box::whole(root.shape)),
                                     colors.rank, colors.extent, onDemand));
  }
  Shape someColors(int32_t most) const {
    Shape colors;
    colors.rank = 1 + random() % most;
    for (int d = 0; d < colors.rank; ++d)
      colors.extent[d] = 1 + random() % 4;
    return colors;
  }
  PartitionPointer blocks(const Shape &colors, bool onDemand = false) const {
    PartitionPointer made = begin(colors, onDemand);
    EXPECT_TRUE(fillBlocks(*made, onDemand).ok());
    finishPartition(*made);
    return made;
  }
  /// Elements with a random color each, or none, or several.
  PartitionPointer scattered(const Shape &colors) const {
    PartitionPointer made = begin(colors);
    for (uint32_t color = 0; color < made->numColors(); ++color) {
      Runs runs;
      for (int64_t i = 0; i < root.shape.count(); ++i)
        if (random() % 3 == 0)
          runs.push_back({i, i + 1});
      made->sets.at(color) = ElementSet::ofAnyRuns(root.shape, std::move(runs));
    }
    finishPartition(*made);
    return made;
  }
  PartitionPointer any(const Shape &colors) const {
    if (random() % 2 || colors.rank > root.shape.rank)
      return scattered(colors);
    return blocks(colors);
  }

  Root root;
  std::mt19937 &random;
};

/// Visits at least the colors with elements in a box.
void expectNear(const RootPartition &partition, std::mt19937 &random) {
  const Shape &shape = partition.root->shape;
  Box box;
  for (int d = 0; d < SLUICE_MAX_RANK; ++d) {
    box.lower[d] = random() % shape.extent[d];
    box.upper[d] =
        box.lower[d] + 1 + random() % (shape.extent[d] - box.lower[d]);
  }
  std::set<uint32_t> near;
  partition.visitNear(box, [&](uint32_t color) { near.insert(color); });
  for (uint32_t color = 0; color < partition.numColors(); ++color)
    if (countCommon(shape, ElementSet(box), partition.sets[color]))
      ASSERT_TRUE(near.contains(color));
}

std::vector<SluiceElementCoordinate>
randomMap(std::mt19937 &random, int32_t from, int32_t to, const Shape &target) {
  std::vector<SluiceElementCoordinate> map;
  for (int i = 0; i < to; ++i) {
    SluiceElementCoordinate &each = map.emplace_back();
    each = {};
    for (int number = random() % 3; number > 0; --number)
      each.factors[random() % from] =
          (int64_t(random() % 7) - 3) * (random() % 4 ? 1 : 4);
    each.offset = int64_t(random() % 9) - 4;
    each.divisor = random() % 2 ? 1 : 1 + random() % 4;
    if (random() % 2)
      each.modulus = random() % 2 ? target.extent[i] : 1 + random() % 6;
  }
  return map;
}

/// The position that the map computes, or -1.
int64_t computed(const Shape &from, int64_t position, ElementMap map,
                 const Shape &to) {
  int64_t at[SLUICE_MAX_RANK], result[SLUICE_MAX_RANK] = {0, 0, 0};
  from.coordinates(position, at);
  for (size_t i = 0; i < map.size(); ++i) {
    int64_t sum = map[i].offset;
    for (int d = 0; d < SLUICE_MAX_RANK; ++d)
      sum += map[i].factors[d] * at[d];
    int64_t value = sum / map[i].divisor;
    if (sum % map[i].divisor < 0)
      --value;
    if (map[i].modulus)
      value = (value % map[i].modulus + map[i].modulus) % map[i].modulus;
    if (value < 0 || value >= to.extent[i])
      return -1;
    result[i] = value;
  }
  return to.position(result);
}
} // namespace

TEST(DerivedPartitions, BlocksOfEach) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const RandomParts parts(random, 1 + random() % 3);
    const Shape &shape = parts.root.shape;
    const Shape outer = parts.someColors(std::min(2, shape.rank));
    Shape colors = outer;
    for (int d = 0, more = 1 + random() % std::min(3 - outer.rank, shape.rank);
         d < more; ++d)
      colors.extent[colors.rank++] = 1 + random() % 4;
    const bool onDemand = random() % 3 == 0;
    const PartitionPointer source =
        onDemand ? parts.blocks(outer, true) : parts.any(outer);
    const PartitionPointer made = parts.begin(colors, onDemand);
    ASSERT_EQ(fillBlocksOfEach(*made, *source).message(), "");
    finishPartition(*made);
    const uint32_t count = made->numColors() / source->numColors();
    for (uint32_t color = 0; color < source->numColors(); ++color) {
      const ElementSet &set = source->sets[color];
      std::vector<Positions> wanted(count);
      for (int64_t position : positionsOf(shape, set)) {
        int64_t at[SLUICE_MAX_RANK], block = 0;
        shape.coordinates(position, at);
        for (int d = outer.rank; d < colors.rank; ++d) {
          const int own = d - outer.rank;
          const int64_t lower = set.bounds().lower[own];
          const int64_t length = set.bounds().upper[own] - lower;
          int64_t number = 0;
          while (length * (number + 1) / colors.extent[d] <= at[own] - lower)
            ++number;
          block = block * colors.extent[d] + number;
        }
        wanted[block].insert(position);
      }
      for (uint32_t block = 0; block < count; ++block)
        ASSERT_EQ(positionsOf(shape, made->sets[color * count + block]),
                  wanted[block]);
    }
    if (onDemand)
      expectNear(*made, random);
  }
}

TEST(DerivedPartitions, CrossProducts) {
  std::mt19937 random(2);
  for (int round = 0; round < 400; ++round) {
    const RandomParts parts(random, 1 + random() % 3);
    const Shape &shape = parts.root.shape;
    const Shape first = parts.someColors(2);
    const Shape second = parts.someColors(3 - first.rank);
    const bool onDemand = random() % 3 == 0 && first.rank <= shape.rank &&
                          second.rank <= shape.rank;
    const PartitionPointer left =
        onDemand ? parts.blocks(first, true) : parts.any(first);
    const PartitionPointer right =
        onDemand ? parts.blocks(second, true) : parts.any(second);
    Shape colors = first;
    for (int d = 0; d < second.rank; ++d)
      colors.extent[colors.rank++] = second.extent[d];
    const PartitionPointer made = parts.begin(colors, onDemand);
    ASSERT_EQ(fillCross(*made, *left, *right).message(), "");
    finishPartition(*made);
    uint32_t color = 0;
    for (const ElementSet &a : left->sets)
      for (const ElementSet &b : right->sets) {
        Positions wanted, other = positionsOf(shape, b);
        for (int64_t position : positionsOf(shape, a))
          if (other.contains(position))
            wanted.insert(position);
        ASSERT_EQ(positionsOf(shape, made->sets[color++]), wanted);
      }
    if (onDemand)
      expectNear(*made, random);
  }
}

TEST(DerivedPartitions, CombinationsWithOneSet) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    const RandomParts parts(random, 1 + random() % 3);
    const Shape &shape = parts.root.shape;
    const Shape colors = parts.someColors(3);
    const PartitionPointer left = parts.any(colors);
    const PartitionPointer right = parts.any(colors);
    const ElementSet &one = right->sets[random() % right->numColors()];
    const Positions other = positionsOf(shape, one);
    for (auto operation :
         {SLUICE_UNION, SLUICE_INTERSECTION, SLUICE_DIFFERENCE}) {
      const PartitionPointer made = parts.begin(colors);
      ASSERT_EQ(fillCombinedWith(*made, operation, *left, one).message(), "");
      for (uint32_t color = 0; color < made->numColors(); ++color) {
        Positions wanted;
        for (int64_t position : positionsOf(shape, left->sets[color]))
          if (operation == SLUICE_UNION ||
              other.contains(position) == (operation == SLUICE_INTERSECTION))
            wanted.insert(position);
        if (operation == SLUICE_UNION)
          wanted.insert(other.begin(), other.end());
        ASSERT_EQ(positionsOf(shape, made->sets[color]), wanted);
      }
    }
  }
}

TEST(DerivedPartitions, PeriodicHalos) {
  std::mt19937 random(4);
  for (int round = 0; round < 600; ++round) {
    const RandomParts parts(random, 1 + random() % 3);
    const Shape &shape = parts.root.shape;
    const Shape colors = parts.someColors(shape.rank);
    const PartitionPointer source = parts.any(colors);
    int64_t width[SLUICE_MAX_RANK];
    for (int64_t &each : width)
      each = random() % 9 ? random() % 4 : INT64_MAX - random() % 2;
    const uint32_t periodic = random() % 8;
    const bool corners = random() % 2;
    const PartitionPointer made = parts.begin(colors);
    ASSERT_EQ(fillHalos(*made, *source, width, corners, periodic).message(),
              "");
    for (uint32_t color = 0; color < made->numColors(); ++color) {
      Positions from = positionsOf(shape, source->sets[color]);
      const Positions before = from;
      for (int d = 0; d < shape.rank; ++d) {
        const Positions base = corners ? from : before;
        const int64_t extent = shape.extent[d];
        const int64_t reach = std::min(width[d], extent);
        for (int64_t position : base) {
          int64_t at[SLUICE_MAX_RANK];
          shape.coordinates(position, at);
          const int64_t own = at[d];
          for (int64_t i = own - reach; i <= own + reach; ++i) {
            at[d] = periodic >> d & 1 ? (i % extent + extent) % extent : i;
            if (at[d] >= 0 && at[d] < extent)
              from.insert(shape.position(at));
          }
        }
      }
      ASSERT_EQ(positionsOf(shape, made->sets[color]), from);
    }
  }
}

TEST(DerivedPartitions, ComputedCoordinates) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const RandomParts from(random, 1 + random() % 3);
    const RandomParts to(random, 1 + random() % 3);
    const Shape &shape = from.root.shape, &named = to.root.shape;
    const auto map = randomMap(random, shape.rank, named.rank, named);
    // Images.
    const PartitionPointer source = from.any(from.someColors(3));
    const PartitionPointer image = to.begin(source->colors);
    ASSERT_EQ(fillMappedImage(*image, *source, map).message(), "");
    for (uint32_t color = 0; color < source->numColors(); ++color) {
      Positions wanted;
      for (int64_t position : positionsOf(shape, source->sets[color]))
        wanted.insert(computed(shape, position, map, named));
      wanted.erase(-1);
      ASSERT_EQ(positionsOf(named, image->sets[color]), wanted);
    }
    // Preimages.
    const PartitionPointer target = to.any(to.someColors(3));
    const PartitionPointer preimage = from.begin(target->colors);
    ASSERT_EQ(fillMappedPreimage(*preimage, map, *target).message(), "");
    for (uint32_t color = 0; color < target->numColors(); ++color) {
      const Positions wanted = positionsOf(named, target->sets[color]);
      Positions found;
      for (int64_t i = 0; i < shape.count(); ++i)
        if (wanted.contains(computed(shape, i, map, named)))
          found.insert(i);
      ASSERT_EQ(positionsOf(shape, preimage->sets[color]), found);
    }
    // Colors.
    const PartitionPointer colored = from.begin(named);
    ASSERT_EQ(fillByMap(*colored, map).message(), "");
    for (uint32_t color = 0; color < colored->numColors(); ++color) {
      Positions found;
      for (int64_t i = 0; i < shape.count(); ++i)
        if (computed(shape, i, map, named) == color)
          found.insert(i);
      ASSERT_EQ(positionsOf(shape, colored->sets[color]), found);
    }
  }
}

/// Where a computed coordinate has some values.
TEST(DerivedPartitions, CoordinatesWithValues) {
  std::mt19937 random(3);
  auto pick = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
    const CoordinateLine line = {pick(-40, 40), pick(-50, 50), pick(1, 5),
                                 pick(0, 30)};
    const int64_t begin = pick(-20, 60), first = pick(0, 30);
    const CoordinateRange range = {begin, begin + pick(0, 90)};
    const CoordinateRange values = {first, first + pick(0, 12)};
    CoordinateRanges found;
    line.solve(range, values, found);
    std::set<int64_t> expected, given;
    for (int64_t x = range.begin; x < range.end; ++x)
      if (line.value(x) >= values.begin && line.value(x) < values.end)
        expected.insert(x);
    for (const CoordinateRange &each : found)
      for (int64_t x = each.begin; x < each.end; ++x)
        EXPECT_TRUE(given.insert(x).second);
    EXPECT_EQ(given, expected) << line.factor << ' ' << int64_t(line.rest)
                               << ' ' << line.divisor << ' ' << line.modulus;
  }
  // Neither all elements nor all periods can be visited.
  const int64_t size = 1'000'000'000'000'000;
  const CoordinateLine line = {1'000'000'007, 3, 1, size};
  CoordinateRanges found;
  line.solve({0, size}, {5, 8}, found);
  ASSERT_EQ(found.size(), 3u);
  for (const CoordinateRange &each : found) {
    EXPECT_EQ(each.end, each.begin + 1);
    EXPECT_TRUE(line.value(each.begin) >= 5 && line.value(each.begin) < 8);
  }
}

/// Time and memory follow what is named, whatever the size of the root.
TEST(DerivedPartitions, LargeRoots) {
  Root root;
  root.name = "root";
  root.shape.extent[0] = int64_t(1) << 50;
  const int64_t count = 1000;
  PartitionPointer blocks = std::move(*beginPartition(
      "blocks", root, ElementSet(Box::whole(root.shape)), 1, &count));
  ASSERT_TRUE(fillBlocks(*blocks).ok());
  finishPartition(*blocks);
  auto like = [&] {
    return std::move(*beginPartition(
        "test", root, ElementSet(Box::whole(root.shape)), 1, &count));
  };
  const int64_t width = 3;
  PartitionPointer halos = like();
  ASSERT_TRUE(fillHalos(*halos, *blocks, &width, true, 1).ok());
  EXPECT_EQ(halos->sets[0].end(root.shape), root.shape.count());
  // The coarse elements of a fine block, and back.
  const SluiceElementCoordinate half = {{1, 0, 0}, 0, 2, 0};
  PartitionPointer coarse = like(), fine = like();
  ASSERT_TRUE(fillMappedImage(*coarse, *blocks, {&half, 1}).ok());
  EXPECT_EQ(coarse->sets[999].end(root.shape), root.shape.count() / 2);
  ASSERT_TRUE(fillMappedPreimage(*fine, {&half, 1}, *coarse).ok());
  EXPECT_GE(fine->sets[999].size(), blocks->sets[999].size());
  PartitionPointer rest = like();
  ASSERT_TRUE(
      fillCombinedWith(*rest, SLUICE_DIFFERENCE, *blocks, halos->sets[0]).ok());
  EXPECT_EQ(rest->sets[0].size(), 0);
  EXPECT_EQ(rest->sets[5].size(), blocks->sets[5].size());
}

/// What no element names costs nothing, in whichever dimension that shows.
TEST(DerivedPartitions, ComputedInLargeRoots) {
  auto shaped = [](std::initializer_list<int64_t> extents) {
    Shape shape;
    shape.rank = int32_t(extents.size());
    std::copy(extents.begin(), extents.end(), shape.extent);
    return shape;
  };
  auto sizesOf = [](const Shape &shape, const Shape &colors,
                    std::vector<SluiceElementCoordinate> map) {
    Root root;
    root.name = "root";
    root.shape = shape;
    PartitionPointer made =
        std::move(*beginPartition("test", root, ElementSet(Box::whole(shape)),
                                  colors.rank, colors.extent));
    EXPECT_TRUE(fillByMap(*made, map).ok());
    std::vector<int64_t> sizes;
    for (uint32_t color = 0; color < made->numColors(); ++color)
      sizes.push_back(made->sets[color].size());
    return sizes;
  };
  using Sizes = std::vector<int64_t>;
  const int64_t large = 1'000'000'000'000;
  const Shape wide = shaped({large, 10}), three = shaped({3});
  EXPECT_EQ(sizesOf(wide, three, {{{1, 1, 0}, 0, 1, 0}}), (Sizes{1, 2, 3}));
  EXPECT_EQ(sizesOf(wide, shaped({20}), {{{-1, 1, 0}, 4, 1, 0}})[6], 8);
  EXPECT_EQ(sizesOf(wide, three, {{{1, 1, 0}, 0, 1, large + 9}}),
            (Sizes{1, 2, 3}));
  EXPECT_EQ(sizesOf(wide, shaped({2, 2}),
                    {{{0, 1, 0}, 100, 1, 0}, {{1, 1, 0}, 0, 1, 0}}),
            (Sizes{0, 0, 0, 0}));
  // The first dimension decides nothing, and the others have no solution.
  EXPECT_EQ(sizesOf(shaped({large, 4, 4}), shaped({1}), {{{0, 2, 2}, 1, 1, 2}}),
            (Sizes{0}));
  // Remainders that repeat.
  EXPECT_EQ(sizesOf(shaped({large}), shaped({2}), {{{4, 0, 0}, 1, 1, 4}}),
            (Sizes{0, large}));
  Root root;
  root.name = "root";
  root.shape = shaped({large});
  const int64_t one = 1;
  auto whole = [&] {
    return std::move(*beginPartition(
        "test", root, ElementSet(Box::whole(root.shape)), 1, &one));
  };
  PartitionPointer source = whole(), image = whole();
  ASSERT_TRUE(fillBlocks(*source).ok());
  const SluiceElementCoordinate even = {{2, 0, 0}, 0, 1, 4};
  ASSERT_TRUE(fillMappedImage(*image, *source, {&even, 1}).ok());
  EXPECT_EQ(positionsOf(root.shape, image->sets[0]), (Positions{0, 2}));
}

TEST(DerivedPartitions, WrongNumbers) {
  std::mt19937 random(6);
  const RandomParts parts(random, 1);
  Shape colors;
  colors.extent[0] = 2;
  auto errorOf = [&](SluiceElementCoordinate map) {
    return fillByMap(*parts.begin(colors), {&map, 1}).message();
  };
  EXPECT_EQ(errorOf({{1, 0, 0}, 0, 0, 0}),
            "partition 'test' of root 'root' divides by 0, expected at least "
            "1");
  EXPECT_EQ(errorOf({{1, 0, 0}, 0, 1, -1}),
            "partition 'test' of root 'root' divides by -1, expected at least "
            "1");
  EXPECT_EQ(errorOf({{1, 0, 0}, maxMapNumber, 1, 0}),
            "partition 'test' of root 'root' computes coordinates with a "
            "number of 2^60 or more");
  EXPECT_EQ(
      fillBlocksOfEach(*parts.begin(colors), *parts.blocks(colors)).message(),
      "partition 'test' of root 'root' has colors [2], expected those of "
      "'test' of root 'root', [2], and then 1 to 1 numbers of blocks");
}
