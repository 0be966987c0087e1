//===- HalideTasksTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Halide's generated code does with a runtime: parallel loops, and stages
// that wait for each other by semaphores, at several depths.
//
//===----------------------------------------------------------------------===//

#include "Testing/ProgramBuilder.h"

#include <atomic>
#include <functional>
#include <stdexcept>

using namespace sluice::test;

namespace {
/// As in HalideRuntime.h.
struct Semaphore {
  uint64_t content[2] = {};
};
struct Acquire {
  Semaphore *semaphore;
  int count;
};
struct Stage {
  int (*function)(void *, int, int, uint8_t *, void *);
  uint8_t *closure;
  const char *name;
  Acquire *acquires;
  int numAcquires;
  int min, extent;
  int minThreads;
  bool isSerial;
};
using StageBody = std::function<int(int index, void *parent)>;
} // namespace

static Stage stage(const StageBody &body, int extent, bool isSerial,
                   std::vector<Acquire> &acquires) {
  return {[](void *, int min, int extent, uint8_t *closure, void *parent) {
            auto &body = *reinterpret_cast<const StageBody *>(closure);
            for (int i = min; i < min + extent; ++i)
              if (int result = body(i, parent))
                return result;
            return 0;
          },
          reinterpret_cast<uint8_t *>(const_cast<StageBody *>(&body)),
          "stage",
          acquires.data(),
          static_cast<int>(acquires.size()),
          0,
          extent,
          1,
          isSerial};
}

/// A producer fills a ring of two cells, a consumer adds them up; below it
/// `inner` may be a pipeline of the same kind.
static int runPipeline(int count, std::vector<int> &seen, int failAt,
                       void *parent, const StageBody &inner) {
  int ring[2] = {};
  Semaphore filled, free;
  sluiceHalideSemaphoreInit(&filled, 0);
  sluiceHalideSemaphoreInit(&free, 2);
  StageBody produce = [&](int i, void *self) {
    ring[i % 2] = 10 * i;
    if (int result = inner(i, self))
      return result;
    sluiceHalideSemaphoreRelease(&filled, 1);
    return i == failAt ? -3 : 0;
  };
  StageBody consume = [&](int i, void *self) {
    seen.push_back(ring[i % 2]);
    if (int result = inner(i, self))
      return result;
    sluiceHalideSemaphoreRelease(&free, 1);
    return i == failAt - 1000 ? -4 : 0;
  };
  std::vector<Acquire> needsFree = {{&free, 1}}, needsFilled = {{&filled, 1}};
  Stage stages[] = {stage(produce, count, true, needsFree),
                    stage(consume, count, true, needsFilled)};
  return sluiceHalideParallelTasks(nullptr, 2, stages, parent);
}

/// The parameter is the number of workers.
class HalideTasksTest : public testing::TestWithParam<unsigned> {
protected:
  std::string run(const TaskBody &body) {
    ProgramBuilder builder;
    builder.task("task", {}, body);
    OwnedRun run(builder.finish(), GetParam());
    return run.execute();
  }
};

static const StageBody none = [](int, void *) { return 0; };

TEST_P(HalideTasksTest, Loops) {
  EXPECT_EQ(run([](const TaskCall &) {
              std::atomic<int> numCalls[100] = {};
              auto *closure = reinterpret_cast<uint8_t *>(numCalls);
              auto task = [](void *context, int index, uint8_t *closure) {
                ++reinterpret_cast<std::atomic<int> *>(closure)[index - 7];
                return context && index == 50 ? -9 : 0;
              };
              EXPECT_EQ(sluiceHalideParFor(nullptr, task, 7, 100, closure), 0);
              for (std::atomic<int> &number : numCalls)
                EXPECT_EQ(number, 1);
              EXPECT_EQ(sluiceHalideParFor(closure, task, 7, 100, closure), -9);
              return 0;
            }),
            "");
}

TEST_P(HalideTasksTest, Semaphores) {
  Semaphore semaphore;
  EXPECT_EQ(sluiceHalideSemaphoreInit(&semaphore, 2), 2);
  EXPECT_FALSE(sluiceHalideSemaphoreTryAcquire(&semaphore, 3));
  EXPECT_TRUE(sluiceHalideSemaphoreTryAcquire(&semaphore, 2));
  EXPECT_TRUE(sluiceHalideSemaphoreTryAcquire(&semaphore, 0));
  EXPECT_FALSE(sluiceHalideSemaphoreTryAcquire(&semaphore, 1));
  EXPECT_EQ(sluiceHalideSemaphoreRelease(&semaphore, 5), 5);
  EXPECT_TRUE(sluiceHalideSemaphoreTryAcquire(&semaphore, 5));
}

TEST_P(HalideTasksTest, ProducerAndConsumer) {
  EXPECT_EQ(run([](const TaskCall &) {
              std::vector<int> seen, expected;
              for (int i = 0; i < 500; ++i)
                expected.push_back(10 * i);
              EXPECT_EQ(runPipeline(500, seen, -1, nullptr, none), 0);
              EXPECT_EQ(seen, expected);
              return 0;
            }),
            "");
}

/// Two pipelines wait for each other's inner ones on every level.
TEST_P(HalideTasksTest, PipelinesInside) {
  EXPECT_EQ(run([](const TaskCall &) {
              StageBody inner = [](int i, void *parent) {
                std::vector<int> seen;
                int result = runPipeline(3, seen, -1, parent, none);
                EXPECT_EQ(seen, (std::vector<int>{0, 10, 20}));
                return result;
              };
              std::vector<int> seen;
              EXPECT_EQ(runPipeline(20, seen, -1, nullptr, inner), 0);
              EXPECT_EQ(seen.size(), 20u);
              return 0;
            }),
            "");
}

TEST_P(HalideTasksTest, LoopsInsideOfStages) {
  EXPECT_EQ(run([](const TaskCall &) {
              std::atomic<int> numCalls{0};
              StageBody inner = [&](int, void *parent) {
                StageBody row = [&](int, void *) {
                  ++numCalls;
                  return 0;
                };
                std::vector<Acquire> nothing;
                Stage loop = stage(row, 50, false, nothing);
                return sluiceHalideParallelTasks(nullptr, 1, &loop, parent);
              };
              std::vector<int> seen;
              EXPECT_EQ(runPipeline(20, seen, -1, nullptr, inner), 0);
              EXPECT_EQ(numCalls, 2 * 20 * 50);
              return 0;
            }),
            "");
}

TEST_P(HalideTasksTest, AFailingStageEndsTheOthers) {
  EXPECT_EQ(run([](const TaskCall &) {
              for (int round = 0; round < 20; ++round) {
                std::vector<int> seen;
                EXPECT_EQ(runPipeline(100, seen, round, nullptr, none), -3);
                seen.clear();
                EXPECT_EQ(runPipeline(100, seen, 1000 + round, nullptr, none),
                          -4);
                // One inside of others.
                StageBody inner = [](int i, void *parent) {
                  std::vector<int> seen;
                  return runPipeline(5, seen, i == 3 ? 2 : -1, parent, none);
                };
                EXPECT_EQ(runPipeline(100, seen, -1, nullptr, inner), -3);
              }
              return 0;
            }),
            "");
}

TEST_P(HalideTasksTest, ErrorsOfStagesBelongToTheTask) {
  EXPECT_EQ(run([](const TaskCall &) {
              StageBody inner = [](int i, void *) {
                if (i != 7)
                  return 0;
                EXPECT_STREQ(sluiceTaskCurrent(), "task");
                sluiceHalideError(nullptr, "out of bounds");
                return -28;
              };
              std::vector<int> seen;
              return runPipeline(100, seen, -1, nullptr, inner);
            }),
            "task 'task' (kernel at meta.cpp:2:3): out of bounds");
  EXPECT_EQ(run([](const TaskCall &) {
              StageBody inner = [](int i, void *) -> int {
                if (i == 7)
                  throw std::runtime_error("from a stage");
                return 0;
              };
              std::vector<int> seen;
              return runPipeline(100, seen, -1, nullptr, inner);
            }),
            "task 'task' (kernel at meta.cpp:2:3): an exception left it: from "
            "a stage");
}

TEST_P(HalideTasksTest, OneStageAlone) {
  EXPECT_EQ(
      run([](const TaskCall &) {
        int order = 0;
        StageBody body = [&](int i, void *) {
          EXPECT_EQ(order++, i);
          return 0;
        };
        std::vector<Acquire> nothing;
        Stage alone = stage(body, 30, true, nothing);
        EXPECT_EQ(sluiceHalideParallelTasks(nullptr, 1, &alone, nullptr), 0);
        EXPECT_EQ(order, 30);
        EXPECT_EQ(sluiceHalideParallelTasks(nullptr, 0, nullptr, nullptr), 0);
        return 0;
      }),
      "");
}

TEST_P(HalideTasksTest, CallsThroughTheRuntime) {
  uint8_t closure = 5;
  EXPECT_EQ(sluiceHalideDoTask(
                nullptr, [](void *, int i, uint8_t *c) { return i + *c; }, 2,
                &closure),
            7);
  EXPECT_EQ(sluiceHalideDoLoopTask(
                nullptr,
                [](void *, int min, int extent, uint8_t *c, void *parent) {
                  return min + extent + *c + (parent ? 100 : 0);
                },
                1, 2, &closure, &closure),
            108);
}

INSTANTIATE_TEST_SUITE_P(Workers, HalideTasksTest, testing::Values(1, 2, 4));
