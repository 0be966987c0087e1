//===- HostAPITest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C entry points as programs use them: misuse prints a message and ends
// the process with exit code 1.
//
//===----------------------------------------------------------------------===//

#include "../Plan/Testing/PlanBuilder.h"
#include "TestFolder.h"

#include "sluice-c/Runtime.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sluice::test;

static void increment(const SluiceInvocation *invocation, uint64_t begin,
                      uint64_t end) {
  auto *data = at<int64_t *>(invocation, 0);
  for (uint64_t i = begin; i < end; ++i)
    data[i] += 1;
}
static void throwError(const SluiceInvocation *, uint64_t, uint64_t) {
  throw std::runtime_error("out of paper");
}
static void launchItself(const SluiceInvocation *, uint64_t, uint64_t) {
  sluiceLaunch(nullptr, nullptr, nullptr, 0);
}
static void exitEarly(const SluiceInvocation *, uint64_t, uint64_t) {
  std::exit(7);
}

namespace {
class HostAPITest : public testing::Test {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ::setenv("SLUICE_WORKERS", "2", 1);
    builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.node("root/blur", increment, {2});
    plan = builder.finish();
    structure.add(&data[0]).add(uint64_t(16));
  }
  void runKernel(SluiceKernel kernel) {
    PlanBuilder bad;
    bad.node("root/blur", kernel);
    sluiceInit();
    sluiceWait(sluiceLaunch(bad.finish(), nullptr, nullptr, 0));
  }
  PlanBuilder builder;
  const SluicePlan *plan;
  Structure structure;
  int64_t data[2] = {0, 0};
};
} // namespace

#define EXPECT_ERROR(statement, message)                                       \
  EXPECT_EXIT(statement, testing::ExitedWithCode(1), "sluice: error: " message)

TEST_F(HostAPITest, RunsAndStartsAgain) {
  for (int round = 0; round < 3; ++round) {
    sluiceInit();
    sluiceTrackMemory(data, 16);
    void *graph = sluiceLaunch(plan, structure.data(), nullptr, 0);
    sluiceWait(graph);
    EXPECT_EQ(sluiceRequestMemory(data, 16), data);
    sluiceUntrackMemory(data);
    sluiceCleanup();
  }
  EXPECT_EQ(data[0], 3);
  EXPECT_EQ(data[1], 3);
}

TEST_F(HostAPITest, FindsPlansByTheirRoot) {
  int root;
  SluicePlanEntry entry = {&root, plan};
  sluiceRegisterPlans(&entry, 1);
  sluiceInit();
  sluiceWait(sluiceLaunchRoot(&root, structure.data(), nullptr, 0));
  sluiceCleanup();
  sluiceUnregisterPlans(&entry);
  EXPECT_EQ(data[0], 1);
  EXPECT_ERROR(
      {
        sluiceInit();
        sluiceLaunchRoot(&root, structure.data(), nullptr, 0);
      },
      "launch: the function at 0x[0-9a-f]+ is no root of a graph in this "
      "program");
}

TEST_F(HostAPITest, OrderedLaunchesNeedNoTracking) {
  int root;
  SluicePlanEntry entry = {&root, plan};
  sluiceRegisterPlans(&entry, 1);
  sluiceInit();
  void *graphs[20];
  for (int i = 0; i < 20; ++i)
    graphs[i] = i % 2
                    ? sluiceLaunchOrdered(plan, structure.data(), nullptr)
                    : sluiceLaunchRootOrdered(&root, structure.data(), nullptr);
  sluiceRequestAnyMemory(data, sizeof(data));
  EXPECT_EQ(data[0], 20);
  EXPECT_EQ(data[1], 20);
  for (void *graph : graphs)
    sluiceWait(graph);
  sluiceTrackMemory(data, 16);
  sluiceWait(sluiceLaunchOrdered(plan, structure.data(), nullptr));
  sluiceRequestAnyMemory(data, 16);
  EXPECT_EQ(data[0], 21);
  sluiceUntrackMemory(data);
  sluiceCleanup();
  sluiceUnregisterPlans(&entry);
  EXPECT_ERROR(sluiceLaunchOrdered(plan, structure.data(), nullptr),
               "launch after cleanup|launch before init");
}

TEST_F(HostAPITest, CallsOutsideOfInitAndCleanup) {
  EXPECT_ERROR(sluiceLaunch(plan, structure.data(), nullptr, 0),
               "launch before init");
  EXPECT_ERROR(sluiceCleanup(), "cleanup before init");
  EXPECT_ERROR(llvm_hpvm_track_mem(data, 16), "trackMemory before init");
  EXPECT_ERROR(
      {
        sluiceInit();
        sluiceInit();
      },
      "init was called twice without cleanup between");
  EXPECT_ERROR(
      {
        sluiceInit();
        sluiceCleanup();
        sluiceWait(nullptr);
      },
      "wait after cleanup");
}

static int servesTeam() {
  return sluiceServesTeam(
      1, [] { return 0; }, nullptr);
}

TEST_F(HostAPITest, UnitsShareOneRuntime) {
  auto run = [&] {
    sluiceWait(sluiceLaunch(plan, structure.data(), nullptr, 0));
  };
  // The first unit starts it and the last one ends it.
  sluiceStartUnit();
  sluiceStartUnit();
  run();
  sluiceEndUnit();
  run();
  sluiceEndUnit();
  EXPECT_EQ(servesTeam(), 0);
  // The program calls init as well, between units or around them.
  sluiceStartUnit();
  sluiceInit();
  sluiceCleanup();
  run();
  sluiceEndUnit();
  sluiceInit();
  sluiceStartUnit();
  sluiceEndUnit();
  run();
  sluiceCleanup();
  EXPECT_EQ(servesTeam(), 0);
  EXPECT_EQ(data[1], 4);
  EXPECT_ERROR(
      {
        sluiceStartUnit();
        sluiceInit();
        sluiceInit();
      },
      "init was called twice without cleanup between");
}

/// What threads of OpenMP's library were told last, in milliseconds.
static thread_local int blocktime = -1;
static void setBlocktime(int milliseconds) { blocktime = milliseconds; }

/// One region on OpenMP's library. Returns for how long its threads look for
/// work afterwards.
static int runRegion(
    int &state, int (*isInTeam)(void) = [] { return 0; }) {
  sluiceStartsTeam(&state, isInTeam, setBlocktime);
  const int during = blocktime;
  sluiceEndsThread(&state, setBlocktime);
  const int after = blocktime;
  sluiceEndsTeam(&state, isInTeam, setBlocktime);
  EXPECT_EQ(during, isInTeam() ? after : 200);
  return after;
}

TEST_F(HostAPITest, ThreadsOfRegionsLookForWorkIfARegionComesNext) {
  ::unsetenv("KMP_BLOCKTIME");
  ::unsetenv("OMP_WAIT_POLICY");
  ::unsetenv("KMP_LIBRARY");
  ASSERT_EQ(sluiceServeOpenMP(), 1);
  sluiceInit();
  int first = 0, second = 0;
  EXPECT_EQ(runRegion(first), 0); // what comes next is not known
  EXPECT_EQ(blocktime, 0);        // regions that are not asked about
  EXPECT_EQ(runRegion(second), 0);
  servesTeam();
  EXPECT_EQ(runRegion(first), 200);
  EXPECT_EQ(runRegion(second), 0);
  EXPECT_EQ(runRegion(second), 200);
  servesTeam();
  EXPECT_EQ(runRegion(second), 0);
  // A region in a team keeps what holds for the team.
  blocktime = 7;
  int inner = 0;
  EXPECT_EQ(runRegion(inner, [] { return 1; }), 7);
  EXPECT_EQ(blocktime, 7);
  sluiceCleanup();
  // The user has decided.
  ::setenv("KMP_BLOCKTIME", "30", 1);
  EXPECT_EXIT(
      {
        sluiceServeOpenMP();
        blocktime = 30;
        int state = 0;
        sluiceStartsTeam(
            &state, [] { return 0; }, setBlocktime);
        sluiceEndsThread(&state, setBlocktime);
        std::exit(blocktime == 30 ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
  ::unsetenv("KMP_BLOCKTIME");
}

TEST_F(HostAPITest, UnitsLeaveTheRuntimeToOtherThreads) {
  EXPECT_EXIT(
      {
        sluiceStartUnit();
        servesTeam();
        std::thread([] { servesTeam(); }).join();
        // The other thread may be in the middle of a loop.
        sluiceEndUnit();
        sluiceWait(sluiceLaunch(plan, structure.data(), nullptr, 0));
        sluiceEndUnit();
        // The library of these functions may have ended.
        int isServed = sluiceServesTeam(
            0, [] { return std::abort(), 1; }, [] { return std::abort(), 1; });
        std::exit(isServed && sluiceEndsTeams() == 0 && data[1] == 1 ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        sluiceStartUnit();
        sluiceLaunch(plan, structure.data(), nullptr, 0);
        sluiceEndUnit();
        std::exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST_F(HostAPITest, CleanupWithLaunchesInFlight) {
  EXPECT_ERROR(
      {
        sluiceInit();
        sluiceLaunch(plan, structure.data(), nullptr, 0);
        sluiceCleanup();
      },
      "cleanup with 1 graph in flight, 'root' among them; wait for them first");
}

TEST_F(HostAPITest, ErrorsOfKernels) {
  EXPECT_ERROR(runKernel(throwError),
               "node 'root/blur' at test.c:1:1: an exception left it: out of "
               "paper");
  EXPECT_ERROR(runKernel(launchItself),
               "code of a node or task called launch, which only host code "
               "may; graphs run before or after the one that runs now, not "
               "within");
}

TEST_F(HostAPITest, ExitFromAKernelWorks) {
  EXPECT_EXIT(runKernel(exitEarly), testing::ExitedWithCode(7), "");
}

TEST_F(HostAPITest, TrackerErrors) {
  EXPECT_ERROR(
      {
        sluiceInit();
        llvm_hpvm_track_mem(data, 16);
        llvm_hpvm_request_mem(data, 17);
      },
      "cannot request 17 bytes at 0x[0-9a-f]+: only 16 of the tracked 16 bytes "
      "at 0x[0-9a-f]+ lie behind it");
  EXPECT_ERROR(
      {
        sluiceInit();
        llvm_hpvm_untrack_mem(data);
      },
      "cannot untrack memory at 0x[0-9a-f]+: it is not tracked");
}

TEST_F(HostAPITest, BadSettingsNameTheValue) {
  EXPECT_ERROR(
      {
        ::setenv("SLUICE_WORKERS", "many", 1);
        sluiceInit();
      },
      "SLUICE_WORKERS is 'many', expected a number from 1 to 1024");
  EXPECT_ERROR(
      {
        ::setenv("SLUICE_WORKERS", "0", 1);
        sluiceInit();
      },
      "SLUICE_WORKERS is '0', expected a number from 1 to 1024");
  EXPECT_ERROR(
      {
        ::setenv("SLUICE_EXECUTOR", "fast", 1);
        sluiceInit();
      },
      "SLUICE_EXECUTOR is 'fast', expected 'pool' or 'sequential'");
  EXPECT_ERROR(
      {
        ::setenv("SLUICE_SPECIALIZE", "-1", 1);
        sluiceInit();
      },
      "SLUICE_SPECIALIZE is '-1', expected a number from 0 to 1000000");
}

TEST_F(HostAPITest, ForkedProcessesAreRefused) {
  EXPECT_ERROR(
      {
        sluiceInit();
        pid_t child = ::fork();
        if (child == 0)
          sluiceLaunch(plan, structure.data(), nullptr, 0);
        int status = 0;
        ::waitpid(child, &status, 0);
        std::_Exit(WEXITSTATUS(status));
      },
      "launch in a forked process: the runtime's threads exist in its parent "
      "only; call fork before init");
}

TEST_F(HostAPITest, ForkBeforeInitWorks) {
  EXPECT_EXIT(
      {
        pid_t child = ::fork();
        if (child == 0) {
          sluiceInit();
          sluiceWait(sluiceLaunch(plan, structure.data(), nullptr, 0));
          sluiceCleanup();
          std::_Exit(data[0] == 1 ? 5 : 6);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        std::_Exit(WEXITSTATUS(status));
      },
      testing::ExitedWithCode(5), "");
}

TEST_F(HostAPITest, SequentialExecutor) {
  ::setenv("SLUICE_EXECUTOR", "sequential", 1);
  sluiceInit();
  sluiceWait(sluiceLaunch(plan, structure.data(), nullptr, 0));
  sluiceCleanup();
  ::unsetenv("SLUICE_EXECUTOR");
  EXPECT_EQ(data[1], 1);
}

TEST_F(HostAPITest, ATraceThatCannotBeWrittenIsReported) {
  EXPECT_EXIT(
      {
        ::setenv("SLUICE_TRACE", "/nonexistent/t.json", 1);
        sluiceInit();
        sluiceWait(sluiceLaunch(plan, structure.data(), nullptr, 0));
        sluiceCleanup();
        std::exit(data[0] == 1 ? 0 : 9);
      },
      testing::ExitedWithCode(0),
      "sluice: warning: there will be no trace: cannot write "
      "'/nonexistent/t.json': No such file or directory");
}

TEST_F(HostAPITest, TheTraceIsWrittenWithoutCleanup) {
  TestFolder folder; // Of the child that ends as well.
  std::string path = folder.file("trace.json");
  EXPECT_EXIT(
      {
        ::setenv("SLUICE_TRACE", path.c_str(), 1);
        sluiceInit();
        sluiceWait(sluiceLaunch(plan, structure.data(), nullptr, 0));
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
  std::ifstream in(path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_NE(text.find("root/blur"), std::string::npos);
}
