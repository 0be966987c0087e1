//===- RunTest.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole runs of small task graphs: values, order, repeated and concurrent runs.
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include <atomic>
#include <thread>

using namespace sluice::test;

using Values = std::vector<double>;
constexpr uint32_t in = ProgramBuilder::in, out = ProgramBuilder::out,
                   inOut = ProgramBuilder::inOut;

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

INSTANTIATE_TEST_SUITE_P(Workers, RunTest, testing::Values(1, 2, 3, 8));
