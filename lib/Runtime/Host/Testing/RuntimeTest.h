//===- RuntimeTest.h - A runtime for every test ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fixture of tests that run over several numbers of workers.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_HOST_TESTING_RUNTIMETEST_H
#define SLUICE_RUNTIME_HOST_TESTING_RUNTIMETEST_H

#include "../../Plan/Testing/PlanBuilder.h"
#include "../HostRuntime.h"
#include "TestFolder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>

namespace sluice::test {

/// The parameter is the number of workers; 0 stands for the sequential
/// interpreter, and these for runs that are recorded, each node once or twice.
constexpr unsigned recorded = 1001, recordedTwice = 1002;

class RuntimeTest : public testing::TestWithParam<unsigned> {
protected:
  void SetUp() override {
    const bool isRecorded = GetParam() >= recorded;
    if (isRecorded)
      options.record.directory = folder.emplace().file("record");
    options.record.verifies = GetParam() == recordedTwice;
    options.record.bytes = 1 << 20;
    options.numWorkers = isRecorded ? 1 : std::max(1u, GetParam());
    options.sequential = GetParam() == 0;
    // Small graphs are to find their way through the workers, too.
    options.maxTimeHere = 0;
    start();
  }
  void TearDown() override {
    if (runtime)
      EXPECT_EQ(runtime->finish().message(), "");
  }
  void start() {
    runtime.reset();
    runtime = std::make_unique<Runtime>(options);
  }

  void *launch(const SluicePlan *plan, void *structure,
               const SluiceLayout *layout = nullptr) {
    Result<void *> graph = runtime->launch(plan, structure, layout, false);
    EXPECT_EQ(graph.status().message(), "");
    return graph.ok() ? *graph : nullptr;
  }
  void *launch(const SluicePlan *plan, Structure &structure) {
    return launch(plan, structure.data());
  }
  void wait(void *graph) { ASSERT_EQ(runtime->wait(graph).message(), ""); }
  void run(const SluicePlan *plan, Structure &structure) {
    wait(launch(plan, structure));
  }
  /// The error of a launch or of waiting for it.
  std::string errorOf(const SluicePlan *plan, void *structure,
                      const SluiceLayout *layout = nullptr) {
    Result<void *> graph = runtime->launch(plan, structure, layout, false);
    return graph.ok() ? runtime->wait(*graph).message()
                      : graph.status().message();
  }

  std::optional<TestFolder> folder;
  RuntimeOptions options;
  std::unique_ptr<Runtime> runtime;
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_HOST_TESTING_RUNTIMETEST_H
