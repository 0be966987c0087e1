//===- LaunchOrderTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches in flight on parts of arrays: those that share no byte that one of
// them writes run together, and all leave what they leave one after another.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"

#include <numeric>
#include <random>
#include <thread>

using namespace sluice;
using namespace sluice::test;

//===----------------------------------------------------------------------===//
// Launches that run together
//===----------------------------------------------------------------------===//

namespace {
/// Its launches take two parts of an array, to read and to write, and each
/// waits in its node until a given number of them have begun.
struct MeetingTest : RuntimeTest {
  void SetUp() override {
    RuntimeTest::SetUp();
    numBegun = 0;
    builder.buffer("from", SLUICE_ACCESS_IN);
    builder.buffer("to", SLUICE_ACCESS_OUT);
    builder.argument("number", 8);
    builder.node("root/meet", meet);
    plan = builder.finish();
    ASSERT_TRUE(runtime->trackMemory(array.data(), 8 * array.size()).ok());
  }
  void TearDown() override {
    EXPECT_EQ(runtime->untrackMemory(array.data()).message(), "");
    RuntimeTest::TearDown();
  }

  static void meet(const SluiceInvocation *invocation, uint64_t, uint64_t) {
    auto *from = at<const int64_t *>(invocation, 0);
    auto *to = at<int64_t *>(invocation, 16);
    ++numBegun;
    while (numBegun < at<int64_t>(invocation, 32))
      std::this_thread::yield();
    *to = *from + 1;
  }

  struct Part {
    size_t from, to;
  };
  /// Launches them by a thread each, which may run them itself.
  void meetAll(std::vector<Part> parts) {
    std::vector<std::thread> threads;
    for (Part part : parts)
      threads.emplace_back([this, part, number = int64_t(parts.size())] {
        Structure structure;
        structure.add(&array[part.from]).add(uint64_t(8));
        structure.add(&array[part.to]).add(uint64_t(8)).add(number);
        run(plan, structure);
      });
    for (std::thread &thread : threads)
      thread.join();
  }

  static inline std::atomic<int64_t> numBegun{0};
  PlanBuilder builder;
  const SluicePlan *plan = nullptr;
  std::vector<int64_t> array = {10, 20, 30, 40, 50, 60};
};
} // namespace

TEST_P(MeetingTest, WritersOfDisjointPartsRunTogether) {
  meetAll({{0, 2}, {1, 3}});
  EXPECT_EQ(array, (std::vector<int64_t>{10, 20, 11, 21, 50, 60}));
}

TEST_P(MeetingTest, ReadersOfOnePartRunTogether) {
  meetAll({{0, 2}, {0, 1}});
  EXPECT_EQ(array, (std::vector<int64_t>{10, 11, 11, 40, 50, 60}));
}

TEST_P(MeetingTest, AsManyAsThereAreWorkers) {
  std::vector<Part> parts;
  for (size_t i = 1; i <= GetParam(); ++i)
    parts.push_back({0, i});
  meetAll(parts);
  for (size_t i = 1; i <= GetParam(); ++i)
    EXPECT_EQ(array[i], 11);
}

/// The host may request what nobody writes while other parts are written.
TEST_P(MeetingTest, RequestsWaitForWritersOfTheirBytesOnly) {
  Structure structure;
  structure.add(&array[0]).add(uint64_t(8));
  structure.add(&array[1]).add(uint64_t(8)).add(int64_t(2));
  std::thread other([&] { run(plan, structure); });
  while (numBegun == 0)
    std::this_thread::yield();
  EXPECT_TRUE(runtime->requestMemory(&array[2], 32).ok());
  EXPECT_TRUE(runtime->requestMemory(&array[0], 8).ok());
  array[2] = 33;
  EXPECT_EQ(runtime->untrackMemory(array.data()).code(), StatusCode::Misuse);
  ++numBegun; // Lets it end.
  EXPECT_TRUE(runtime->requestMemory(&array[1], 8).ok());
  EXPECT_EQ(array, (std::vector<int64_t>{10, 11, 33, 40, 50, 60}));
  other.join();
}

INSTANTIATE_TEST_SUITE_P(Workers, MeetingTest, testing::Values(2, 3, 4));

//===----------------------------------------------------------------------===//
// What plans say of memory
//===----------------------------------------------------------------------===//

static void doNothing(const SluiceInvocation *, uint64_t, uint64_t) {}

TEST(MemoryOfPlansTest, WhatLeavesWriteIsWritten) {
  PlanBuilder builder;
  builder.buffer("declared", SLUICE_ACCESS_IN);
  builder.buffer("read", SLUICE_ACCESS_IN);
  builder.buffer("unmarked", SLUICE_ACCESS_NONE);
  uint32_t node = builder.node("root/node", doNothing);
  builder.operand(node, 0, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
  builder.operand(node, 2, SLUICE_ACCESS_IN);
  auto info = PlanInfo::create(*builder.finish());
  ASSERT_EQ(info.status().message(), "");
  ASSERT_EQ((*info)->pointers.size(), 3u);
  EXPECT_TRUE((*info)->pointers[0].isWritten);
  EXPECT_FALSE((*info)->pointers[1].isWritten);
  EXPECT_TRUE((*info)->pointers[2].isWritten);
}

/// A kernel that takes memory in another way than the arguments state it may
/// touch anything in the object.
TEST(MemoryOfPlansTest, DeviceKernelsMayUseWholeObjects) {
  for (bool hasOtherSize : {false, true}) {
    PlanBuilder builder;
    builder.buffer("data", SLUICE_ACCESS_IN);
    uint64_t other = builder.argument("count", 8);
    uint32_t node = builder.node("root/node", doNothing);
    builder.device(node, "node");
    builder.pointerParameter(node, 0, SLUICE_ACCESS_IN);
    if (hasOtherSize)
      builder.parameter(node, {SLUICE_DEVICE_POINTER, SLUICE_ACCESS_IN, 0,
                               sizeof(void *), 0, 0, other, nullptr});
    auto info = PlanInfo::create(*builder.finish());
    ASSERT_EQ(info.status().message(), "");
    EXPECT_EQ((*info)->usesWholeObjects, hasOtherSize);
  }
}

TEST(MemoryOfPlansTest, PairsAreOfPointers) {
  PlanBuilder builder;
  builder.buffer("data", SLUICE_ACCESS_IN);
  builder.node("root/node", doNothing);
  builder.disjoint(0, 1);
  EXPECT_EQ(PlanInfo::create(*builder.finish()).status().message(),
            "plan 'root': pair 0 names argument 1, which is no pointer");
}

//===----------------------------------------------------------------------===//
// Random launches
//===----------------------------------------------------------------------===//

namespace {
using LaunchOrderTest = RuntimeTest;

/// As `combine` has it in the frame.
struct Arguments {
  unsigned char *from;
  uint64_t fromBytes;
  unsigned char *and_;
  uint64_t andBytes;
  unsigned char *to;
  uint64_t toBytes;
  uint64_t number;
};

/// Makes the target of itself and both sources; neither of them overlaps it.
void combine(const Arguments &arguments) {
  for (uint64_t i = 0; i < arguments.toBytes; ++i) {
    unsigned value = arguments.to[i] * 31 + arguments.number;
    if (arguments.fromBytes)
      value += arguments.from[i % arguments.fromBytes];
    if (arguments.andBytes)
      value ^= arguments.and_[(i * 7) % arguments.andBytes];
    arguments.to[i] = static_cast<unsigned char>(value);
  }
}

void combineNode(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  combine(at<Arguments>(invocation, 0));
}

struct RandomLaunches {
  RandomLaunches(uint64_t seed, Runtime &runtime)
      : random(seed), runtime(runtime) {
    builder.buffer("from", SLUICE_ACCESS_IN);
    builder.buffer("and", SLUICE_ACCESS_IN);
    builder.buffer("to", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.argument("number", 8);
    builder.node("root/combine", combineNode);
    for (size_t i = 0; i < 3; ++i) {
      objects.emplace_back(1 + below(200));
      std::iota(objects.back().begin(), objects.back().end(), i);
      EXPECT_TRUE(
          runtime.trackMemory(objects[i].data(), objects[i].size()).ok());
    }
    expected = objects;
  }

  struct Part {
    size_t object;
    uint64_t first, size;
  };

  uint64_t below(uint64_t bound) { return random() % bound; }
  Part anyPart() {
    size_t object = below(objects.size());
    uint64_t size = objects[object].size(), first = below(size);
    // Tiles as well as anything else.
    if (below(2) == 0)
      return {object, first / 16 * 16, std::min<uint64_t>(16, size - first)};
    return {object, first, below(size - first + 1)};
  }
  static bool overlap(const Part &a, const Part &b) {
    return a.object == b.object && a.first < b.first + b.size &&
           b.first < a.first + a.size;
  }

  void run(uint64_t numLaunches) {
    std::deque<Arguments> structures;
    std::vector<void *> handles;
    const SluicePlan *plan = builder.finish();
    for (uint64_t number = 0; number < numLaunches; ++number) {
      Part to = anyPart(), from = anyPart(), also = anyPart();
      if (overlap(from, to))
        from.size = 0;
      if (overlap(also, to))
        also.size = 0;
      auto argumentsIn = [&](std::vector<std::vector<unsigned char>> &all) {
        return Arguments{all[from.object].data() + from.first,
                         from.size,
                         all[also.object].data() + also.first,
                         also.size,
                         all[to.object].data() + to.first,
                         to.size,
                         number};
      };
      combine(argumentsIn(expected));
      structures.push_back(argumentsIn(objects));
      Result<void *> graph =
          runtime.launch(plan, &structures.back(), nullptr, false);
      ASSERT_EQ(graph.status().message(), "");
      handles.push_back(*graph);
      if (below(50) == 0)
        request(anyPart());
    }
    std::shuffle(handles.begin(), handles.end(), random);
    for (void *handle : handles)
      ASSERT_EQ(runtime.wait(handle).message(), "");
    EXPECT_EQ(objects, expected);
    for (auto &object : objects)
      EXPECT_TRUE(runtime.untrackMemory(object.data()).ok());
  }

  /// What the host sees are the bytes after all launches so far.
  void request(const Part &part) {
    if (part.size == 0)
      return;
    unsigned char *bytes = objects[part.object].data() + part.first;
    ASSERT_TRUE(runtime.requestMemory(bytes, part.size).ok());
    auto *sequential = expected[part.object].data() + part.first;
    EXPECT_TRUE(std::equal(bytes, bytes + part.size, sequential));
  }

  std::mt19937_64 random;
  Runtime &runtime;
  PlanBuilder builder;
  std::vector<std::vector<unsigned char>> objects, expected;
};
} // namespace

TEST_P(LaunchOrderTest, RandomLaunchesLeaveWhatTheyLeaveOneAfterAnother) {
  std::deque<RandomLaunches> all; // A plan's address means that plan.
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    all.emplace_back(seed, *runtime).run(10 + 10 * seed);
    if (HasFatalFailure())
      return;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, LaunchOrderTest,
                         testing::Values(0, 1, 2, 3, 4));
