//===- RecordTest.h - Graphs whose runs are recorded ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans whose nodes are functions of the test, and a runtime that records what
// they do.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_RECORD_TESTING_RECORDTEST_H
#define SLUICE_RUNTIME_RECORD_TESTING_RECORDTEST_H

#include "../../Host/HostRuntime.h"
#include "../../Plan/Testing/PlanBuilder.h"
#include "TestFolder.h"

#include "sluice/Runtime/Record/ReadRecord.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>

namespace sluice::test {

constexpr uint32_t maxNodes = 8, numBuffers = 3;
constexpr uint32_t inOut = SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT;

/// What the nodes of the graph that runs do.
inline std::array<std::function<void(const SluiceInvocation *)>, maxNodes>
    bodies;

template <uint32_t Index>
void callBody(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  bodies[Index](invocation);
}
inline const SluiceKernel kernels[maxNodes] = {
    callBody<0>, callBody<1>, callBody<2>, callBody<3>,
    callBody<4>, callBody<5>, callBody<6>, callBody<7>};
inline const char *const nodeNames[maxNodes] = {"root/a", "root/b", "root/c",
                                                "root/d", "root/e", "root/f",
                                                "root/g", "root/h"};

class RecordTest : public testing::Test {
protected:
  RecordTest() {
    options.record.directory = folder.file("r0");
    start();
  }
  ~RecordTest() override { EXPECT_EQ(runtime->finish().message(), ""); }

  /// From here on launches go to a record of their own.
  void startAgain() {
    EXPECT_EQ(runtime->finish().message(), "");
    options.record.directory = folder.file("r" + std::to_string(++number));
    start();
  }
  void start() { runtime = std::make_unique<Runtime>(options); }
  std::unique_ptr<Record> read(unsigned which) {
    Result<std::unique_ptr<Record>> record =
        readRecord(folder.file("r" + std::to_string(which)));
    EXPECT_EQ(record.status().message(), "");
    return record.ok() ? std::move(*record) : std::make_unique<Record>();
  }
  std::unique_ptr<Record> read() { return read(number); }

  std::string run(const SluicePlan *plan, Structure &structure) {
    Result<void *> graph =
        runtime->launch(plan, structure.data(), nullptr, false);
    return graph.ok() ? runtime->wait(*graph).message()
                      : graph.status().message();
  }

  TestFolder folder;
  RuntimeOptions options;
  std::unique_ptr<Runtime> runtime;
  unsigned number = 0;
};

/// A graph of `numNodes` nodes that may all write `numBuffers` buffers.
inline void buildGraph(PlanBuilder &builder, uint32_t numNodes) {
  static const char *const names[] = {"A", "B", "C"};
  for (const char *name : names)
    builder.buffer(name, inOut);
  for (uint32_t i = 0; i < numNodes; ++i) {
    builder.node(nodeNames[i], kernels[i]);
    for (uint32_t buffer = 0; buffer < numBuffers; ++buffer)
      builder.operand(i, 2 * buffer, inOut);
    if (i)
      builder.order(i - 1, i);
  }
  builder.finish();
}

} // namespace sluice::test

#endif // SLUICE_RUNTIME_RECORD_TESTING_RECORDTEST_H
