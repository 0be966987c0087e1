//===- PlainGraphTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of single instances, run in order by one worker, shared from the
// start, and shared from some node on.
//
//===----------------------------------------------------------------------===//

#include "../Host/Testing/RuntimeTest.h"
#include "../Plan/Testing/RandomGraph.h"

#include "../Scheduling/Clock.h"

#include <stdexcept>
#include <unordered_map>

using namespace sluice;
using namespace sluice::test;

namespace {
/// A graph whose kernel knows its node by the address of its extents.
struct Node {
  std::vector<uint64_t> inputs; ///< frame offsets
  uint64_t output = 0;
  uint64_t spinNanoseconds = 0;
  bool fails = false;
};
std::unordered_map<const int64_t *, Node> nodes;

void kernel(const SluiceInvocation *invocation, uint64_t, uint64_t) {
  const Node &node = nodes.at(invocation->extents);
  if (node.fails && at<uint64_t>(invocation, 0) == 13)
    throw std::runtime_error("thirteen");
  uint64_t hash = mix(node.output, at<uint64_t>(invocation, 0));
  for (uint64_t offset : node.inputs)
    hash = mix(hash, at<uint64_t>(invocation, offset));
  if (node.spinNanoseconds)
    for (uint64_t end = clockNanoseconds() + node.spinNanoseconds;
         clockNanoseconds() < end;)
      ;
  at<uint64_t>(invocation, node.output) = hash;
}

class PlainGraphTest : public RuntimeTest {
protected:
  /// Nodes below `numSmall` do little, the others `spinNanoseconds`.
  const SluicePlan *build(unsigned seed, uint32_t numNodes, uint32_t numSmall,
                          uint64_t spinNanoseconds) {
    builder = std::make_unique<PlanBuilder>();
    std::mt19937 random(seed);
    builder->argument("seed", 8);
    std::vector<Node> made(numNodes);
    for (uint32_t i = 0; i < numNodes; ++i) {
      builder->node("root/plain", kernel, {1});
      made[i].output = builder->output(i, "out", 8);
      made[i].spinNanoseconds = i < numSmall ? 0 : spinNanoseconds;
      made[i].fails = i == numNodes / 2;
      uint32_t numSources = i ? random() % 4 : 0;
      for (uint32_t k = 0; k < numSources; ++k) {
        uint32_t source = i - 1 - random() % std::min(i, 20u);
        builder->order(source, i);
        made[i].inputs.push_back(made[source].output);
      }
      builder->result("out", 8, made[i].output);
    }
    const SluicePlan *plan = builder->finish();
    nodes.clear();
    for (uint32_t i = 0; i < numNodes; ++i)
      nodes[plan->nodes[i].constantExtents] = made[i];
    return plan;
  }
  static Structure arguments(const SluicePlan *plan, uint64_t seed) {
    Structure structure;
    structure.add(seed);
    for (uint32_t i = 0; i < plan->numResults; ++i)
      structure.add(uint64_t(0));
    return structure;
  }
  /// The results of running nodes in their order.
  static Structure expected(const SluicePlan *plan, uint64_t seed) {
    Structure structure = arguments(plan, seed);
    std::vector<unsigned char> frame(plan->frameSize);
    std::memcpy(frame.data(), &seed, 8);
    for (uint32_t i = 0; i < plan->numNodes; ++i) {
      SluiceInvocation invocation = {
          frame.data(), plan->nodes[i].constantExtents, nullptr, 0, 0};
      kernel(&invocation, 0, 1);
      std::memcpy(static_cast<char *>(structure.data()) + 8 + 8 * i,
                  frame.data() + plan->results[i].frameOffset, 8);
    }
    return structure;
  }
  static bool same(const SluicePlan *plan, Structure &a, Structure &b) {
    return std::memcmp(a.data(), b.data(), plan->packedSize) == 0;
  }
  std::unique_ptr<PlanBuilder> builder;
};
} // namespace

TEST_P(PlainGraphTest, EveryNodeRunsOnceAfterItsSources) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    start(); // The next plan may have this one's address.
    uint32_t numNodes = 1 + seed * 17;
    uint64_t spin = seed % 3 * 400;
    const SluicePlan *plan = build(seed, numNodes, seed % 2 * 100, spin);
    // Looks at the cost are taken at the first launches and now and then.
    for (uint64_t launch = 100; launch < 120; ++launch) {
      Structure structure = arguments(plan, launch);
      Structure correct = expected(plan, launch);
      run(plan, structure);
      ASSERT_TRUE(same(plan, structure, correct))
          << "seed " << seed << ", launch " << launch;
    }
  }
}

TEST_P(PlainGraphTest, FailuresLeaveTheGraphUsable) {
  for (uint64_t spin : {0, 300}) {
    start();
    const SluicePlan *plan = build(7, 200, 10, spin);
    Structure correct = expected(plan, 5);
    for (int i = 0; i < 20; ++i) {
      Structure structure = arguments(plan, i % 2 ? 5 : 13);
      if (i % 2 == 0) {
        EXPECT_EQ(errorOf(plan, structure.data()),
                  "node 'root/plain' at test.c:1:1: an exception left it: "
                  "thirteen");
        continue;
      }
      run(plan, structure);
      ASSERT_TRUE(same(plan, structure, correct));
    }
  }
}

TEST_P(PlainGraphTest, SeveralLaunchesAtOnce) {
  const SluicePlan *plan = build(3, 150, 20, 200);
  for (int round = 0; round < 10; ++round) {
    std::vector<Structure> structures;
    std::vector<void *> graphs;
    for (uint64_t i = 0; i < 8; ++i)
      structures.push_back(arguments(plan, i));
    for (Structure &structure : structures)
      graphs.push_back(launch(plan, structure));
    for (void *graph : graphs)
      wait(graph);
    for (uint64_t i = 0; i < 8; ++i) {
      Structure correct = expected(plan, i);
      ASSERT_TRUE(same(plan, structures[i], correct)) << "launch " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, PlainGraphTest, testing::Values(1, 2, 8));
