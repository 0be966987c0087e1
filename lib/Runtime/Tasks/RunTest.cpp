//===- RunTest.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole runs of small task graphs: values, order, repeated and concurrent runs.
//
//===----------------------------------------------------------------------===//

#include "Testing/ProgramBuilder.h"

#include <algorithm>
#include <atomic>
#include <thread>

using namespace sluice::test;

using Values = std::vector<double>;

/// The parameter is the number of workers.
class RunTest : public testing::TestWithParam<unsigned> {};

/// B = -A, A += B * 0 + 1, C = A + B
static void buildMatrix(ProgramBuilder &builder) {
  uint32_t a = builder.data("A", {3, 2}, {1, -2, 3, 4, 5, -6});
  uint32_t b = builder.data("B", {3, 2});
  uint32_t c = builder.data("C", {3, 2});
  builder.task("negate", {{a, in}, {b, out}}, [=](const TaskCall &call) {
    for (int i = 0; i < 6; ++i)
      call.values(b)[i] = -call.values(a)[i];
    return 0;
  });
  builder.task("increment", {{a, inOut}}, [=](const TaskCall &call) {
    for (int i = 0; i < 6; ++i)
      call.values(a)[i] += 1;
    return 0;
  });
  builder.task("add", {{a, in}, {b, in}, {c, inOut}},
               [=](const TaskCall &call) {
                 for (int i = 0; i < 6; ++i)
                   call.values(c)[i] += call.values(a)[i] + call.values(b)[i];
                 return 0;
               });
}

TEST_P(RunTest, GivesTheSameValuesAgainAndAgain) {
  ProgramBuilder builder;
  buildMatrix(builder);
  OwnedRun run(builder.finish(), GetParam());
  EXPECT_EQ(sluiceTaskRunData(run.run, 0), nullptr);
  for (int round = 0; round < 50; ++round) {
    ASSERT_EQ(run.execute(), "");
    EXPECT_EQ(run.values(0, 6), (Values{2, -1, 4, 5, 6, -5}));
    EXPECT_EQ(run.values(1, 6), (Values{-1, 2, -3, -4, -5, 6}));
    EXPECT_EQ(run.values(2, 6), (Values{1, 1, 1, 1, 1, 1}));
  }
}

TEST(RunWorkersTest, HaveOneLimit) {
  ProgramBuilder builder;
  buildMatrix(builder);
  SluiceTaskRunOptions options = {sizeof(options), 0, 0, 99999};
  const char *error = nullptr;
  EXPECT_EQ(sluiceTaskRunCreate(&builder.finish(), &options, &error), nullptr);
  EXPECT_STREQ(error, "the number of workers is '99999', expected a number "
                      "from 1 to 1024");
}

TEST_P(RunTest, StartsFromOtherInitialValues) {
  ProgramBuilder builder;
  buildMatrix(builder);
  OwnedRun run(builder.finish(), GetParam());
  Values other = {0, 0, 0, 0, 0, 9};
  sluiceTaskRunSetInitial(run.run, 0, other.data());
  other.assign(6, 77); // It was copied.
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(run.execute(), "");
    EXPECT_EQ(run.values(0, 6), (Values{1, 1, 1, 1, 1, 10}));
  }
  sluiceTaskRunSetInitial(run.run, 0, nullptr);
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(run.values(0, 6), (Values{2, -1, 4, 5, 6, -5}));
}

TEST_P(RunTest, KeepsNothingUnlessAskedTo) {
  ProgramBuilder builder;
  buildMatrix(builder);
  OwnedRun run(builder.finish(), GetParam(), false);
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(sluiceTaskRunData(run.run, 0), nullptr);
}

TEST_P(RunTest, GivesDatasetsNobodyUses) {
  ProgramBuilder builder;
  uint32_t with = builder.data("with", {2}, {4, 5});
  uint32_t without = builder.data("without", {3});
  uint32_t none = builder.data("none", {0});
  builder.task("nothing", {}, [](const TaskCall &) { return 0; });
  OwnedRun run(builder.finish(), GetParam());
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(run.values(with, 2), (Values{4, 5}));
  EXPECT_EQ(run.values(without, 3), (Values{0, 0, 0}));
  EXPECT_NE(sluiceTaskRunData(run.run, none), nullptr);
  EXPECT_EQ(sluiceTaskRunData(run.run, 3), nullptr);
}

TEST_P(RunTest, AlignsAndSeparatesDatasets) {
  ProgramBuilder builder;
  for (int64_t size : {1, 7, 100000, 3, 2000000, 8, 9, 100001})
    builder.data("data", {size});
  builder.task("fill", {}, [](const TaskCall &) { return 0; });
  OwnedRun run(builder.finish(), GetParam());
  ASSERT_EQ(run.execute(), "");
  std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
  for (uint32_t i = 0; i < builder.program.numData; ++i) {
    auto first = reinterpret_cast<uintptr_t>(sluiceTaskRunData(run.run, i));
    EXPECT_EQ(first % 64, 0u);
    ranges.push_back({first, first + builder.program.data[i].size});
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    EXPECT_LE(ranges[i - 1].second, ranges[i].first);
}

/// Many tasks meet at the first use of one dataset.
TEST_P(RunTest, FillsADatasetOnceForAllThatReadIt) {
  constexpr size_t count = 100000;
  ProgramBuilder builder;
  uint32_t shared = builder.data("shared", {count}, Values(count, 3));
  std::vector<uint32_t> sums;
  for (int i = 0; i < 16; ++i) {
    uint32_t sum = builder.data("sum", {1});
    sums.push_back(sum);
    builder.task("sum", {{shared, in}, {sum, out}}, [=](const TaskCall &call) {
      for (size_t k = 0; k < count; ++k)
        call.values(sum)[0] += call.values(shared)[k];
      return 0;
    });
  }
  OwnedRun run(builder.finish(), GetParam());
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(run.execute(), "");
    for (uint32_t sum : sums)
      ASSERT_EQ(run.values(sum, 1), Values{3.0 * count});
  }
}

TEST_P(RunTest, RunsSeriallyInTheOrderOfThePlan) {
  ProgramBuilder builder;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i)
    builder.task("task", {}, [&order, i](const TaskCall &) {
      order.push_back(i);
      return 0;
    });
  OwnedRun run(builder.finish(), GetParam(), true, true);
  for (int round = 0; round < 20; ++round) {
    order.clear();
    ASSERT_EQ(run.execute(), "");
    ASSERT_EQ(order.size(), 100u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  }
}

TEST(RunsTest, OneWorkerGoesInTheOrderOfThePlan) {
  ProgramBuilder builder;
  std::vector<int> order;
  for (int i = 0; i < 10; ++i)
    builder.task("task", {}, [&order, i](const TaskCall &) {
      order.push_back(i);
      return 0;
    });
  OwnedRun run(builder.finish(), 1);
  ASSERT_EQ(run.execute(), "");
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

/// Independent tasks run at the same time, also in the first run.
TEST(RunsTest, IndependentTasksMeet) {
  for (int round = 0; round < 20; ++round) {
    ProgramBuilder builder;
    std::atomic<int> numThere{0};
    for (int i = 0; i < 2; ++i)
      builder.task("meets", {}, [&](const TaskCall &) {
        ++numThere;
        while (numThere < 2)
          std::this_thread::yield();
        return 0;
      });
    OwnedRun run(builder.finish(), 2);
    for (int repetition = 0; repetition < 3; ++repetition) {
      numThere = 0;
      ASSERT_EQ(run.execute(), "");
    }
  }
}

TEST_P(RunTest, ManyTasksInChainsAndBeside) {
  ProgramBuilder builder;
  std::vector<uint32_t> cells;
  for (int i = 0; i < 8; ++i)
    cells.push_back(builder.data("cell", {1}, {double(i)}));
  for (int i = 0; i < 200; ++i) {
    uint32_t from = cells[i * 5 % 8], to = cells[(i * 5 + 3) % 8];
    builder.task("step", {{from, in}, {to, inOut}}, [=](const TaskCall &call) {
      *call.values(to) = 0.5 * *call.values(to) + *call.values(from) + 1;
      return 0;
    });
  }
  SluiceTaskProgram &program = builder.finish();
  OwnedRun serial(program, GetParam(), true, true), run(program, GetParam());
  ASSERT_EQ(serial.execute(), "");
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(run.execute(), "");
    for (uint32_t cell : cells)
      ASSERT_EQ(run.values(cell, 1), serial.values(cell, 1));
  }
}

TEST_P(RunTest, SeveralRunsAtOnce) {
  ProgramBuilder builder;
  buildMatrix(builder);
  SluiceTaskProgram &program = builder.finish();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        OwnedRun run(program, GetParam());
        for (int repetition = 0; repetition < 5; ++repetition)
          ASSERT_EQ(run.execute(), "");
        ASSERT_EQ(run.values(0, 6), (Values{2, -1, 4, 5, 6, -5}));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(RunsTest, OneRunObjectRunsOnceAtATime) {
  ProgramBuilder builder("alone");
  std::atomic<bool> isInside{false}, mayEnd{false};
  builder.task("waits", {}, [&](const TaskCall &) {
    isInside = true;
    while (!mayEnd)
      std::this_thread::yield();
    return 0;
  });
  OwnedRun run(builder.finish());
  std::thread other([&] { EXPECT_EQ(run.execute(), ""); });
  while (!isInside)
    std::this_thread::yield();
  EXPECT_EQ(run.execute(),
            "the run of graph 'alone' is going on: one object runs it once at "
            "a time; create another one to run it beside");
  mayEnd = true;
  other.join();
  EXPECT_EQ(run.execute(), "");
}

TEST_P(RunTest, ATaskCannotRunAGraph) {
  ProgramBuilder inner("inner"), outer("outer");
  inner.task("never", {}, [](const TaskCall &) {
    ADD_FAILURE();
    return 0;
  });
  OwnedRun innerRun(inner.finish(), GetParam());
  std::string error;
  outer.task("calls", {}, [&](const TaskCall &) {
    error = innerRun.execute();
    return 0;
  });
  OwnedRun run(outer.finish(), GetParam());
  EXPECT_EQ(run.execute(), "");
  EXPECT_EQ(error, "code of a node or task called launch, which only host "
                   "code may; graphs run before or after the one that runs "
                   "now, not within");
}

TEST_P(RunTest, PreparesAProgramOnce) {
  static std::atomic<int> numCalls;
  numCalls = 0;
  ProgramBuilder builder;
  builder.task("task", {}, [](const TaskCall &) { return 0; });
  SluiceTaskProgram &program = builder.finish();
  program.prepare = [] { ++numCalls; };
  OwnedRun first(program, GetParam()), second(program, GetParam());
  EXPECT_EQ(numCalls, 0);
  for (OwnedRun *run : {&first, &second, &first})
    EXPECT_EQ(run->execute(), "");
  EXPECT_EQ(numCalls, 1);
}

TEST_P(RunTest, KnowsTheCurrentTask) {
  EXPECT_EQ(sluiceTaskCurrent(), nullptr);
  ProgramBuilder builder;
  std::string name;
  builder.task("blur", {}, [&](const TaskCall &) {
    name = sluiceTaskCurrent();
    return 0;
  });
  OwnedRun run(builder.finish(), GetParam());
  EXPECT_EQ(run.execute(), "");
  EXPECT_EQ(name, "blur");
  EXPECT_EQ(sluiceTaskCurrent(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Workers, RunTest, testing::Values(1, 2, 3, 8));
