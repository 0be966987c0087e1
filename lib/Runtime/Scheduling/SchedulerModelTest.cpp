//===- SchedulerModelTest.cpp - The scheduler in all orders ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the guarantees of the scheduler with a few threads, in every order
// that the memory model allows. The model itself is tested, too: each memory
// order and barrier of the code is weakened, and some scenario must fail then.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"
#include "Testing/ModelParts.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace sluice;
using namespace sluice::model;

namespace {

struct ModelTask {
  std::function<void(ModelWorker &)> body;
  unsigned timesRun = 0;
};

class ModelScheduler : public Scheduler<ModelParts> {
public:
  explicit ModelScheduler(unsigned numWorkers) {
    for (unsigned index = 0; index < numWorkers; ++index)
      workers.push_back(std::make_unique<ModelWorker>(index));
  }
  using Scheduler::stop;
  using Scheduler::work;
};

/// Threads around one scheduler. Each task is to be run once.
class SchedulerScenario : public Scenario {
public:
  explicit SchedulerScenario(unsigned numWorkers, unsigned numTasks)
      : scheduler(numWorkers), tasks(numTasks) {
    for (ModelTask &task : tasks)
      task.body = [this](ModelWorker &) { finishOne(); };
  }
  /// The first threads are those of workers, which nobody stops here.
  bool maySleepForGood(unsigned number) const override {
    return number < numThreads;
  }
  std::string problem() override {
    for (size_t i = 0; i < tasks.size(); ++i)
      if (tasks[i].timesRun != 1)
        return "task " + std::to_string(i) + " ran " +
               std::to_string(tasks[i].timesRun) + " times";
    return {};
  }
  uint64_t state() const override {
    uint64_t all = ModelParts::stateOf(
        static_cast<const Scheduler<ModelParts> &>(scheduler), end);
    for (const ModelTask &task : tasks)
      all = all * 8 + task.timesRun;
    return all;
  }

protected:
  WorkItem task(unsigned number) { return {&tasks[number], number}; }
  void finishOne() {
    numFinished.fetch_add(1, std::memory_order_acq_rel);
    end.notify();
  }
  void helpUntilFinished(unsigned count) {
    scheduler.helpUntil(end, [this, count] {
      return numFinished.load(std::memory_order_acquire) >= count;
    });
  }
  void sleepUntilFinished(unsigned count) {
    scheduler.sleepUntil(end, [this, count] {
      return numFinished.load(std::memory_order_acquire) >= count;
    });
  }

  ModelScheduler scheduler;
  /// So many threads, the first ones, may sleep when all is done.
  unsigned numThreads = 0;
  std::vector<ModelTask> tasks;
  ModelAtomic<uint32_t> numFinished{0};
  ModelScheduler::WaitPoint end;
};

/// One worker. A host thread leaves the seat while a second one goes to sleep
/// since the seat is taken, and a third one brings the task that the second
/// one waits for.
class LeaveBesideTask : public SchedulerScenario {
public:
  LeaveBesideTask() : SchedulerScenario(1, 1) {}
  std::vector<std::function<void()>> threads() override {
    return {[this] {
              if (scheduler.tryEnter())
                scheduler.leave();
            },
            [this] { helpUntilFinished(1); },
            [this] { scheduler.push(nullptr, task(0)); }};
  }
};

/// The same with a task that the leaver brings.
class LeaveWithTask : public SchedulerScenario {
public:
  LeaveWithTask() : SchedulerScenario(1, 1) {}
  std::vector<std::function<void()>> threads() override {
    return {[this] {
              ModelWorker *worker = scheduler.tryEnter();
              scheduler.push(worker, task(0));
              if (worker)
                scheduler.leave();
            },
            [this] { helpUntilFinished(1); }};
  }
};

/// Two host threads wait for one task each; who gets the seat may run both.
class TwoHelpers : public SchedulerScenario {
public:
  TwoHelpers() : SchedulerScenario(1, 2) {}
  std::vector<std::function<void()>> threads() override {
    return {[this] {
              scheduler.push(nullptr, task(0));
              helpUntilFinished(2);
            },
            [this] {
              scheduler.push(nullptr, task(1));
              helpUntilFinished(2);
            }};
  }
};

/// A thread that helps with nothing, and a worker.
class SleepWhileWorking : public SchedulerScenario {
public:
  SleepWhileWorking() : SchedulerScenario(2, 1) { numThreads = 1; }
  std::vector<std::function<void()>> threads() override {
    return {[this] { scheduler.work(scheduler.worker(1)); },
            [this] {
              scheduler.push(nullptr, task(0));
              sleepUntilFinished(1);
            }};
  }
};

/// A worker that is stopped while it looks for work, or sleeps.
class StopWorker : public SchedulerScenario {
public:
  StopWorker() : SchedulerScenario(2, 0) {}
  std::vector<std::function<void()>> threads() override {
    return {[this] { scheduler.work(scheduler.worker(1)); },
            [this] { scheduler.stop(); }};
  }
};

/// Two tasks that end only when both have begun: no worker may sleep while
/// the other one runs a task and the second task waits.
class TasksThatMeet : public SchedulerScenario {
public:
  explicit TasksThatMeet(unsigned numWorkers)
      : SchedulerScenario(numWorkers, 2) {
    for (unsigned i = 0; i < 2; ++i)
      tasks[i].body = [this, i](ModelWorker &) {
        begun[i].set();
        begun[1 - i].wait();
      };
  }

protected:
  std::array<ModelEvent, 2> begun;
};

/// Both are workers with threads.
class WorkersThatMeet : public TasksThatMeet {
public:
  WorkersThatMeet() : TasksThatMeet(3) { numThreads = 2; }
  std::vector<std::function<void()>> threads() override {
    return {[this] { scheduler.work(scheduler.worker(1)); },
            [this] { scheduler.work(scheduler.worker(2)); },
            [this] {
              scheduler.push(nullptr, task(0));
              scheduler.push(nullptr, task(1));
            }};
  }
};

/// A worker, and a host thread that helps until the worker has ended; a second
/// host thread brings the tasks.
class WorkerAndHostMeet : public TasksThatMeet {
public:
  WorkerAndHostMeet() : TasksThatMeet(2) { numThreads = 2; }
  std::vector<std::function<void()>> threads() override {
    return {[this] { scheduler.work(scheduler.worker(1)); },
            [this] { helpUntilFinished(1); },
            [this] {
              scheduler.push(nullptr, task(0));
              scheduler.push(nullptr, task(1));
            }};
  }
};

/// A host thread brings tasks from the seat and helps.
class SeatAndWorkerMeet : public TasksThatMeet {
public:
  SeatAndWorkerMeet() : TasksThatMeet(2) { numThreads = 2; }
  std::vector<std::function<void()>> threads() override {
    return {[this] { scheduler.work(scheduler.worker(1)); },
            [this] {
              ModelWorker *worker = scheduler.tryEnter();
              scheduler.push(worker, task(0));
              scheduler.push(worker, task(1));
              scheduler.leave();
              helpUntilFinished(1);
            }};
  }
};

/// The deque alone: its owner pushes more than fit at first and pops, others
/// steal. What a task points to is written before it is pushed.
class DequeScenario : public Scenario {
public:
  DequeScenario(unsigned numTasks, unsigned numThieves, unsigned numSteals,
                bool popsBetween)
      : numTasks(numTasks), numThieves(numThieves), numSteals(numSteals),
        popsBetween(popsBetween) {
    for (unsigned i = 0; i < numTasks; ++i)
      contents.push_back(std::make_unique<ModelAtomic<uint32_t>>(0));
  }
  std::vector<std::function<void()>> threads() override {
    std::vector<std::function<void()>> all;
    all.push_back([this] {
      for (unsigned i = 0; i < numTasks; ++i) {
        contents[i]->store(i + 1, std::memory_order_relaxed);
        deque.push({this, i + 1});
        if (popsBetween && i == 1)
          take(deque.pop());
      }
      while (WorkItem task = deque.pop())
        take(task);
    });
    for (unsigned i = 0; i < numThieves; ++i)
      all.push_back([this] {
        for (unsigned k = 0; k < numSteals; ++k)
          take(deque.steal());
      });
    return all;
  }
  std::string problem() override {
    for (unsigned i = 1; i <= numTasks; ++i)
      if ((taken >> 4 * i & 15) != 1)
        return "task " + std::to_string(i) + " was taken " +
               std::to_string(taken >> 4 * i & 15) + " times";
    return {};
  }
  uint64_t state() const override { return taken; }

private:
  void take(WorkItem task) {
    if (!task)
      return;
    if (task.object != this || task.argument < 1 || task.argument > numTasks)
      return Explorer::current().fail("a task that nobody pushed");
    taken += uint64_t(1) << 4 * task.argument;
    if (contents[task.argument - 1]->load(std::memory_order_relaxed) !=
        task.argument)
      Explorer::current().fail("a task before what it points to");
  }

  const unsigned numTasks, numThieves, numSteals;
  const bool popsBetween;
  BasicTaskDeque<ModelAtomic> deque{2};
  std::vector<std::unique_ptr<ModelAtomic<uint32_t>>> contents;
  uint64_t taken = 0;
};

class OneThief : public DequeScenario {
public:
  OneThief() : DequeScenario(3, 1, 2, true) {}
};

class GrowBesideThief : public DequeScenario {
public:
  GrowBesideThief() : DequeScenario(3, 1, 2, false) {}
};

class TwoThieves : public DequeScenario {
public:
  TwoThieves() : DequeScenario(2, 2, 1, false) {}
};

} // namespace

void ModelParts::run(ModelWorker &worker, WorkItem task) {
  auto *what = static_cast<ModelTask *>(task.object);
  ++what->timesRun;
  what->body(worker);
}

template <typename T> static std::unique_ptr<Scenario> make() {
  return std::make_unique<T>();
}

struct NamedScenario {
  const char *name;
  std::unique_ptr<Scenario> (*make)();
  unsigned maxPreemptions; ///< with which tests run, unless asked otherwise
};
static const NamedScenario scenarios[] = {
    {"StopWorker", make<StopWorker>, UINT32_MAX},
    {"LeaveBesideTask", make<LeaveBesideTask>, 2},
    {"LeaveWithTask", make<LeaveWithTask>, 2},
    {"TwoHelpers", make<TwoHelpers>, 2},
    {"SleepWhileWorking", make<SleepWhileWorking>, 2},
    {"SeatAndWorkerMeet", make<SeatAndWorkerMeet>, 2},
    {"OneThief", make<OneThief>, 2},
    {"GrowBesideThief", make<GrowBesideThief>, 2},
    {"TwoThieves", make<TwoThieves>, 2},
    {"WorkersThatMeet", make<WorkersThatMeet>, 1},
    {"WorkerAndHostMeet", make<WorkerAndHostMeet>, 1},
};

/// SLUICE_MODEL_PREEMPTIONS=4 tries more, for as long as that takes; "all"
/// leaves nothing out.
static unsigned maxPreemptions(const NamedScenario &scenario) {
  const char *text = std::getenv("SLUICE_MODEL_PREEMPTIONS");
  if (!text)
    return scenario.maxPreemptions;
  return std::string_view(text) == "all" ? UINT32_MAX : std::atoi(text);
}

static Explorer::Result explore(Explorer &explorer,
                                const NamedScenario &scenario) {
  explorer.maxPreemptions = maxPreemptions(scenario);
  return explorer.explore(scenario.make);
}

TEST(SchedulerModelTest, KeepsItsPromisesInAllOrders) {
  Explorer explorer;
  for (const NamedScenario &scenario : scenarios) {
    Explorer::Result result = explore(explorer, scenario);
    std::printf("%s: %llu runs, %llu states\n", scenario.name,
                (unsigned long long)result.numRuns,
                (unsigned long long)result.numStates);
    EXPECT_EQ(result.failure, "") << scenario.name << "\n" << result.trace;
    EXPECT_GT(result.numStates, 100u) << scenario.name;
  }
}

/// Orders that are stronger than the model needs, and why they stay.
static const std::map<std::string, const char *> strongerThanNeeded = {
    {"push: load acquire -> relaxed",
     "the model has no loads that come after later stores, which would let a "
     "thief read a slot that is used again"},
    {"pop: compare seq_cst -> acq_rel", "as published"},
    {"steal: compare seq_cst -> acq_rel", "as published"},
    {"steal: load seq_cst -> acquire", "as published, for `top`"},
};

TEST(SchedulerModelTest, FindsEveryWeakerOrder) {
  Explorer explorer;
  for (const NamedScenario &scenario : scenarios)
    explore(explorer, scenario);
  std::vector<Mutation> mutations = explorer.mutations();
  std::map<std::string, unsigned> missed;
  unsigned numFound = 0;
  for (const Mutation &mutation : mutations) {
    if (mutation.file.ends_with("Test.cpp"))
      continue;
    explorer.mutation = &mutation;
    std::string failure;
    for (const NamedScenario &scenario : scenarios) {
      failure = explore(explorer, scenario).failure;
      if (!failure.empty())
        break;
    }
    explorer.mutation = nullptr;
    numFound += !failure.empty();
    if (failure.empty())
      ++missed[mutation.text];
  }
  for (const auto &[text, count] : missed)
    EXPECT_TRUE(strongerThanNeeded.contains(text) && count == 1)
        << "nothing fails with " << text;
  for (const auto &[text, reason] : strongerThanNeeded)
    EXPECT_TRUE(missed.contains(text)) << text;
  EXPECT_GE(numFound, 15u);
}
