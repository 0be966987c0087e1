//===- LeakTest.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that launches and streams for ever does not grow: after the second
// thousand it holds what it held after the first.
//
//===----------------------------------------------------------------------===//

#include "../Plan/Testing/PlanBuilder.h"
#include "HostRuntime.h"

#include <gtest/gtest.h>
#include <malloc.h>

using namespace sluice;
using namespace sluice::test;

/// Allocates, so that memory of instances is in the picture.
static void addOne(const SluiceInvocation *invocation, uint64_t begin,
                   uint64_t end) {
  auto *memory = static_cast<int64_t *>(sluiceMalloc(invocation, 100'000));
  memory[0] = at<int64_t>(invocation, 0) + 1;
  at<int64_t>(invocation, 8) = memory[0];
}

static void fail(const SluiceInvocation *invocation, uint64_t begin,
                 uint64_t end) {
  sluiceFail(invocation, "on purpose");
}

namespace {
struct LeakTest : testing::TestWithParam<unsigned> {
  LeakTest() {
    for (PlanBuilder *builder : {&plain, &failing, &streaming}) {
      bool isStream = builder == &streaming;
      builder->argument("x", 8, isStream ? SLUICE_PORT_STREAM : 0);
      builder->room(8);
      builder->result("y", 8, 8);
      builder->node("root/node", builder == &failing ? fail : addOne);
      builder->plan.isStreaming = isStream;
      builder->finish();
    }
    options.numWorkers = std::max(1u, GetParam());
    options.sequential = GetParam() == 0;
  }

  void launchMany(Runtime &runtime) {
    for (int64_t i = 0; i < 1000; ++i) {
      Structure structure;
      structure.add<int64_t>(i).add<int64_t>(0);
      ASSERT_TRUE(runtime.trackMemory(structure.data(), 16).ok());
      auto graph =
          runtime.launch(&plain.plan, structure.data(), nullptr, false);
      ASSERT_TRUE(graph.ok());
      ASSERT_EQ(runtime.wait(*graph).message(), "");
      ASSERT_EQ(structure.read<int64_t>(8), i + 1);
      ASSERT_TRUE(runtime.untrackMemory(structure.data()).ok());
      auto wrong =
          runtime.launch(&failing.plan, structure.data(), nullptr, false);
      ASSERT_TRUE(wrong.ok());
      ASSERT_FALSE(runtime.wait(*wrong).ok());
    }
  }

  /// Of three results two are left behind.
  void streamMany(Runtime &runtime) {
    for (int64_t i = 0; i < 1000; ++i) {
      Structure structure;
      structure.add<int64_t>(i);
      auto stream =
          runtime.launch(&streaming.plan, structure.data(), nullptr, true);
      ASSERT_TRUE(stream.ok());
      for (int item = 0; item < 3; ++item)
        ASSERT_TRUE(runtime.push(*stream, structure.data(), nullptr).ok());
      auto result = runtime.pop(*stream);
      ASSERT_TRUE(result.ok());
      int64_t value;
      std::memcpy(&value, *result, 8);
      ASSERT_EQ(value, i + 1);
      ASSERT_EQ(runtime.wait(*stream).message(), "");
    }
  }

  /// Bytes in use after a runtime has come and gone.
  size_t bytesAfterARound() {
    auto runtime = std::make_unique<Runtime>(options);
    launchMany(*runtime);
    streamMany(*runtime);
    EXPECT_EQ(runtime->finish().message(), "");
    runtime.reset();
    return mallinfo2().uordblks;
  }

  PlanBuilder plain, failing, streaming;
  RuntimeOptions options;
};
} // namespace

TEST_P(LeakTest, NothingIsLeftOfAThousandLaunchesAndStreams) {
  size_t first = bytesAfterARound();
  size_t second = bytesAfterARound();
  // The smallest block that malloc gives, left a thousand times, has 32000
  // bytes; threads may keep a few blocks for themselves.
  EXPECT_LT(second, first + 16000);
}

INSTANTIATE_TEST_SUITE_P(Workers, LeakTest, testing::Values(0, 1, 2));
