//===- PartitionTest.cpp - Promises, misuse, and what it is told ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every message of programs over regions, and promises with the elements that
// refute them.
//
//===----------------------------------------------------------------------===//

#include "../Testing/RegionsTest.h"

#include "Roots.h"

#include <fstream>
#include <limits>
#include <random>
#include <set>

#include <unistd.h>

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
class PartitionTest : public RegionsTest {
protected:
  void SetUp() override {
    RegionsTest::SetUp();
    line = addRoot("line", {20},
                   {{"name", SLUICE_I32, 1}, {"value", SLUICE_F64, 1}});
    grid = addRoot("grid", {6, 8}, {{"value", SLUICE_F64, 1}});
    quarters = addBlocks("quarters", line, {4});
    tiles = addBlocks("tiles", grid, {2, 2});
  }
  std::string promised(uint32_t partition, bool isDisjoint, bool isComplete) {
    return program->promise(partition, isDisjoint, isComplete).message();
  }
  uint32_t color(uint32_t root, int64_t count,
                 void (*coloring)(const int64_t *, SluiceColoring *)) {
    return valueOf(program->addColoring("mine", root, SLUICE_NO_PARTITION, 0, 1,
                                        &count, coloring));
  }
  std::string errorOf(const Result<uint32_t> &result) {
    return result.status().message();
  }
  std::string errorOf(std::vector<int64_t> extents,
                      const std::vector<SluiceArgument> &arguments) {
    check(program->beginGraph("wrong"));
    std::string message =
        program
            ->addStatement(
                statement("task", std::move(extents), arguments,
                          [](const SluiceTask &, const SluiceView *) {}))
            .message();
    check(program->endGraph());
    return message;
  }
  uint32_t line, grid, quarters, tiles;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Workers, PartitionTest, testing::Values(2));

TEST_P(PartitionTest, KeptPromises) {
  EXPECT_EQ(promised(quarters, true, true), "");
  EXPECT_EQ(promised(tiles, true, true), "");
  EXPECT_EQ(promised(addHalos("halos", tiles, {1, 1}, false), false, true), "");
  EXPECT_EQ(promised(addHalos("none", tiles, {0, 0}, true), true, true), "");
  EXPECT_EQ(promised(color(line, 2,
                           [](const int64_t *color, SluiceColoring *elements) {
                             for (int64_t i = *color; i < 20; i += 2)
                               elements->add(elements, i, i + 1);
                           }),
                     true, true),
            "");
  uint32_t inner = addBlocks("inner", grid, {3, 2}, tiles, 3);
  EXPECT_EQ(promised(inner, true, true), "");
}

TEST_P(PartitionTest, BrokenPromisesNameAnElement) {
  EXPECT_EQ(promised(addHalos("halos", tiles, {1, 1}, true), true, true),
            "partition 'halos' of root 'grid' is declared disjoint, but colors "
            "(0, 0) and (0, 1) both have element (0, 3)");
  EXPECT_EQ(promised(addHalos("cross", tiles, {1, 1}, false), true, true),
            "partition 'cross' of root 'grid' is declared disjoint, but colors "
            "(0, 0) and (0, 1) both have element (0, 3)");
  uint32_t some =
      color(line, 3, [](const int64_t *color, SluiceColoring *elements) {
        elements->add(elements, 5 * *color, 5 * *color + 6);
      });
  EXPECT_EQ(promised(some, true, false),
            "partition 'mine' of root 'line' is declared disjoint, but colors "
            "0 and 1 both have element 5");
  EXPECT_EQ(promised(some, false, true),
            "partition 'mine' of root 'line' is declared complete, but element "
            "16 has no color");
  auto *names = data<int32_t>(line);
  for (int i = 0; i < 20; ++i)
    names[i] = i == 7 ? -1 : i % 4;
  const int64_t four = 4;
  EXPECT_EQ(promised(valueOf(program->addByField("named", line, 0, 1, &four)),
                     true, true),
            "partition 'named' of root 'line' is declared complete, but "
            "element 7 has no color");
}

TEST_P(PartitionTest, WrongRoots) {
  const int64_t none[] = {4, 0}, huge[] = {INT64_MAX, 2};
  const SluiceField field = {"f", SLUICE_F64, 1}, empty = {"f", SLUICE_F64, 0};
  EXPECT_EQ(errorOf(program->addRoot("r", 4, none, 1, &field)),
            "root 'r' has rank 4, expected 1 to 3");
  EXPECT_EQ(errorOf(program->addRoot("r", 2, none, 1, &field)),
            "root 'r' has extent 0 in dimension 1, expected at least 1");
  EXPECT_EQ(errorOf(program->addRoot("r", 2, huge, 1, &field)),
            "root 'r' has more than 2^63 elements");
  EXPECT_EQ(errorOf(program->addRoot("r", 1, huge, 1, &field)),
            "no memory for field 'f' of root 'r' with extents "
            "[9223372036854775807] of 8 bytes");
  EXPECT_EQ(errorOf(program->addRoot("r", 1, none, 0, &field)),
            "root 'r' has 0 fields, expected 1 to 64");
  EXPECT_EQ(errorOf(program->addRoot("r", 1, none, 1, &empty)),
            "field 'f' of root 'r' has 0 values per element");
  EXPECT_EQ(program->rootField(9, 0).status().message(),
            "sluiceRootField: there is no root 9; the program 'test' has 2 "
            "roots");
  EXPECT_EQ(program->rootField(line, 2).status().message(),
            "sluiceRootField: root 'line' has no field 2, it has 2 fields");
}

TEST_P(PartitionTest, WrongPartitions) {
  const int64_t colors[] = {2, 2, 2}, zero = 0, four = 4;
  const int64_t width[] = {-1};
  EXPECT_EQ(
      errorOf(program->addBlocks("p", line, SLUICE_NO_PARTITION, 0, 2, colors)),
      "partition 'p' of root 'line' has colors [2, 2], but the root has "
      "extents [20]: blocks have at most as many dimensions");
  EXPECT_EQ(
      errorOf(program->addBlocks("p", line, SLUICE_NO_PARTITION, 0, 1, &zero)),
      "partition 'p' of root 'line' has 0 colors in dimension 0, "
      "expected at least 1, and fewer than 2^31 in all");
  EXPECT_EQ(errorOf(program->addBlocks("p", line, quarters, 4, 1, colors)),
            "partition 'p' divides color 4 of partition 'quarters' of root "
            "'line', which has 4 colors");
  EXPECT_EQ(errorOf(program->addBlocks("p", grid, quarters, 0, 1, colors)),
            "partition 'p' of root 'grid' divides a color of partition "
            "'quarters' of root 'line'");
  EXPECT_EQ(errorOf(program->addHalos("p", quarters, width, true)),
            "halos 'p' of root 'line' have width -1 in dimension 0, expected "
            "at least 0");
  EXPECT_EQ(errorOf(program->addByField("p", line, 1, 1, &four)),
            "partition 'p' of root 'line' goes by field 'value' of root 'line' "
            "of type f64, expected integers");
  EXPECT_EQ(errorOf(program->addCombined("p", SLUICE_UNION, quarters, tiles)),
            "partition 'p' combines 'quarters' of root 'line' with colors [4] "
            "and 'tiles' of root 'grid' with colors [2, 2]: roots and colors "
            "must be the same");
  data<int32_t>(line)[13] = 48;
  EXPECT_EQ(errorOf(program->addImage("p", grid, quarters, 0)),
            "image 'p' of root 'grid': field 'name' of element 13 of root "
            "'line' is 48, but root 'grid' has 48 elements");
  EXPECT_EQ(errorOf(program->addColoring(
                "p", line, SLUICE_NO_PARTITION, 0, 1, &four,
                [](const int64_t *, SluiceColoring *elements) {
                  elements->add(elements, 15, 21);
                })),
            "the coloring of 'p' of root 'line' adds [15, 21) to color 0, but "
            "the root has 20 elements");
  EXPECT_EQ(errorOf(program->addColoring(
                "p", line, quarters, 1, 1, &four,
                [](const int64_t *, SluiceColoring *elements) {
                  elements->add(elements, 8, 12);
                })),
            "the coloring of 'p' of root 'line' gives color 0 element 10, "
            "which is not in the region that it divides");
}

TEST_P(PartitionTest, WrongStatements) {
  auto whole = argument(line, SLUICE_PRIVILEGE_READ);
  EXPECT_EQ(
      errorOf({3}, {whole, argument(line, SLUICE_PRIVILEGE_READ, 1, quarters)}),
      "argument 2 of 'task': the launch has extents [3], but partition "
      "'quarters' of root 'line' has colors [4]; give a projection");
  EXPECT_EQ(
      errorOf({}, {argument(line, SLUICE_PRIVILEGE_READ, 1, quarters, 4)}),
      "argument 1 of 'task': color 4 of partition 'quarters' of root "
      "'line', which has colors [4]");
  EXPECT_EQ(
      errorOf({2, 3}, {argument(line, SLUICE_PRIVILEGE_READ, 1, quarters, 0,
                                [](const SluiceTask *task) {
                                  return 2 * task->point[1];
                                })}),
      "argument 1 of 'task': 'task' at point (0, 2) uses color 4 of "
      "partition 'quarters' of root 'line', which has colors [4]");
  EXPECT_EQ(errorOf({}, {argument(grid, SLUICE_PRIVILEGE_READ, 1, quarters)}),
            "argument 1 of 'task' names root 'grid' and partition 'quarters' "
            "of root 'line'");
  EXPECT_EQ(errorOf({}, {argument(grid, SLUICE_PRIVILEGE_READ, 2)}),
            "argument 1 of 'task' names the fields 2 (one bit each) of root "
            "'grid', which has 1 field");
  auto reduced = argument(line, SLUICE_PRIVILEGE_REDUCE, 2);
  reduced.reduction.kind = SLUICE_REDUCE_XOR;
  EXPECT_EQ(errorOf({}, {reduced}),
            "argument 1 of 'task' reduces field 'value' of root 'line' of type "
            "f64 with an operator on bits");
  EXPECT_EQ(errorOf({-1}, {}), "the launch of 'task' has extent -1 in "
                               "dimension 0, expected at least 0, and fewer "
                               "than 2^31 points");
  // A launch without points is nothing.
  EXPECT_EQ(errorOf({0}, {}), "");
}

TEST_P(PartitionTest, WrongOrderOfCalls) {
  EXPECT_EQ(program->endLoop().message(),
            "sluiceEndLoop outside of a graph: call sluiceBeginGraph first");
  check(program->beginGraph("outer"));
  EXPECT_EQ(program->beginGraph("inner").message(),
            "sluiceBeginGraph: graph 'outer' is still open: call "
            "sluiceEndGraph first");
  EXPECT_EQ(program->endLoop().message(),
            "sluiceEndLoop: no loop is open in graph 'outer'");
  EXPECT_EQ(program->beginLoop(1, line).message(),
            "sluiceBeginLoop: root 'line' with extents [20] and 2 fields is no "
            "single integer, which 'while' needs");
  check(program->beginLoop(1, SLUICE_NO_PARTITION));
  EXPECT_EQ(program->endGraph().message(),
            "sluiceEndGraph: a loop is still open in graph 'outer'");
  // Destroying a program with an open graph drops it.
}

TEST_P(PartitionTest, WrongCopies) {
  check(program->beginGraph("copies"));
  auto from = argument(line, SLUICE_PRIVILEGE_READ, 1);
  auto to = argument(grid, SLUICE_PRIVILEGE_WRITE_DISCARD, 1);
  EXPECT_EQ(program->addCopy(from, to, 0, nullptr).message(),
            "copy from root 'line' to root 'grid': field 'name' has 1 i32, but "
            "field 'value' has 1 f64");
  from.fields = 2;
  EXPECT_EQ(program->addCopy(from, to, 0, nullptr).message(),
            "copy from root 'line' to root 'grid': their extents are [20] and "
            "[6, 8]");
  from.fields = 3;
  EXPECT_EQ(program->addCopy(from, to, 0, nullptr).message(),
            "copy from root 'line' to root 'grid': 2 fields to 1 field");
  from = argument(grid, SLUICE_PRIVILEGE_READ, 1, tiles, 0);
  to = argument(grid, SLUICE_PRIVILEGE_WRITE_DISCARD, 1, tiles, 1);
  EXPECT_EQ(program->addCopy(from, to, 0, nullptr).message(),
            "copy from root 'grid' to root 'grid': 'copy' does not have the "
            "same elements on both sides");
  check(program->endGraph());
}

//===----------------------------------------------------------------------===//
// On demand
//===----------------------------------------------------------------------===//

namespace {
/// A partition with blocks, and halos of halos of them.
struct Blocks {
  Blocks(const Root &root, const Box &parent, const Shape &colors,
         const int64_t *width, bool corners, uint32_t periodic, bool onDemand) {
    for (PartitionPointer *each : {&blocks, &halos, &wide})
      *each = std::move(*beginPartition("test", root, ElementSet(parent),
                                        colors.rank, colors.extent, onDemand));
    EXPECT_TRUE(fillBlocks(*blocks, onDemand).ok());
    EXPECT_TRUE(fillHalos(*halos, *blocks, width, corners, 0).ok());
    EXPECT_TRUE(fillHalos(*wide, *halos, width, !corners, periodic).ok());
    for (PartitionPointer *each : {&blocks, &halos, &wide})
      finishPartition(**each);
  }
  PartitionPointer blocks, halos, wide;
};

bool isSame(const Shape &shape, const ElementSet &a, const ElementSet &b) {
  return a.size() == b.size() && countCommon(shape, a, b) == a.size();
}

Box randomBox(std::mt19937 &random, const Shape &shape) {
  Box box;
  for (int d = 0; d < shape.rank; ++d) {
    box.lower[d] = random() % shape.extent[d];
    box.upper[d] =
        box.lower[d] + random() % (shape.extent[d] - box.lower[d] + 1);
  }
  return box;
}
} // namespace

TEST(PartitionsOnDemand, AreThoseThatAreListed) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Root root;
    root.name = "root";
    root.shape.rank = 1 + random() % 3;
    Shape colors;
    colors.rank = 1 + random() % root.shape.rank;
    for (int d = 0; d < root.shape.rank; ++d)
      root.shape.extent[d] = 1 + random() % 12;
    for (int d = 0; d < colors.rank; ++d)
      colors.extent[d] = 1 + random() % 6;
    const int64_t width[] = {int64_t(random() % 3), int64_t(random() % 3),
                             int64_t(random() % 3)};
    const Box parent =
        round % 2 ? Box::whole(root.shape) : randomBox(random, root.shape);
    const bool corners = random() % 2;
    const uint32_t periodic = random() % 8;
    const Blocks listed(root, parent, colors, width, corners, periodic, false);
    const Blocks demanded(root, parent, colors, width, corners, periodic, true);
    for (auto part : {&Blocks::blocks, &Blocks::halos, &Blocks::wide}) {
      const RootPartition &a = *(listed.*part), &b = *(demanded.*part);
      ASSERT_EQ(a.numColors(), b.numColors());
      ASSERT_EQ(b.sets.demanded()->numComputed(), 0u);
      // Where colors are is known without looking at others.
      const Box box = randomBox(random, root.shape);
      std::set<uint32_t> near;
      if (box.count())
        b.visitNear(box, [&](uint32_t color) { near.insert(color); });
      for (uint32_t color = a.numColors(); color-- > 0;) {
        ASSERT_TRUE(isSame(root.shape, a.sets[color], b.sets[color]));
        ASSERT_EQ(a.domain(color).count, b.domain(color).count);
        ASSERT_EQ(a.domain(color).numRuns, b.domain(color).numRuns);
        if (countCommon(root.shape, ElementSet(box), a.sets[color]))
          ASSERT_TRUE(near.contains(color));
      }
      ASSERT_EQ(checkPromise(a, false, true).message(),
                checkPromise(b, false, true).message());
    }
  }
}

static int64_t residentBytes() {
  int64_t mapped = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> mapped >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST(FieldMemory, FewElementsOfMoreThanTheMachineHasCostLittle) {
  constexpr uint64_t bytes = uint64_t(1) << 43, step = bytes / 128;
  Result<FieldMemory> memory = FieldMemory::allocate(bytes, 0);
  ASSERT_TRUE(memory.ok());
  Runs all = {{0, int64_t(bytes)}};
  memory->useLargePages(all, 1);
  const int64_t before = residentBytes();
  for (uint64_t at = 0; at < bytes; at += step)
    static_cast<char *>(memory->get())[at] = 1;
  EXPECT_LT(residentBytes() - before, 64 << 20);
}
