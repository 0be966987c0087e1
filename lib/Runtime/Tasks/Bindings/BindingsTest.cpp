//===- BindingsTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datasets in memory of the caller: nothing is copied, what is not possible is
// refused, and checked runs leave the same values there.
//
//===----------------------------------------------------------------------===//

#include "../Testing/ProgramBuilder.h"

#include <cstdlib>

using namespace sluice::test;

using Values = std::vector<double>;

static std::string bind(OwnedRun &run, uint32_t data, double *memory,
                        bool isReadOnly = false) {
  const char *error = sluiceTaskRunBind(run.run, data, memory, isReadOnly);
  return error ? error : "";
}

namespace {
/// b = a + 1, a task each way: a is read, b is written.
class BindingsTest : public testing::Test {
protected:
  BindingsTest() {
    a = builder.data("a", {4}, {1, 2, 3, 4});
    b = builder.data("b", {4});
    builder.task("next", {{a, in}, {b, out}}, [this](const TaskCall &call) {
      addresses = {call.values(a), call.values(b)};
      for (int i = 0; i < 4; ++i)
        call.values(b)[i] = call.values(a)[i] + 1;
      return isFailing;
    });
  }

  ProgramBuilder builder;
  uint32_t a = 0, b = 0;
  int isFailing = 0;
  std::vector<double *> addresses;
};
} // namespace

TEST_F(BindingsTest, TasksWorkInPlace) {
  OwnedRun run(builder.finish());
  Values from = {5, 6, 7, 8}, to(4);
  ASSERT_EQ(bind(run, a, from.data(), true), "");
  ASSERT_EQ(bind(run, b, to.data()), "");
  for (int round = 0; round < 3; ++round) {
    from[0] = round;
    ASSERT_EQ(run.execute(), "");
    EXPECT_EQ(addresses, (std::vector<double *>{from.data(), to.data()}));
    EXPECT_EQ(to, (Values{round + 1.0, 7, 8, 9}));
    EXPECT_EQ(sluiceTaskRunData(run.run, b), to.data());
  }
  Values other(4);
  ASSERT_EQ(bind(run, b, other.data()), "");
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(other, to);
}

TEST_F(BindingsTest, MemoryOfTheRunIsUsedAgain) {
  OwnedRun run(builder.finish());
  Values from = {5, 6, 7, 8};
  ASSERT_EQ(bind(run, a, from.data()), "");
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(run.values(b, 4), (Values{6, 7, 8, 9}));
  ASSERT_EQ(bind(run, a, nullptr), "");
  ASSERT_EQ(run.execute(), "");
  EXPECT_EQ(run.values(b, 4), (Values{2, 3, 4, 5}));
  EXPECT_EQ(from, (Values{5, 6, 7, 8}));
}

TEST_F(BindingsTest, FailuresLeaveWhatWasWritten) {
  OwnedRun run(builder.finish());
  Values to(4);
  ASSERT_EQ(bind(run, b, to.data()), "");
  isFailing = 1;
  EXPECT_NE(run.execute(), "");
  EXPECT_EQ(to, (Values{2, 3, 4, 5}));
  isFailing = 0;
  EXPECT_EQ(run.execute(), "");
}

TEST_F(BindingsTest, WhatIsNotPossible) {
  OwnedRun run(builder.finish());
  Values memory(10);
  auto *shifted =
      reinterpret_cast<double *>(reinterpret_cast<char *>(memory.data()) + 4);
  EXPECT_EQ(bind(run, a, shifted),
            "the array for dataset 'a' is not aligned: its elements have 8 "
            "bytes, and the first one is 4 bytes behind a multiple of that; "
            "use a copy");
  EXPECT_EQ(bind(run, b, memory.data(), true),
            "the array for dataset 'b' is read-only, but task 'next' writes "
            "it");
  EXPECT_EQ(bind(run, 9, memory.data()),
            "graph 'graph' has 2 datasets, so none is 9");
  EXPECT_EQ(run.execute(), "");
}

TEST_F(BindingsTest, ArraysOverlapOnlyIfTheyAreRead) {
  uint32_t c = builder.data("c", {4});
  builder.task("read", {{a, in}, {c, in}}, [](const TaskCall &) { return 0; });
  OwnedRun run(builder.finish());
  Values memory(16);
  ASSERT_EQ(bind(run, a, memory.data()), "");
  ASSERT_EQ(bind(run, c, memory.data() + 2), "");
  ASSERT_EQ(bind(run, b, memory.data() + 6), "");
  EXPECT_EQ(run.execute(), ""); // b begins where c ends
  ASSERT_EQ(bind(run, b, memory.data() + 5), "");
  EXPECT_EQ(run.execute(),
            "the arrays for the datasets 'c' and 'b' share memory, and task "
            "'next' writes 'b'; use a copy of one, or parts of one dataset");
  ASSERT_EQ(bind(run, c, memory.data() + 10), "");
  EXPECT_EQ(run.execute(), "");
  ASSERT_EQ(bind(run, a, memory.data() + 7), "");
  EXPECT_EQ(run.execute(),
            "the arrays for the datasets 'b' and 'a' share memory, and task "
            "'next' writes 'b'; use a copy of one, or parts of one dataset");
}

/// Against every pair, for arrays at random places.
TEST_F(BindingsTest, OverlapsAreFoundAmongMany) {
  constexpr uint32_t count = 8;
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    ProgramBuilder many;
    std::vector<bool> isWritten;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t data = many.data("x", {1 + int(random() % 4)});
      isWritten.push_back(random() % 3 == 0);
      many.task("use", {{data, isWritten.back() ? inOut : in}},
                [](const TaskCall &) { return 0; });
    }
    OwnedRun run(many.finish());
    Values memory(40);
    std::vector<size_t> begin, end;
    for (uint32_t i = 0; i < count; ++i) {
      begin.push_back(random() % 36);
      end.push_back(begin[i] + many.program.data[i].size / 8);
      ASSERT_EQ(bind(run, i, memory.data() + begin[i]), "");
    }
    bool isWrong = false;
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t k = 0; k < i; ++k)
        isWrong |= (isWritten[i] || isWritten[k]) && begin[i] < end[k] &&
                   begin[k] < end[i];
    EXPECT_EQ(run.execute() != "", isWrong) << seed;
  }
}

TEST_F(BindingsTest, CheckedRunsLeaveTheSame) {
  ::setenv("SLUICE_CHECK", "1", 1);
  SluiceTaskView view{1, 8, 0, nullptr, nullptr};
  int64_t shape = 4, stride = 1;
  view.shape = &shape;
  view.strides = &stride;
  builder.argument(0, {a, in, view});
  builder.argument(0, {b, out, view});
  OwnedRun run(builder.finish());
  ::unsetenv("SLUICE_CHECK");
  Values from = {5, 6, 7, 8}, to(4);
  ASSERT_EQ(bind(run, a, from.data(), true), "");
  ASSERT_EQ(bind(run, b, to.data()), "");
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(run.execute(), "");
    EXPECT_NE(addresses[0], from.data());
    EXPECT_EQ(to, (Values{6, 7, 8, 9}));
    EXPECT_EQ(run.values(b, 4), to);
    to.assign(4, 0);
  }
}
