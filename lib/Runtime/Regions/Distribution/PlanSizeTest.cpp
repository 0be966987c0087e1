//===- PlanSizeTest.cpp - What plans take ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank plans from the points with which it has to do does not grow with
// the number of ranks.
//
//===----------------------------------------------------------------------===//

#include "../../Cluster/Testing/LoneRank.h"
#include "../Testing/RegionsTest.h"
#include "LocalTable.h"

using namespace sluice;
using namespace sluice::regions;
using namespace sluice::regions::test;

namespace {
struct PlanSize {
  size_t tasks, stores, sets, colors, messages;
};
std::ostream &operator<<(std::ostream &out, const PlanSize &size) {
  return out << size.tasks << " tasks, " << size.stores << " stores, "
             << size.sets << " sets, " << size.colors << " colors, "
             << size.messages << " messages";
}

/// Of blocks on a grid of ranks, as many on each, what a rank near the middle
/// plans of a stencil whose largest change may be found after some sweeps.
PlanSize sizeOf(uint32_t side, int64_t blocksASide, bool corners,
                bool hasScalar) {
  const uint32_t rank = side * (side / 2) + side / 2 + 1;
  const SluiceCluster cluster = sluice::test::loneRank(rank, side * side);
  RegionProgram program("test", nullptr, false, &cluster);
  const int64_t colors[] = {side * blocksASide, side * blocksASide};
  const int64_t extents[] = {colors[0] * 8, colors[1] * 8};
  const int64_t one = 1, width[] = {1, 1};
  const SluiceField fields[] = {{"now", SLUICE_F64, 1},
                                {"next", SLUICE_F64, 1}};
  const uint32_t plate = *program.addRoot("plate", 2, extents, 2, fields);
  const uint32_t change = *program.addRoot("change", 1, &one, 1, fields);
  const uint32_t blocks =
      *program.addBlocks("blocks", plate, SLUICE_NO_PARTITION, 0, 2, colors);
  const uint32_t halos = *program.addHalos("halos", blocks, width, corners);
  EXPECT_TRUE(program.promise(blocks, true, true).ok());
  EXPECT_TRUE(program.promise(halos, false, true).ok());
  auto add = [&](const char *name, std::vector<SluiceArgument> arguments,
                 int rank, bool isHost = false) {
    SluiceStatement statement = {};
    statement.name = name;
    statement.body = emptyBody;
    statement.rank = rank;
    statement.isHost = isHost;
    std::copy_n(colors, rank, statement.extents);
    statement.numArguments = arguments.size();
    statement.arguments = arguments.data();
    EXPECT_EQ(program.addStatement(statement).message(), "");
  };
  EXPECT_TRUE(program.beginGraph("start").ok());
  add("start", {argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, blocks)}, 2);
  Result<LocalGraph> started = program.planLocal();
  EXPECT_TRUE(started.ok() && started->isFootprint);
  program.forgetGraph(*started->all);
  EXPECT_TRUE(program.beginGraph("sweeps").ok());
  EXPECT_TRUE(program.beginLoop(10, SLUICE_NO_PARTITION).ok());
  EXPECT_TRUE(program.beginLoop(10, SLUICE_NO_PARTITION).ok());
  for (uint32_t from : {0, 1})
    add("sweep",
        {argument(plate, SLUICE_PRIVILEGE_READ, 1 << from, halos),
         argument(plate, SLUICE_PRIVILEGE_WRITE_DISCARD, 2 >> from, blocks)},
        2);
  EXPECT_TRUE(program.endLoop().ok());
  if (hasScalar) {
    const double zero = 0;
    EXPECT_TRUE(
        program
            .addFill(argument(change, SLUICE_PRIVILEGE_READ), &zero, 0, nullptr)
            .ok());
    SluiceArgument reduced = argument(change, SLUICE_PRIVILEGE_REDUCE);
    reduced.reduction.kind = SLUICE_REDUCE_MAX;
    add("change", {argument(plate, SLUICE_PRIVILEGE_READ, 3, blocks), reduced},
        2);
  }
  EXPECT_TRUE(program.endLoop().ok());
  add("show",
      {argument(plate, SLUICE_PRIVILEGE_READ, 3),
       argument(change, SLUICE_PRIVILEGE_READ)},
      0, true);
  Result<LocalGraph> graph = program.planLocal();
  EXPECT_TRUE(graph.ok() && graph->isFootprint);
  PlanSize size = {graph->all->table.tasks.size(), graph->all->stores.size(), 0,
                   0, 0};
  for (const auto *expansion : {graph->all.get(), graph->local.get()})
    for (const PartitionPointer &partition : expansion->partitions)
      size.sets += partition->sets.size();
  for (uint32_t partition : {blocks, halos})
    size.colors +=
        program.getPartition(partition).sets.demanded()->numComputed();
  for (const TableTask &task : graph->local->table.tasks)
    size.messages += task.isOutside;
  program.forgetGraph(*graph->all);
  return size;
}

void expectAtMost(const PlanSize &many, const PlanSize &few, double factor) {
  auto isAtMost = [&](size_t a, size_t b) {
    return static_cast<double>(a) <= factor * static_cast<double>(b);
  };
  EXPECT_TRUE(
      isAtMost(many.tasks, few.tasks) && isAtMost(many.stores, few.stores) &&
      isAtMost(many.sets, few.sets) && isAtMost(many.colors, few.colors) &&
      isAtMost(many.messages, few.messages))
      << many << " instead of " << few;
}
} // namespace

TEST(PlanSize, DoesNotGrowWithTheRanks) {
  for (bool corners : {false, true}) {
    const PlanSize few = sizeOf(8, 2, corners, false);
    expectAtMost(sizeOf(32, 2, corners, false), few, 1);
    expectAtMost(sizeOf(128, 2, corners, false), few, 1);
  }
}

TEST(PlanSize, HasTheTreesOfScalarsBesides) {
  // Copies that go where its own go: as many as a level is wide.
  const PlanSize few = sizeOf(8, 4, false, true);
  const PlanSize more = sizeOf(32, 4, false, true);
  EXPECT_LE(more.stores, few.stores + 2 * 64);
  EXPECT_LE(more.tasks, few.tasks + 2 * 64);
  EXPECT_EQ(more.colors, few.colors);
  expectAtMost(sizeOf(128, 4, false, true), more, 1.05);
}

namespace {
/// Conjugate gradients on a grid of ranks: sums that single tasks and the
/// points of all ranks read. `isListed`: blocks and halos are given one by one.
PlanSize sizeOfSums(uint32_t side, bool isListed) {
  const uint32_t rank = side * (side / 2) + side / 2 + 1;
  const SluiceCluster cluster = sluice::test::loneRank(rank, side * side);
  RegionProgram program("test", nullptr, false, &cluster);
  const int64_t colors[] = {side * 2, side * 2};
  const int64_t extents[] = {colors[0] * 4, colors[1] * 4};
  const int64_t one = 1, width[] = {1, 1};
  const SluiceField fields[] = {{"p", SLUICE_F64, 1}, {"q", SLUICE_F64, 1}};
  const SluiceField integer = {"going", SLUICE_I32, 1};
  const uint32_t grid = *program.addRoot("grid", 2, extents, 2, fields);
  uint32_t scalars[3];
  for (uint32_t &scalar : scalars)
    scalar = *program.addRoot("sum", 1, &one, 1, fields);
  const uint32_t going = *program.addRoot("going", 1, &one, 1, &integer);
  uint32_t blocks =
      *program.addBlocks("blocks", grid, SLUICE_NO_PARTITION, 0, 2, colors);
  uint32_t halos = *program.addHalos("halos", blocks, width, false);
  const uint32_t demanded[] = {blocks, halos};
  if (isListed) {
    halos = *program.addCombined("halos", SLUICE_UNION, halos, blocks);
    blocks =
        *program.addCombined("blocks", SLUICE_INTERSECTION, blocks, blocks);
  }
  auto add = [&](const char *name, std::vector<SluiceArgument> arguments,
                 int rank) {
    SluiceStatement statement = {};
    statement.name = name;
    statement.body = emptyBody;
    statement.rank = rank;
    std::copy_n(colors, rank, statement.extents);
    statement.numArguments = arguments.size();
    statement.arguments = arguments.data();
    EXPECT_EQ(program.addStatement(statement).message(), "");
  };
  auto sum = [&](uint32_t scalar) {
    SluiceArgument made = argument(scalars[scalar], SLUICE_PRIVILEGE_REDUCE);
    made.reduction.kind = SLUICE_REDUCE_SUM;
    return made;
  };
  auto read = [&](uint32_t scalar) {
    return argument(scalars[scalar], SLUICE_PRIVILEGE_READ);
  };
  const SluiceArgument writesP =
      argument(grid, SLUICE_PRIVILEGE_READ_WRITE, 1, blocks);
  EXPECT_TRUE(program.beginGraph("solve").ok());
  add("start", {argument(grid, SLUICE_PRIVILEGE_WRITE_DISCARD, 3, blocks)}, 2);
  EXPECT_TRUE(program.beginLoop(1000, going).ok());
  for (uint32_t scalar : {0, 1}) {
    const double zero = 0;
    EXPECT_TRUE(program.addFill(read(scalar), &zero, 0, nullptr).ok());
  }
  add("multiply",
      {argument(grid, SLUICE_PRIVILEGE_READ, 1, halos),
       argument(grid, SLUICE_PRIVILEGE_WRITE_DISCARD, 2, blocks), sum(0)},
      2);
  add("improve",
      {writesP, argument(grid, SLUICE_PRIVILEGE_READ, 2, blocks), read(0),
       read(2), sum(1)},
      2);
  add("direct", {writesP, read(1), read(2)}, 2);
  add("keep", {read(1), argument(scalars[2], SLUICE_PRIVILEGE_WRITE_DISCARD)},
      0);
  add("isLarge", {read(1), argument(going, SLUICE_PRIVILEGE_WRITE_DISCARD)}, 0);
  EXPECT_TRUE(program.endLoop().ok());
  Result<LocalGraph> graph = program.planLocal();
  EXPECT_TRUE(graph.ok() && graph->isFootprint);
  EXPECT_NE(graph->numOthers, 0u);
  PlanSize size = {graph->all->table.tasks.size(), graph->all->stores.size(), 0,
                   0, 0};
  for (const auto *expansion : {graph->all.get(), graph->local.get()})
    for (const PartitionPointer &partition : expansion->partitions)
      size.sets += partition->sets.size();
  for (uint32_t partition : demanded)
    if (!isListed)
      size.colors +=
          program.getPartition(partition).sets.demanded()->numComputed();
  for (const TableTask &task : graph->local->table.tasks)
    size.messages += task.isOutside;
  program.forgetGraph(*graph->all);
  return size;
}
} // namespace

TEST(PlanSize, HasFewReadersOfScalars) {
  for (bool isListed : {false, true}) {
    // Copies of a level more.
    const PlanSize few = sizeOfSums(32, isListed);
    const PlanSize more = sizeOfSums(64, isListed);
    EXPECT_LE(more.stores, few.stores + 2 * 64);
    EXPECT_LE(more.tasks, few.tasks + 2 * 64);
    EXPECT_EQ(more.colors, few.colors);
    expectAtMost(sizeOfSums(128, isListed), more, 1.05);
  }
}
