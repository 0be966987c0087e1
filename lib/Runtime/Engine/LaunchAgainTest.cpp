//===- LaunchAgainTest.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of one plan, each like one of those before or not: what a launch
// knows of the last ones never shows.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"

#include <deque>
#include <random>
#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {

constexpr int64_t length = 48;

/// What the plan's launches take, in the order of its arguments, and return.
struct Step {
  int64_t *data;
  uint64_t bytes;
  uint8_t odd[3];
  int32_t factor;
  int64_t count;
};

constexpr uint64_t oddOffset = 16, factorOffset = 24, countOffset = 32,
                   resultOffset = 40;

int64_t nextValue(int64_t value, int32_t factor, const uint8_t *odd) {
  return value * factor + odd[0] + 256 * odd[1] + 65536 * odd[2];
}

void takeStep(const SluiceInvocation *invocation, uint64_t begin,
              uint64_t end) {
  auto *data = at<int64_t *>(invocation, 0);
  const auto factor = at<int32_t>(invocation, factorOffset);
  if (factor == 0)
    throw std::runtime_error("the factor is 0");
  for (uint64_t i = begin; i < end; ++i)
    data[i] = nextValue(data[i], factor, &at<uint8_t>(invocation, oddOffset));
  const auto count = at<int64_t>(invocation, countOffset);
  if (end == static_cast<uint64_t>(count))
    at<int64_t>(invocation, resultOffset) = count + factor;
}

void countUnits(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame + countOffset, sizeof(int64_t));
  extents[1] = extents[2] = 1;
}

struct LaunchAgainTest : RuntimeTest {
  void SetUp() override {
    RuntimeTest::SetUp();
    options.maxTimeHere = 20000;
    start();
    builder.buffer("data", SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT);
    builder.argument("odd", 3);
    builder.argument("factor", 4);
    builder.argument("count", 8);
    uint32_t node = builder.node("root/step", takeStep, countUnits);
    ASSERT_EQ(builder.output(node, "result", 8), resultOffset);
    builder.result("result", 8, resultOffset);
    plan = builder.finish();
  }

  /// A packed structure with room for the result.
  static Structure packed(const Step &step) {
    Structure structure;
    structure.add(step.data).add(step.bytes);
    for (uint8_t byte : step.odd)
      structure.add(byte);
    structure.add(step.factor).add(step.count).add(int64_t(-1));
    return structure;
  }
  static constexpr size_t packedResult = 31;

  /// A launch in flight.
  struct Flight {
    void *graph;
    Structure structure;
    Step step;
  };
  Flight begin(const Step &step, LaunchKind kind = LaunchKind::Plain) {
    Flight flight = {nullptr, packed(step), step};
    auto graph = runtime->launch(plan, flight.structure.data(), nullptr, kind);
    EXPECT_EQ(graph.status().message(), "");
    flight.graph = *graph;
    return flight;
  }
  void end(Flight &flight) {
    const Step &step = flight.step;
    Status status = runtime->wait(flight.graph);
    const bool isWrong = step.count > 0 && step.factor == 0;
    EXPECT_EQ(status.ok(), !isWrong) << status.message();
    // Without instances the value is 0.
    int64_t expected = isWrong ? -1 : step.count ? step.count + step.factor : 0;
    EXPECT_EQ(flight.structure.read<int64_t>(packedResult), expected);
    // It can be waited for once.
    EXPECT_EQ(runtime->wait(flight.graph).code(), StatusCode::Misuse);
  }

  PlanBuilder builder;
  const SluicePlan *plan = nullptr;
};

/// The arrays of one thread, and what they should hold.
struct Arrays {
  static constexpr unsigned number = 3;
  int64_t found[number][length] = {}, expected[number][length] = {};
  bool isTracked[number] = {};

  Step draw(std::mt19937 &random, const Step *before) {
    // Most are like one of those before.
    Step step = before && random() % 4 ? *before : Step();
    if (!step.data || random() % 4 == 0)
      step.data = found[random() % number];
    if (random() % 8 == 0)
      step.count = random() % 4 ? random() % (length + 1) : 0;
    if (random() % 2 == 0)
      step.factor = random() % 16 ? 1 + random() % 5 : 0;
    step.odd[random() % 3] = random();
    step.bytes = 8 * (step.count + random() % 2);
    step.bytes = std::min<uint64_t>(step.bytes, 8 * length);
    return step;
  }
  void expect(const Step &step) {
    int64_t *data = expected[(step.data - found[0]) / length];
    for (int64_t i = 0; step.factor && i < step.count; ++i)
      data[i] = nextValue(data[i], step.factor, step.odd);
  }
  unsigned indexOf(const Step &step) const {
    return (step.data - found[0]) / length;
  }
};

} // namespace

/// Some of the launches, if any `areOrdered`, are ordered whether or not their
/// memory is tracked.
static void takeRandomSteps(LaunchAgainTest &test, Runtime &runtime,
                            unsigned seed, bool areOrdered = false) {
  std::mt19937 random(seed);
  Arrays arrays;
  std::deque<LaunchAgainTest::Flight> flights;
  auto endAll = [&] {
    while (!flights.empty()) {
      size_t next = random() % flights.size();
      test.end(flights[next]);
      flights.erase(flights.begin() + next);
    }
  };
  Step last[2] = {};
  bool hasPlain = false;
  for (int round = 0; round < 1500; ++round) {
    Step step = arrays.draw(random, &last[random() % 2]);
    const unsigned index = arrays.indexOf(step);
    const bool isOrdered = areOrdered && random() % 3;
    // Nothing orders other launches over memory that is not tracked.
    hasPlain &= !flights.empty();
    if (!arrays.isTracked[index] && (hasPlain || !isOrdered)) {
      endAll();
      hasPlain = false;
    }
    hasPlain |= !isOrdered;
    arrays.expect(step);
    flights.push_back(
        test.begin(step, isOrdered ? LaunchKind::Ordered : LaunchKind::Plain));
    last[round % 2] = step;
    if (random() % 8 || flights.size() > 5)
      endAll();
    if (random() % 64 == 0) {
      endAll();
      const unsigned other = random() % Arrays::number;
      int64_t *data = arrays.found[other];
      bool &isTracked = arrays.isTracked[other];
      Status status = isTracked ? runtime.untrackMemory(data)
                                : runtime.trackMemory(data, 8 * length);
      EXPECT_EQ(status.message(), "");
      isTracked = !isTracked;
    }
    if (random() % 64 == 0 && !flights.empty())
      std::thread([&] {
        test.end(flights.front());
        flights.pop_front();
      }).join();
  }
  endAll();
  for (unsigned i = 0; i < Arrays::number; ++i) {
    EXPECT_TRUE(std::ranges::equal(arrays.found[i], arrays.expected[i]));
    if (arrays.isTracked[i])
      EXPECT_EQ(runtime.untrackMemory(arrays.found[i]).message(), "");
  }
}

TEST_P(LaunchAgainTest, RandomSteps) {
  for (unsigned seed = 0; seed < 4; ++seed)
    takeRandomSteps(*this, *runtime, seed);
}

TEST_P(LaunchAgainTest, RandomStepsOfWhichSomeAreOrdered) {
  for (unsigned seed = 20; seed < 24; ++seed)
    takeRandomSteps(*this, *runtime, seed, /*areOrdered=*/true);
}

/// The first thread has launches that it keeps, the others do not.
TEST_P(LaunchAgainTest, RandomStepsOfSeveralThreads) {
  std::vector<std::thread> threads;
  for (unsigned seed = 10; seed < 12; ++seed)
    threads.emplace_back([&, seed] {
      takeRandomSteps(*this, *runtime, seed, /*areOrdered=*/seed == 11);
    });
  takeRandomSteps(*this, *runtime, 12);
  for (std::thread &thread : threads)
    thread.join();
}

/// What is like the launch before except for how it is asked for.
TEST_P(LaunchAgainTest, OtherKindsOfLaunchesBetween) {
  int64_t data[length] = {}, expected = 0;
  ASSERT_TRUE(runtime->trackMemory(data, sizeof data).ok());
  Step step = {data, sizeof data, {1, 0, 0}, 2, length};
  const uint64_t arguments[] = {8, 0, 16, 24, 32};
  const uint64_t results[] = {40};
  SluiceLayout layout = {tableHead<SluiceLayout>, 48, arguments, results};
  for (int round = 0; round < 60; ++round) {
    expected = 2 * expected + 1;
    if (round % 5 == 4) {
      unsigned char fields[48] = {};
      const uint64_t bytes = sizeof data;
      int64_t *pointer = data;
      std::memcpy(fields, &bytes, 8);
      std::memcpy(fields + 8, &pointer, 8);
      fields[16] = 1;
      std::memcpy(fields + 24, &step.factor, 4);
      std::memcpy(fields + 32, &step.count, 8);
      wait(launch(plan, fields, &layout));
      int64_t result;
      std::memcpy(&result, fields + 40, 8);
      EXPECT_EQ(result, length + 2);
    } else if (round % 5 == 2) {
      Structure structure = packed(step);
      auto graph =
          runtime->launch(plan, structure.data(), nullptr, LaunchKind::Ordered);
      ASSERT_EQ(graph.status().message(), "");
      wait(*graph);
    } else {
      Flight flight = begin(step);
      end(flight);
    }
    ASSERT_EQ(data[0], expected);
    ASSERT_EQ(data[length - 1], expected);
    expected %= 1000;
    std::fill(std::begin(data), std::end(data), expected);
  }
  // Wrong ones are refused, however often the right ones went well.
  step.bytes = 8 * length + 8;
  EXPECT_NE(errorOf(plan, packed(step).data()), "");
  step.bytes = sizeof data;
  SluiceLayout narrow = {tableHead<SluiceLayout>, 40, arguments, results};
  EXPECT_NE(errorOf(plan, packed(step).data(), &narrow), "");
  EXPECT_NE(errorOf(plan, nullptr), "");
  EXPECT_EQ(data[0], expected);
  EXPECT_TRUE(runtime->untrackMemory(data).ok());
}

INSTANTIATE_TEST_SUITE_P(Workers, LaunchAgainTest,
                         testing::Values(0, 1, 2, 3, 8));
