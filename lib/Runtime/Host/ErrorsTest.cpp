//===- ErrorsTest.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launches refuse, and how errors of kernels surface.
//
//===----------------------------------------------------------------------===//

#include "Testing/RuntimeTest.h"

#include "sluice-c/Runtime.h"

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace sluice;
using namespace sluice::test;

using ErrorsTest = RuntimeTest;

static void nothing(const SluiceInvocation *, uint64_t, uint64_t) {}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

TEST_P(ErrorsTest, PlansOfOtherVersionsAreRefused) {
  PlanBuilder builder;
  builder.node("root/a", nothing);
  SluicePlan plan = *builder.finish();
  auto error = [&](std::string_view kind, const std::string &what) {
    return "the program's " + std::string(kind) +
           " does not fit this runtime: " + what +
           "; compile the program again";
  };
  SluicePlan other = plan;
  other.head.version = 7;
  EXPECT_EQ(errorOf(&other, nullptr),
            error("plan", "the version is 7, expected " +
                              std::to_string(SLUICE_TABLE_VERSION)));
  SluiceDeviceModule module = {};
  other = plan;
  other.deviceModule = &module;
  EXPECT_EQ(
      errorOf(&other, nullptr),
      error("device module", "the magic number is 0, expected " +
                                 std::to_string(SLUICE_DEVICE_MODULE_MAGIC)));
  SluiceLayout layout = {};
  EXPECT_EQ(
      errorOf(&plan, nullptr, &layout),
      error("layout of a launch", "the magic number is 0, expected " +
                                      std::to_string(SLUICE_LAYOUT_MAGIC)));
}

TEST_P(ErrorsTest, InconsistentTablesAreRefused) {
  {
    PlanBuilder builder;
    builder.node("root/a", nothing);
    builder.at(0).numAllToAllPredecessors = 2;
    EXPECT_EQ(errorOf(builder.finish(), nullptr),
              "plan 'root': node 'root/a' at test.c:1:1 states 2 all-to-all "
              "and 0 one-to-one predecessors, but has 0 and 0");
  }
  {
    PlanBuilder builder;
    builder.node("root/a", nothing);
    builder.node("root/b", nothing);
    builder.order(1, 0);
    EXPECT_EQ(errorOf(builder.finish(), nullptr),
              "plan 'root': node 'root/b' at test.c:1:1 precedes node 'root/a' "
              "at test.c:1:1, which stands before it");
  }
  {
    PlanBuilder builder;
    builder.node("root/a", nullptr);
    EXPECT_EQ(errorOf(builder.finish(), nullptr),
              "plan 'root': node 'root/a' at test.c:1:1 has no kernel");
  }
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

template <int Argument>
static void extentFrom(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame + 8 * Argument, 8);
  extents[1] = 2;
  extents[2] = 1;
}

TEST_P(ErrorsTest, ImpossibleExtentsNameNodeAndValues) {
  PlanBuilder builder;
  builder.argument("n", 8);
  builder.node("root/blur", nothing, extentFrom<0>);
  auto error = [&](int64_t extent) {
    Structure structure;
    structure.add(extent);
    return errorOf(builder.finish(), structure.data());
  };
  EXPECT_EQ(error(-3), "node 'root/blur' at test.c:1:1: extents [-3, 2] are "
                       "negative");
  EXPECT_EQ(error(INT64_MAX),
            "node 'root/blur' at test.c:1:1: extents [9223372036854775807, 2] "
            "span 2^63 instances or more");
  EXPECT_EQ(error(4), "");
}

TEST_P(ErrorsTest, OneToOneGridsMustBeEqual) {
  PlanBuilder builder;
  builder.argument("n", 8);
  builder.argument("m", 8);
  builder.node("root/a", nothing, extentFrom<0>);
  builder.node("root/b", nothing, extentFrom<1>);
  builder.order(0, 1, SLUICE_ONE_TO_ONE);
  Structure structure;
  structure.add(int64_t(4)).add(int64_t(5));
  EXPECT_EQ(errorOf(builder.finish(), structure.data()),
            "node 'root/a' at test.c:1:1 has extents [4, 2], but node 'root/b' "
            "at test.c:1:1, joined to it by one-to-one edges, has [5, 2]");
  Structure equal;
  equal.add(int64_t(5)).add(int64_t(5));
  EXPECT_EQ(errorOf(builder.finish(), equal.data()), "");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::atomic<int> runsAfterError{0};

static void throwError(const SluiceInvocation *, uint64_t begin, uint64_t) {
  if (begin == 0)
    throw std::runtime_error("out of paper");
}
static void throwNumber(const SluiceInvocation *, uint64_t, uint64_t) {
  throw 42;
}
static void failPlainly(const SluiceInvocation *invocation, uint64_t,
                        uint64_t) {
  sluiceFail(invocation, "not today");
}
static void countRuns(const SluiceInvocation *, uint64_t, uint64_t) {
  ++runsAfterError;
}

TEST_P(ErrorsTest, ExceptionsOfKernelsSurfaceAtWait) {
  struct {
    SluiceKernel kernel;
    const char *message;
  } cases[] = {
      {throwError, "node 'root/blur' at test.c:1:1: an exception left it: out "
                   "of paper"},
      {throwNumber, "node 'root/blur' at test.c:1:1: an exception that is no "
                    "std::exception left it"},
      {failPlainly, "node 'root/blur' at test.c:1:1: not today"},
  };
  std::deque<PlanBuilder> builders;
  for (auto &[kernel, message] : cases)
    for (uint32_t replication : {SLUICE_ALL_TO_ALL, SLUICE_ONE_TO_ONE}) {
      PlanBuilder &builder = builders.emplace_back();
      builder.node("root/blur", kernel, {64});
      builder.node("root/next", countRuns, {64});
      builder.node("root/last", countRuns);
      builder.order(0, 1, replication);
      builder.order(1, 2);
      // Again and again: a failed launch leaves everything ready for the next.
      for (int round = 0; round < 5; ++round) {
        runsAfterError = 0;
        EXPECT_EQ(errorOf(builder.finish(), nullptr), message);
        if (replication == SLUICE_ALL_TO_ALL)
          EXPECT_EQ(runsAfterError, 0);
      }
    }
}

static void allocateBadly(const SluiceInvocation *invocation, uint64_t,
                          uint64_t) {
  sluiceMalloc(invocation, at<int64_t>(invocation, 0));
}
static void allocateGroupBadly(const SluiceInvocation *invocation, uint64_t,
                               uint64_t) {
  void *small = sluiceGroupMalloc(invocation, 100);
  std::memset(small, 1, 100);
  sluiceGroupMalloc(invocation, at<int64_t>(invocation, 0));
}

TEST_P(ErrorsTest, FailedAllocationsNameTheSize) {
  std::deque<PlanBuilder> builders;
  auto error = [&](SluiceKernel kernel, int64_t size) {
    PlanBuilder &builder = builders.emplace_back();
    builder.argument("size", 8);
    builder.node("root/a", kernel);
    Structure structure;
    structure.add(size);
    return errorOf(builder.finish(), structure.data());
  };
  std::string node = "node 'root/a' at test.c:1:1: ";
  EXPECT_EQ(error(allocateBadly, -8), node + "malloc of -8 bytes");
  EXPECT_EQ(error(allocateGroupBadly, -8), node + "malloc of -8 bytes");
  EXPECT_EQ(error(allocateBadly, INT64_MAX),
            node + "no memory for malloc of 9223372036854775807 bytes");
  EXPECT_EQ(error(allocateGroupBadly, INT64_MAX),
            node + "no memory for malloc of 9223372036854775807 bytes in a "
                   "work-group");
}

static void useMemory(const SluiceInvocation *invocation, uint64_t begin,
                      uint64_t end) {
  for (uint64_t i = begin; i < end; ++i) {
    int64_t sizes[] = {0, 8, 1000, 70000};
    for (int64_t size : sizes) {
      void *memory = sluiceMalloc(invocation, size);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
      std::memset(memory, 0xff, size);
    }
    void *group = sluiceGroupMalloc(invocation, 4096);
    void *other = sluiceGroupMalloc(invocation, 64);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(group) % 64, 0u);
    std::memset(group, 0xff, 4096);
    sluiceGroupFree(invocation, group);
    sluiceGroupFree(invocation, other);
  }
}

TEST_P(ErrorsTest, MemoryOfKernelsIsFreed) { // Checked by AddressSanitizer.
  PlanBuilder builder;
  builder.node("root/a", useMemory, {50});
  for (int round = 0; round < 5; ++round)
    EXPECT_EQ(errorOf(builder.finish(), nullptr), "");
}

//===----------------------------------------------------------------------===//
// Handles and calls
//===----------------------------------------------------------------------===//

TEST_P(ErrorsTest, HandlesAreValidOnce) {
  PlanBuilder builder;
  builder.node("root/a", nothing);
  void *graph = launch(builder.finish(), nullptr);
  EXPECT_EQ(runtime->push(graph, nullptr, nullptr).message(),
            "push: graph 'root' was not launched as a stream");
  EXPECT_EQ(runtime->pop(graph).status().message(),
            "pop: graph 'root' was not launched as a stream");
  wait(graph);
  std::string rest = " is no graph in flight; was it waited for already?";
  EXPECT_NE(runtime->wait(graph).message().find(rest), std::string::npos);
  int local;
  for (void *invented : {(void *)nullptr, (void *)&local, (void *)1})
    EXPECT_NE(runtime->wait(invented).message().find(rest), std::string::npos);
  void *next = launch(builder.finish(), nullptr);
  EXPECT_NE(next, graph);
  wait(next);
}

TEST_P(ErrorsTest, CleanupNeedsEverythingWaitedFor) {
  PlanBuilder builder("camera");
  builder.node("camera/a", nothing);
  void *graph = launch(builder.finish(), nullptr);
  EXPECT_EQ(runtime->finish().message(),
            "cleanup with 1 graph in flight, 'camera' among them; wait for "
            "them first");
  wait(graph);
}

TEST_P(ErrorsTest, ModeAndStructureMustFit) {
  PlanBuilder builder;
  builder.argument("n", 8);
  builder.node("root/a", nothing);
  const SluicePlan *plan = builder.finish();
  EXPECT_EQ(errorOf(plan, nullptr),
            "the argument structure of graph 'root' is null, but the graph has "
            "1 argument and 0 results");
  EXPECT_EQ(errorOf(nullptr, nullptr), "launch: the plan is null");
  uint64_t value = 0;
  EXPECT_EQ(runtime->launch(plan, &value, nullptr, true).status().message(),
            "graph 'root' has no streaming bind, but is launched as a stream");
  uint64_t offset = 4;
  SluiceLayout layout = {tableHead<SluiceLayout>, 8, &offset, nullptr};
  EXPECT_EQ(errorOf(plan, &value, &layout),
            "field 'n' of graph 'root' has 8 bytes at offset 4, but the "
            "argument structure has 8");
}

TEST_P(ErrorsTest, NullAndOverlappingPointersAreRefused) {
  PlanBuilder builder;
  builder.buffer("A", SLUICE_ACCESS_IN);
  builder.buffer("B", SLUICE_ACCESS_OUT);
  builder.node("root/a", nothing);
  builder.disjoint(0, 2);
  const SluicePlan *plan = builder.finish();
  auto error = [&](uintptr_t a, uint64_t aSize, uintptr_t b, uint64_t bSize) {
    Structure structure;
    structure.add(a).add(aSize).add(b).add(bSize);
    return errorOf(plan, structure.data());
  };
  EXPECT_EQ(error(0, 0, 0, 0), "");
  EXPECT_EQ(error(0x100, 16, 0x110, 16), "");
  EXPECT_EQ(error(0, 16, 0x110, 16),
            "argument 'A' of graph 'root' is a null pointer of 16 bytes");
  EXPECT_EQ(error(0x100, 17, 0x110, 16),
            "arguments 'A' (0x100, 17 bytes) and 'B' (0x110, 16 bytes) of "
            "graph 'root' overlap, but the graph is free of races only if they "
            "are disjoint");
  EXPECT_NE(error(0x118, 8, 0x110, 16), "");
  EXPECT_EQ(error(0x100, 0, 0x100, 16), "");
}

//===----------------------------------------------------------------------===//
// Memory in flight
//===----------------------------------------------------------------------===//

/// Not atomic: two launches at once would lose increments.
static void slowIncrement(const SluiceInvocation *invocation, uint64_t,
                          uint64_t) {
  auto *value = at<volatile uint64_t *>(invocation, 0);
  uint64_t old = *value;
  for (int i = 0; i < 200; ++i)
    std::atomic_signal_fence(std::memory_order_seq_cst);
  *value = old + 1;
}

TEST_P(ErrorsTest, ConflictingLaunchesAreOrdered) {
  PlanBuilder builder;
  builder.buffer("value", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  builder.node("root/a", slowIncrement);
  const SluicePlan *plan = builder.finish();
  uint64_t value = 0;
  ASSERT_TRUE(runtime->trackMemory(&value, 8).ok());
  Structure structure;
  structure.add(&value).add(uint64_t(8));
  auto launchMany = [&] {
    for (int round = 0; round < 10; ++round) {
      std::vector<void *> graphs;
      for (int i = 0; i < 20; ++i)
        graphs.push_back(launch(plan, structure));
      for (void *graph : graphs)
        wait(graph);
    }
  };
  std::thread other(launchMany);
  launchMany();
  other.join();
  EXPECT_EQ(value, 400u);
  EXPECT_TRUE(runtime->requestMemory(&value, 8).ok());
  EXPECT_TRUE(runtime->untrackMemory(&value).ok());
}

TEST_P(ErrorsTest, RequestWaitsForTheWriter) {
  PlanBuilder builder;
  builder.buffer("value", SLUICE_ACCESS_OUT);
  builder.node("root/a", slowIncrement);
  uint64_t value = 0;
  ASSERT_TRUE(runtime->trackMemory(&value, 8).ok());
  Structure structure;
  structure.add(&value).add(uint64_t(8));
  for (uint64_t round = 1; round <= 50; ++round) {
    void *graph = launch(builder.finish(), structure);
    ASSERT_TRUE(runtime->requestMemory(&value, 8).ok());
    ASSERT_EQ(value, round);
    wait(graph);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ErrorsTest, testing::Values(0, 1, 2, 8));
