//===- ParallelTest.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that kernels share with the other workers.
//
//===----------------------------------------------------------------------===//

#include "Testing/ProgramBuilder.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

using namespace sluice::test;

/// The parameter is the number of workers.
class ParallelTest : public testing::TestWithParam<unsigned> {
protected:
  /// Runs one task with this body.
  std::string run(const TaskBody &body) {
    ProgramBuilder builder;
    builder.task("task", {}, body);
    OwnedRun run(builder.finish(), GetParam());
    return run.execute();
  }
};

using Body = std::function<int32_t(int64_t)>;

static int32_t parallelFor(int64_t begin, int64_t count, const Body &body) {
  return sluiceParallelFor(
      [](void *context, int64_t index) {
        return (*static_cast<const Body *>(context))(index);
      },
      const_cast<Body *>(&body), begin, count);
}

TEST_P(ParallelTest, CallsEachIndexOnce) {
  EXPECT_EQ(run([](const TaskCall &) {
              for (int64_t count : {0, 1, 2, 3, 17, 1000, 100000}) {
                std::vector<std::atomic<int>> calls(count);
                EXPECT_EQ(parallelFor(-5, count,
                                      [&](int64_t i) {
                                        ++calls[i + 5];
                                        return 0;
                                      }),
                          0);
                for (std::atomic<int> &number : calls)
                  EXPECT_EQ(number, 1);
              }
              EXPECT_EQ(parallelFor(0, -3, [](int64_t) { return 1; }), 0);
              return 0;
            }),
            "");
}

TEST_P(ParallelTest, WorkersTakePart) {
  const auto numWorkers = static_cast<int>(GetParam());
  EXPECT_EQ(run([&](const TaskCall &) {
              std::atomic<int> numThere{0};
              // As many iterations as workers, which wait for each other.
              parallelFor(0, numWorkers, [&](int64_t) {
                ++numThere;
                while (numThere < numWorkers)
                  std::this_thread::yield();
                return 0;
              });
              return 0;
            }),
            "");
}

TEST_P(ParallelTest, AFailureIsReturned) {
  EXPECT_EQ(run([](const TaskCall &) {
              for (int64_t bad : {0, 1, 500, 99999})
                EXPECT_EQ(
                    parallelFor(0, 100000,
                                [&](int64_t i) { return i == bad ? 7 : 0; }),
                    7);
              return 0;
            }),
            "");
}

TEST_P(ParallelTest, AFailureStopsTheLoop) {
  EXPECT_EQ(run([](const TaskCall &) {
              std::atomic<int64_t> numCalls{0};
              std::atomic<bool> hasFailed{false};
              parallelFor(0, 100000, [&](int64_t i) {
                ++numCalls;
                if (i == 0) {
                  hasFailed = true;
                  return 7;
                }
                while (!hasFailed)
                  std::this_thread::yield();
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                return 0;
              });
              EXPECT_LT(numCalls, 50000);
              return 0;
            }),
            "");
}

TEST_P(ParallelTest, ExceptionsReachTheCaller) {
  EXPECT_EQ(run([](const TaskCall &) -> int {
              return parallelFor(0, 1000, [](int64_t i) -> int32_t {
                if (i % 100 == 50)
                  throw std::runtime_error("bad row");
                return 0;
              });
            }),
            "task 'task' (kernel at meta.cpp:2:3): an exception left it: bad "
            "row");
}

TEST_P(ParallelTest, ErrorsBelongToTheTask) {
  EXPECT_EQ(run([](const TaskCall &) {
              return parallelFor(0, 64, [](int64_t) {
                EXPECT_STREQ(sluiceTaskCurrent(), "task");
                sluiceTaskError("bad row");
                return -1;
              });
            }),
            "task 'task' (kernel at meta.cpp:2:3): bad row");
}

static int64_t nestedSum(int depth, int64_t count) {
  if (depth == 0)
    return 1;
  std::atomic<int64_t> sum{0};
  parallelFor(0, count, [&](int64_t i) {
    sum += nestedSum(depth - 1, i % 3 == 0 ? count : 2);
    return 0;
  });
  return sum;
}

TEST_P(ParallelTest, NestedLoops) {
  int64_t expected = nestedSum(4, 7);
  EXPECT_EQ(run([&](const TaskCall &) {
              for (int round = 0; round < 30; ++round)
                EXPECT_EQ(nestedSum(4, 7), expected);
              return 0;
            }),
            "");
}

/// Every task of a graph has loops inside of loops, with other runs beside.
TEST_P(ParallelTest, NestedLoopsInManyTasksAndRuns) {
  int64_t expected = nestedSum(3, 6);
  ProgramBuilder builder;
  std::atomic<int> numWrong{0};
  for (int i = 0; i < 24; ++i) {
    builder.task("task", {}, [&](const TaskCall &) {
      numWrong += nestedSum(3, 6) != expected;
      return 0;
    });
    if (i >= 4)
      builder.order(i - 4, i);
  }
  SluiceTaskProgram &program = builder.finish();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      OwnedRun run(program, GetParam());
      for (int round = 0; round < 5; ++round)
        EXPECT_EQ(run.execute(), "");
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
}

TEST_P(ParallelTest, FromThreadsThatKernelsStart) {
  EXPECT_EQ(run([](const TaskCall &) {
              std::atomic<int64_t> sum{0};
              std::vector<std::thread> threads;
              for (int t = 0; t < 3; ++t)
                threads.emplace_back([&] {
                  parallelFor(0, 1000, [&](int64_t i) {
                    sum += i;
                    return 0;
                  });
                });
              for (std::thread &thread : threads)
                thread.join();
              EXPECT_EQ(sum, 3 * 999 * 500);
              return 0;
            }),
            "");
}

TEST_P(ParallelTest, OutsideOfRuns) {
  std::atomic<int64_t> sum{0};
  EXPECT_EQ(parallelFor(1, 100,
                        [&](int64_t i) {
                          sum += i;
                          return 0;
                        }),
            0);
  EXPECT_EQ(sum, 5050);
}

/// A worker that waits for the end of its loop takes part in those inside.
TEST(ParallelLoopsTest, WhoWaitsHelpsInside) {
  ProgramBuilder builder;
  std::atomic<int> numInside{0};
  builder.task("task", {}, [&](const TaskCall &) {
    return parallelFor(0, 2, [&](int64_t i) {
      if (i == 0)
        return 0;
      // The other worker has nothing left but to come here.
      return parallelFor(0, 2, [&](int64_t) {
        ++numInside;
        while (numInside < 2)
          std::this_thread::yield();
        return 0;
      });
    });
  });
  OwnedRun run(builder.finish(), 2);
  for (int round = 0; round < 50; ++round) {
    numInside = 0;
    ASSERT_EQ(run.execute(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ParallelTest, testing::Values(1, 2, 3, 8));
