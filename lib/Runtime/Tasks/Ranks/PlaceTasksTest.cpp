//===- PlaceTasksTest.cpp - Which rank runs which task --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small programs whose best places are plain to see, what is refused, and what
// is known of tasks.
//
//===----------------------------------------------------------------------===//

#include "PlaceTasks.h"
#include "../Testing/ProgramBuilder.h"
#include "TaskTimes.h"

#include "sluice/Base/Text.h"

#include <gtest/gtest.h>

using namespace sluice;
using namespace sluice::tasks;
using namespace sluice::test;

namespace {
constexpr uint32_t anywhere = PlacingFacts::anywhere;

class PlacesTest : public testing::Test {
protected:
  uint32_t array(const char *name, int64_t count = 4) {
    shapes.push_back({count});
    return builder.data(name, {count});
  }
  uint32_t object(const char *name) {
    SluiceTaskData table = {};
    table.name = name;
    table.location = "";
    table.kind = SLUICE_DATA_PYOBJ;
    table.size = sizeof(void *);
    objects.push_back(static_cast<uint32_t>(shapes.size()));
    shapes.push_back({});
    return builder.data(table);
  }
  uint32_t task(const char *name, std::vector<SluiceTaskUse> uses) {
    const uint32_t index =
        builder.task(name, uses, [](const TaskCall &) { return 0; });
    for (const SluiceTaskUse &use : uses) {
      SluiceTaskArgument argument = {};
      argument.data = use.data;
      argument.access = use.access;
      argument.view.rank = static_cast<uint32_t>(shapes[use.data].size());
      argument.view.elementSize = 8;
      argument.view.shape = shapes[use.data].data();
      argument.view.strides = &one;
      builder.argument(index, argument);
    }
    return index;
  }
  std::vector<uint32_t> place(PlacingFacts facts) {
    SluiceTaskProgram &program = builder.finish();
    Result<TaskMap> map = TaskMap::of(program);
    EXPECT_TRUE(map.ok()) << map.status().message();
    facts.wanted.resize(program.numTasks, anywhere);
    if (Status status = addNeeds(program, facts.wanted); !status.ok()) {
      problem = status.message();
      return {};
    }
    return placeTasks(program, *map, facts);
  }
  std::string refused(std::string_view text, uint32_t numRanks = 3) {
    Result<std::vector<uint32_t>> places =
        readPlaces(builder.finish(), text, "places", numRanks);
    return places.ok() ? "" : places.status().message();
  }

  ProgramBuilder builder{"graph"};
  std::deque<std::vector<int64_t>> shapes;
  std::vector<uint32_t> objects;
  const int64_t one = 1;
  std::string problem;
};
} // namespace

TEST_F(PlacesTest, SpreadIndependentTasksAndKeepChainsTogether) {
  std::vector<uint32_t> data;
  for (const char *name : {"a", "b", "c", "d"})
    data.push_back(array(name));
  for (uint32_t one : data)
    task("first", {{one, in | out}});
  for (uint32_t one : data)
    task("second", {{one, in | out}});
  PlacingFacts facts;
  facts.numRanks = 4;
  const std::vector<uint32_t> ranks = place(facts);
  ASSERT_EQ(ranks.size(), 8u);
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ranks[i], i);
    EXPECT_EQ(ranks[i + 4], i);
  }
}

TEST_F(PlacesTest, GoByMeasuredTimes) {
  for (const char *name : {"a", "b", "c"})
    task(name, {{array(name), in | out}});
  PlacingFacts facts;
  facts.numRanks = 2;
  facts.times = {1'000'000, 5'000'000, 1'000'000};
  EXPECT_EQ(place(facts), std::vector<uint32_t>({1, 0, 1}));
}

TEST_F(PlacesTest, UseAllWorkersOfARank) {
  for (const char *name : {"a", "b", "c", "d"})
    task(name, {{array(name), in | out}});
  PlacingFacts facts;
  facts.numRanks = 2;
  facts.numWorkers = 2;
  EXPECT_EQ(place(facts), std::vector<uint32_t>({0, 0, 1, 1}));
}

/// Sending takes longer than computing.
TEST_F(PlacesTest, KeepLargeDataWhereTheyAre) {
  const uint32_t big = array("big", 1 << 20), other = array("other");
  task("make", {{big, in | out}});
  task("use", {{big, in}, {other, in | out}});
  task("again", {{big, in}, {array("more"), in | out}});
  PlacingFacts facts;
  facts.numRanks = 2;
  facts.times = {1000, 1000, 1000};
  EXPECT_EQ(place(facts), std::vector<uint32_t>({0, 0, 0}));
}

TEST_F(PlacesTest, KeepToRank0WhatShowsOrKeeps) {
  const uint32_t a = array("a"), b = array("b"), c = array("c");
  const uint32_t marked = task("marked", {{a, in | out}});
  const uint32_t writer = task("writer", {{b, in | out}});
  const uint32_t reader = task("reader", {{c, in | out}});
  const uint32_t silent = task("silent", {{c, in}});
  builder.record(marked).flags = SLUICE_TASK_ONLY_RANK_0;
  builder.writesFile(writer, "file");
  builder.readsFile(reader, "file");
  PlacingFacts facts;
  facts.numRanks = 3;
  EXPECT_EQ(place(facts), std::vector<uint32_t>(4, 0));
  for (uint32_t task : {marked, writer, reader, silent}) {
    facts.wanted.assign(4, anywhere);
    facts.wanted[task] = 2;
    problem.clear();
    place(facts);
    EXPECT_TRUE(
        problem.starts_with(concat("task '", builder.program.tasks[task].name,
                                   "' is placed on rank 2, but it ")))
        << problem;
  }
}

TEST_F(PlacesTest, KeepObjectsOnARank) {
  const uint32_t p = object("p"), q = object("q"), r = object("r");
  const uint32_t a = array("a"), b = array("b");
  task("one", {{p, in | out}, {a, in | out}});
  task("two", {{q, in | out}, {b, in | out}});
  task("three", {{r, in | out}});
  task("both", {{p, in | out}, {q, in | out}});
  PlacingFacts facts;
  facts.numRanks = 3;
  std::vector<uint32_t> ranks = place(facts);
  EXPECT_EQ(ranks[0], ranks[1]);
  EXPECT_EQ(ranks[0], ranks[3]);
  EXPECT_NE(ranks[0], ranks[2]);
  facts.wanted = {anywhere, 2, anywhere, anywhere};
  ranks = place(facts);
  EXPECT_EQ(ranks[0], 2u);
  EXPECT_EQ(ranks[3], 2u);
  facts.wanted = {1, 2, anywhere, anywhere};
  place(facts);
  EXPECT_EQ(problem, "tasks 'one' and 'two' are for ranks 1 and 2, but they "
                     "use one object, 'q', or objects that a task joins; "
                     "objects stay on a rank");
}

TEST_F(PlacesTest, AreReadFromAFile) {
  task("a", {{array("x"), in | out}});
  task("mat mul#2", {{array("y"), in | out}});
  task("c", {{array("z"), in | out}});
  Result<std::vector<uint32_t>> places = readPlaces(
      builder.finish(), " # comment\n\n  c 2\r\nmat mul#2\t1", "places", 3);
  ASSERT_TRUE(places.ok()) << places.status().message();
  EXPECT_EQ(*places, std::vector<uint32_t>({anywhere, 1, 2}));
}

TEST_F(PlacesTest, RefuseFilesThatMakeNoSense) {
  task("a", {{array("x"), in | out}});
  EXPECT_EQ(refused("a\n"), "places:1: expected the name of a task and a rank, "
                            "found 'a'");
  EXPECT_EQ(refused("\nb 1\n"), "places:2: there is no task 'b'");
  for (const char *rank : {"3", "-1", "x", "1x", "99999999999"})
    EXPECT_EQ(refused(std::string("a ") + rank),
              std::string("places:1: task 'a' is placed on rank '") + rank +
                  "', expected a number from 0 to 2");
  EXPECT_EQ(refused("a 1\na 1\n"), "places:2: task 'a' stands here twice");
  EXPECT_EQ(refused(""), "");
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

TEST_F(PlacesTest, KnowTheElementsOfParts) {
  const uint32_t data = builder.data("a", {4, 6});
  const uint32_t index = builder.task("part", {{data, in | out}},
                                      [](const TaskCall &) { return 0; });
  // Rows 1 and 3, columns 0, 2 and 4; all of row 2; nothing.
  const int64_t shape[] = {2, 3}, strides[] = {12, 2};
  const int64_t row[] = {1, 6}, rowStrides[] = {77, 1}, none[] = {0, 6};
  builder.argument(index, {data, out, {2, 8, 6, shape, strides}});
  builder.argument(index, {data, in, {2, 8, 12, row, rowStrides}});
  builder.argument(index, {data, in | out, {2, 8, 0, none, rowStrides}});
  Result<TaskMap> map = TaskMap::of(builder.finish());
  ASSERT_TRUE(map.ok()) << map.status().message();
  ASSERT_EQ(map->accesses[0].size(), 1u);
  std::vector<int64_t> read, written;
  for (const SluiceRun &run : map->accesses[0][0].reads)
    for (int64_t i = run.begin; i < run.end; ++i)
      read.push_back(i);
  for (const SluiceRun &run : map->accesses[0][0].writes)
    for (int64_t i = run.begin; i < run.end; ++i)
      written.push_back(i);
  EXPECT_EQ(read, std::vector<int64_t>({12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(written, std::vector<int64_t>({6, 8, 10, 18, 20, 22}));
}

TEST_F(PlacesTest, RefuseElementsOutside) {
  const uint32_t data = builder.data("a", {4});
  const uint32_t index = builder.task("part", {{data, in | out}},
                                      [](const TaskCall &) { return 0; });
  const int64_t shape[] = {3};
  builder.argument(index, {data, out, {1, 8, 2, shape, &one}});
  Result<TaskMap> map = TaskMap::of(builder.finish());
  ASSERT_FALSE(map.ok());
  EXPECT_EQ(map.status().message(),
            "task graph 'graph': task 'part' was given elements 2 to 5 of "
            "dataset 'a', which has 4");
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

TEST(TaskTimes, AreKeptAsText) {
  const std::vector<uint64_t> times = {0, 17, 1'000'000'000};
  EXPECT_EQ(timesOf(timesText(times), 3), times);
  const std::vector<uint64_t> none(3, 0);
  for (const char *text : {"", "1\n2\n", "1\n2\n3\n4\n", "1\n2\nx\n", "1\n2\n3",
                           "1\n-2\n3\n", "1\n2\n99999999999999999999999\n"})
    EXPECT_EQ(timesOf(text, 3), none) << text;
  EXPECT_EQ(timesOf("18446744073709551615\n", 1)[0], 1'000'000'000'000'000u);
}
