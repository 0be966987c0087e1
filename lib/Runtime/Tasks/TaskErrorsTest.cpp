//===- TaskErrorsTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that fail in every way and at every place: the message, what does not
// run any more, what is removed, and that the next run works.
//
//===----------------------------------------------------------------------===//

#include "TestFolder.h"
#include "Testing/ProgramBuilder.h"

#include "sluice/Base/Process.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice::test;

using Values = std::vector<double>;

/// The parameter is the number of workers.
class TaskErrorsTest : public testing::TestWithParam<unsigned> {};

TEST_P(TaskErrorsTest, EachTaskFailsInTurn) {
  constexpr int numTasks = 12;
  ProgramBuilder builder;
  uint32_t chain = builder.data("chain", {1}), beside = builder.data("b", {1});
  std::atomic<int> failing{-1}, last{-1};
  for (int i = 0; i < numTasks; ++i) {
    uint32_t data = i % 3 == 2 ? beside : chain;
    builder.task(i % 2 ? "odd" : "even", {{data, inOut}},
                 [&, i, data](const TaskCall &call) {
                   if (data == chain)
                     last = i;
                   ++*call.values(data);
                   return i == failing ? 40 + i : 0;
                 });
  }
  OwnedRun run(builder.finish(), GetParam());
  for (int round = 0; round < 3; ++round)
    for (failing = -1; failing < numTasks; ++failing) {
      std::string error = run.execute();
      if (failing < 0) {
        ASSERT_EQ(error, "");
        ASSERT_EQ(run.values(chain, 1), Values{8});
        ASSERT_EQ(run.values(beside, 1), Values{4});
        continue;
      }
      ASSERT_EQ(error, std::string("task '") + (failing % 2 ? "odd" : "even") +
                           "' (kernel at meta.cpp:2:3): the kernel returned " +
                           std::to_string(40 + failing));
      EXPECT_EQ(sluiceTaskRunData(run.run, chain), nullptr);
      if (failing % 3 != 2)
        EXPECT_LE(last, failing);
    }
}

TEST_P(TaskErrorsTest, OfSeveralTheFirstIsReported) {
  ProgramBuilder builder;
  std::atomic<int> numThere{0};
  const int count = static_cast<int>(GetParam());
  for (int i = 0; i < count; ++i)
    builder.task("fails", {}, [&, i](const TaskCall &) {
      // All have begun before one fails.
      ++numThere;
      while (numThere < count)
        std::this_thread::yield();
      return 1 + i;
    });
  OwnedRun run(builder.finish(), GetParam());
  for (int round = 0; round < 10; ++round) {
    numThere = 0;
    EXPECT_EQ(run.execute(), "task 'fails' (kernel at meta.cpp:2:3): the "
                             "kernel returned 1");
  }
}

/// The error of a graph of one task with this body.
static std::string errorOf(unsigned numWorkers, const TaskBody &body) {
  ProgramBuilder builder;
  uint32_t index = builder.task("blur", {}, body);
  builder.record(index).kernel = "halide_blur";
  builder.record(index).location = "blur.cpp:12:3";
  OwnedRun run(builder.finish(), numWorkers);
  std::string error = run.execute();
  EXPECT_EQ(sluiceTaskCurrent(), nullptr);
  EXPECT_EQ(run.execute(), error);
  return error;
}

static const std::string blur = "task 'blur' (halide_blur at blur.cpp:12:3): ";

TEST_P(TaskErrorsTest, MessagesOfTheTask) {
  EXPECT_EQ(errorOf(GetParam(),
                    [](const TaskCall &) {
                      sluiceTaskError("the image is empty");
                      sluiceTaskError("and something else");
                      return -8;
                    }),
            blur + "the image is empty");
  // Also if the status is lost.
  EXPECT_EQ(errorOf(GetParam(),
                    [](const TaskCall &) {
                      sluiceHalideError(nullptr, "buffer 'in' is too small");
                      return 0;
                    }),
            blur + "buffer 'in' is too small");
  EXPECT_EQ(errorOf(GetParam(),
                    [](const TaskCall &) {
                      sluiceTaskError(nullptr);
                      return 0;
                    }),
            blur + "it failed");
}

TEST_P(TaskErrorsTest, Exceptions) {
  EXPECT_EQ(errorOf(GetParam(),
                    [](const TaskCall &) -> int {
                      throw std::runtime_error("no such file");
                    }),
            blur + "an exception left it: no such file");
  EXPECT_EQ(errorOf(GetParam(), [](const TaskCall &) -> int { throw 3; }),
            blur + "an exception that is no std::exception left it");
}

/// Under AddressSanitizer: nothing is lost.
TEST_P(TaskErrorsTest, PackedPartsAreFreed) {
  static double data[100];
  static const int64_t shape[] = {10}, strides[] = {3};
  EXPECT_EQ(errorOf(GetParam(),
                    [](const TaskCall &) -> int {
                      SluiceTaskView view = {1, 8, 0, shape, strides};
                      void *first = sluiceTaskPack(data, &view, 1);
                      sluiceTaskPack(data, &view, 1);
                      sluiceTaskUnpack(first, data, &view, 1);
                      throw std::runtime_error("later");
                    }),
            blur + "an exception left it: later");
}

TEST_P(TaskErrorsTest, MessagesOutsideOfTasksAreNobodys) {
  sluiceTaskError("nobody");
  EXPECT_EQ(errorOf(GetParam(), [](const TaskCall &) { return 5; }),
            blur + "the kernel returned 5");
}

TEST_P(TaskErrorsTest, NamesTasksWithoutAPlace) {
  ProgramBuilder builder;
  builder.record(builder.task("t", {}, [](const TaskCall &) { return 1; }))
      .location = "";
  OwnedRun run(builder.finish(), GetParam());
  EXPECT_EQ(run.execute(), "task 't' (kernel): the kernel returned 1");
}

/// A graph as a task: a node that enters it, its own nodes, one that leaves.
TEST_P(TaskErrorsTest, GraphsAsTasks) {
  using namespace sluice;
  static std::atomic<int> mode;
  static auto runOf = [](const SluiceInvocation *invocation) {
    return *reinterpret_cast<SluiceTaskRun **>(invocation->frame + 16);
  };
  PlanBuilder plan("graph");
  plan.buffer("data", inOut);
  plan.argument("run", 8);
  plan.argument("none", 8);
  auto enter =
      plan.node("enter", [](const SluiceInvocation *i, uint64_t, uint64_t) {
        sluiceTaskEnter(runOf(i), 0);
      });
  auto node =
      plan.node("root/leaf",
                [](const SluiceInvocation *i, uint64_t begin, uint64_t end) {
                  auto *data = *reinterpret_cast<double **>(i->frame);
                  for (uint64_t k = begin; k < end; ++k) {
                    if (mode == 1 && k == 700)
                      throw std::runtime_error("bad point");
                    data[k] += 1;
                  }
                },
                {1000});
  auto leave =
      plan.node("leave", [](const SluiceInvocation *i, uint64_t, uint64_t) {
        sluiceTaskLeave(runOf(i), 0);
      });
  plan.order(enter, node);
  plan.order(node, leave);
  const int64_t shape[] = {1000};
  SluiceTaskData data = {"data",
                         "",
                         SLUICE_DATA_DAT,
                         SLUICE_ELEMENT_FLOAT,
                         64,
                         1,
                         shape,
                         8000,
                         nullptr,
                         1,
                         0};
  SluiceTaskUse use = {0, inOut};
  SluiceTaskRecord task = {};
  task.name = "points";
  task.kernel = "root";
  task.location = "p.cpp:7:1";
  task.kind = SLUICE_TASK_HPVM;
  task.numUses = 1;
  task.uses = &use;
  task.numVariants = 1;
  SluiceTaskProgram program = {};
  program.head = tableHead<SluiceTaskProgram>;
  program.name = "graph";
  program.plan = plan.finish();
  program.data = &data;
  program.tasks = &task;
  program.numData = program.numTasks = 1;
  OwnedRun run(program, GetParam());
  for (int round = 0; round < 6; ++round) {
    mode = round % 2;
    EXPECT_EQ(run.execute(),
              mode ? "task 'points' (root at p.cpp:7:1): node 'root/leaf' at "
                     "test.c:1:1: an exception left it: bad point"
                   : "");
    if (!mode)
      EXPECT_EQ(run.values(0, 1000), Values(1000, 1));
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static void writeFile(const std::string &path, const std::string &text) {
  std::ofstream(path) << text;
}

TEST_P(TaskErrorsTest, PartialFilesAreRemoved) {
  TestFolder folder;
  std::string made = folder.file("made"), changed = folder.file("changed"),
              untouched = folder.file("untouched"), link = folder.file("link"),
              target = folder.file("target");
  writeFile(untouched, "before");
  writeFile(changed, "before");
  std::filesystem::create_symlink(target, link);
  ProgramBuilder builder;
  bool fails = false;
  uint32_t task = builder.task("save", {}, [&](const TaskCall &) {
    for (const std::string &path : {made, changed, link})
      writeFile(path, fails ? "half of the other" : "all of the content");
    return fails ? 1 : 0;
  });
  for (const std::string *path : {&made, &changed, &untouched, &link})
    builder.writesFile(task, path->c_str());
  builder.writesFile(task, "/dev/null");
  builder.writesFile(task, folder.path.c_str());
  OwnedRun run(builder.finish(), GetParam());
  EXPECT_EQ(run.execute(), "");
  for (const std::string *path : {&made, &changed, &untouched, &target})
    EXPECT_TRUE(std::filesystem::exists(*path)) << *path;
  std::filesystem::remove(made);
  fails = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_NE(run.execute(), "");
  for (const std::string *path : {&made, &changed, &target})
    EXPECT_FALSE(std::filesystem::exists(*path)) << *path;
  EXPECT_TRUE(std::filesystem::exists(untouched));
  EXPECT_TRUE(std::filesystem::exists("/dev/null"));
}

TEST_P(TaskErrorsTest, FilesOfOtherTasksStay) {
  TestFolder folder;
  std::string done = folder.file("done");
  ProgramBuilder builder;
  uint32_t first = builder.task("first", {}, [&](const TaskCall &) {
    writeFile(done, "whole");
    return 0;
  });
  builder.writesFile(first, done.c_str());
  uint32_t second = builder.task("second", {}, [](const TaskCall &) -> int {
    throw std::runtime_error("broken");
  });
  builder.order(first, second);
  OwnedRun run(builder.finish(), GetParam());
  EXPECT_NE(run.execute(), "");
  EXPECT_TRUE(std::filesystem::exists(done));
}

//===----------------------------------------------------------------------===//
// Tasks that end the process
//===----------------------------------------------------------------------===//

using TaskExitTest = TaskErrorsTest;

/// Runs a graph one of whose tasks calls exit when it has written two files, of
/// which it has named one.
static void runExiting(unsigned numWorkers, int code, const std::string &file) {
  ProgramBuilder builder;
  builder.task("harmless", {}, [](const TaskCall &) { return 0; });
  uint32_t task = builder.task("legacy", {}, [&](const TaskCall &) -> int {
    writeFile(file, "half");
    writeFile(file + ".too", "half");
    std::exit(code);
  });
  builder.writesFile(task, file.c_str());
  OwnedRun run(builder.finish(), numWorkers);
  run.execute();
  std::_Exit(77);
}

TEST_P(TaskExitTest, NamesTheTask) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  TestFolder folder; // Of the child that ends as well.
  std::string file = folder.file("out.bmp");
  EXPECT_EXIT(runExiting(GetParam(), 3, file), testing::ExitedWithCode(3),
              "sluice: error: task 'legacy' \\(kernel at meta.cpp:2:3\\): "
              "it called exit\\(3\\)");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EXIT(runExiting(GetParam(), 0, file), testing::ExitedWithCode(1),
              "it called exit\\(0\\)");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(file + ".too"));
}

/// Runs a graph with a task that calls quick_exit.
static void runQuick(unsigned numWorkers) {
  ProgramBuilder builder;
  builder.task("quick", {},
               [](const TaskCall &) -> int { std::quick_exit(0); });
  OwnedRun run(builder.finish(), numWorkers);
  run.execute();
  std::_Exit(77);
}

TEST_P(TaskExitTest, QuickExitIsNoSuccess) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(runQuick(GetParam()), testing::ExitedWithCode(1),
              "task 'quick' \\(kernel at meta.cpp:2:3\\): it called "
              "quick_exit");
}

INSTANTIATE_TEST_SUITE_P(Workers, TaskErrorsTest, testing::Values(1, 2, 3, 8));
INSTANTIATE_TEST_SUITE_P(Workers, TaskExitTest, testing::Values(1, 2));

//===----------------------------------------------------------------------===//
// Signals that end runs
//===----------------------------------------------------------------------===//

namespace {
/// What the process does on a signal, and what it did before afterwards.
struct Handled {
  Handled(int signal, void (*handler)(int), int flags = 0) : signal(signal) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    ::sigaction(signal, &action, &before);
  }
  ~Handled() { ::sigaction(signal, &before, nullptr); }
  Handled(const Handled &) = delete;
  void (*current() const)(int) {
    struct sigaction now = {};
    ::sigaction(signal, nullptr, &now);
    return now.sa_handler;
  }

  const int signal;
  struct sigaction before = {};
};

std::atomic<int> numSignals{0};
void countSignal(int) { ++numSignals; }

/// Runs a task that calls `work`, and one after it. Returns the error.
std::string runWith(const std::function<void()> &work, int &numLater) {
  ProgramBuilder builder;
  uint32_t data = builder.data("data", {1});
  builder.task("first", {{data, inOut}}, [&](const TaskCall &) {
    work();
    return 0;
  });
  builder.task("later", {{data, inOut}}, [&](const TaskCall &) {
    ++numLater;
    return 0;
  });
  OwnedRun run(builder.finish(), 1);
  return run.execute();
}
} // namespace

TEST(TaskSignalsTest, ForkedProcessesEndByThem) {
  if (sluice::isSanitized)
    GTEST_SKIP() << "sanitizers do not support forks beside threads";
  Handled handled(SIGTERM, SIG_DFL);
  int status = 0, numLater = 0;
  EXPECT_EQ(runWith(
                [&] {
                  const pid_t child = ::fork();
                  if (child == 0) {
                    ::alarm(60);
                    ::raise(SIGTERM);
                    ::_exit(9);
                  }
                  ::waitpid(child, &status, 0);
                },
                numLater),
            "");
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(numLater, 1);
}

TEST(TaskSignalsTest, HandlersOfTheProgramAreCalledAtOnce) {
  // As System V's signal() sets them.
  Handled handled(SIGTERM, countSignal, int(SA_RESETHAND | SA_NODEFER));
  numSignals = 0;
  int numLater = 0;
  EXPECT_EQ(runWith(
                [&] {
                  ::raise(SIGTERM);
                  EXPECT_EQ(numSignals, 1);
                },
                numLater),
            "");
  EXPECT_EQ(numLater, 1);
}

TEST(TaskSignalsTest, HandlersThatTasksInstallStay) {
  Handled handled(SIGTERM, SIG_DFL);
  int numLater = 0;
  struct sigaction during = {};
  EXPECT_EQ(runWith(
                [&] {
                  ::sigaction(SIGTERM, nullptr, &during);
                  ::signal(SIGTERM, countSignal);
                },
                numLater),
            "");
  EXPECT_EQ(handled.current(), countSignal);
  // Whoever keeps the handler of a run may restore it later.
  ::sigaction(SIGTERM, &during, nullptr);
  EXPECT_EQ(runWith([] {}, numLater), "");
  EXPECT_EQ(handled.current(), SIG_DFL);
  EXPECT_EQ(numLater, 2);
}

TEST(TaskSignalsTest, StopsAreWithdrawnBetweenRuns) {
  Handled handled(SIGINT, SIG_IGN);
  int numLater = 0;
  const std::string ended =
      "the run of graph 'graph' was ended by a signal: Interrupt";
  sluiceTaskStop(SIGINT);
  sluiceTaskWithdrawStop(SIGTERM); // another one
  EXPECT_EQ(runWith([] {}, numLater), ended);
  sluiceTaskStop(SIGINT);
  sluiceTaskWithdrawStop(SIGINT);
  EXPECT_EQ(runWith([] {}, numLater), "");
  EXPECT_EQ(numLater, 1);
  EXPECT_EQ(runWith(
                [] {
                  sluiceTaskStop(SIGINT);
                  sluiceTaskWithdrawStop(SIGINT);
                },
                numLater),
            ended);
  EXPECT_EQ(runWith([] {}, numLater), "");
  EXPECT_EQ(numLater, 2);
}
