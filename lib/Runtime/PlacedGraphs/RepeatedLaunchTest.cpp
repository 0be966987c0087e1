//===- RepeatedLaunchTest.cpp - Launches that cannot just be repeated -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch that equals the one before is repeated as it was recorded. These are
// equal but for something that forbids it: memory that moved, a fault, a user
// in between.
//
//===----------------------------------------------------------------------===//

#include "RepeatedLaunch.h"
#include "Testing/PlacedRandom.h"
#include "Testing/PlacedTest.h"

#include "sluice-c/Plan.h"

#include <thread>

using namespace sluice;
using namespace sluice::test;

namespace {
/// The graph's memory is `buffers`, which stay tracked.
class EqualLaunches {
public:
  EqualLaunches(Runtime &runtime, PlacedRandomGraph &graph, unsigned seed)
      : runtime(runtime), graph(graph), plan(graph.builder.finish()),
        buffers(PlacedRandomGraph::makeBuffers(seed)), seed(seed) {
    for (auto &buffer : buffers)
      EXPECT_TRUE(runtime.trackMemory(buffer.data(), 8 * buffer.size()).ok());
  }
  ~EqualLaunches() {
    for (auto &buffer : buffers)
      EXPECT_EQ(runtime.untrackMemory(buffer.data()).message(), "");
  }
  std::vector<uint64_t> run(int number) {
    std::vector<uint64_t> results;
    for (int i = 0; i < number; ++i) {
      Structure structure = graph.arguments(seed, buffers);
      Result<void *> launched =
          runtime.launch(plan, structure.data(), nullptr, false);
      EXPECT_EQ(launched.status().message(), "");
      if (launched.ok())
        EXPECT_EQ(runtime.wait(*launched).message(), "");
      for (uint64_t result : graph.results(structure))
        results.push_back(result);
    }
    return results;
  }

private:
  Runtime &runtime;
  PlacedRandomGraph &graph;
  const SluicePlan *const plan;
  PlacedRandomGraph::Buffers buffers;
  const unsigned seed;
};

class RepeatedLaunchTest : public PlacedTest {
protected:
  std::vector<uint64_t> runOnHost(int number) {
    options.devices.hostOnly = true;
    start();
    options.devices.hostOnly = false;
    return EqualLaunches(*runtime, *graph, 1).run(number);
  }

  /// Stays: the runtime knows plans by their addresses.
  std::unique_ptr<PlacedRandomGraph> graph;
};
} // namespace

/// What was recorded of memory that moved in between is no sequence.
TEST_P(RepeatedLaunchTest, MemoryThatMovedIsNotRepeated) {
  start();
  std::unique_ptr<Trace> trace;
  MemoryTracker tracker;
  DeviceSet devices(options.devices, "", nullptr, tracker);
  ASSERT_EQ(devices.open().message(), "");
  OpenDevice &device = *devices.devices().front();
  auto first = std::move(*device.device().allocate(64));
  auto second = std::move(*device.device().allocate(64));
  auto record = [&](device::Buffer &later, uint64_t offset) {
    RepeatedLaunch repeated;
    repeated.next(device, {1});
    EXPECT_EQ(repeated.next(device, {1}), RepeatedLaunch::Step::Record);
    MemoryAccess memory = {"memory", 4096, 32, true, true};
    DeviceRun run;
    for (PlacedMemory placed :
         {PlacedMemory{first.get(), 0}, PlacedMemory{&later, offset}}) {
      run.claims = {
          {&tracker, memory, SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT, placed}};
      repeated.add(0, run);
    }
    repeated.recorded(true, 2);
    return repeated.next(device, {1});
  };
  EXPECT_EQ(record(*first, 0), RepeatedLaunch::Step::Repeat);
  EXPECT_NE(record(*first, 32), RepeatedLaunch::Step::Repeat);
  EXPECT_NE(record(*second, 0), RepeatedLaunch::Step::Repeat);
}

/// Two launches whose memory fits one after the other never fail for each
/// other's sake.
TEST_P(RepeatedLaunchTest, LaunchesShareLittleMemory) {
  graph = std::make_unique<PlacedRandomGraph>(610, false, false, maxPlacedNodes,
                                              PlacedValues::NoArrays);
  constexpr int numLaunches = 100;
  std::vector<uint64_t> expected = runOnHost(numLaunches);
  options.changePlaces = placeOnFirst;
  // Pieces of 512 bytes.
  constexpr uint64_t bytes =
      numPlacedBuffers * ((8 * maxPlacedExtent + 511) / 512 * 512);
  options.devices.memory = bytes * 3 / 2;
  start();
  testing::internal::CaptureStderr();
  {
    EqualLaunches first(*runtime, *graph, 1), second(*runtime, *graph, 1);
    std::jthread thread([&] { EXPECT_EQ(first.run(numLaunches), expected); });
    EXPECT_EQ(second.run(numLaunches), expected);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

INSTANTIATE_TEST_SUITE_P(Workers, RepeatedLaunchTest, testing::Values(1, 3));
