//===- runtime.cpp - What the runtime costs without a compiler ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans written by hand, whose kernels do next to nothing: what is measured is
// launch, scheduling along edges, and wait.
//
//===----------------------------------------------------------------------===//

#include "sluice-c/Runtime.h"
#include "sluice/Base/TableHead.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int64_t numInstances = 2;
constexpr unsigned stride = 16; // numbers on lines of their own

unsigned counters[numInstances * stride];

void countInstances(const SluiceInvocation *, uint64_t begin, uint64_t end) {
  for (uint64_t unit = begin; unit != end; ++unit)
    ++counters[unit * stride];
}

void doNothing(const SluiceInvocation *, uint64_t begin, uint64_t) {
  benchmark::DoNotOptimize(begin);
}

/// A graph of `numNodes` nodes with two instances each, one after another, or
/// all independent of each other.
class Graph {
public:
  Graph(unsigned numNodes, bool isChain) : nodes(numNodes) {
    successors.resize(numNodes);
    for (unsigned i = 0; i < numNodes; ++i) {
      SluicePlanNode &node = nodes[i];
      node.name = "root/node";
      node.location = "";
      node.kernel = isChain ? countInstances : doNothing;
      node.constantExtents = extents;
      node.numLevels = node.numIndexLevels = node.numUnitLevels = 1;
      node.target = SLUICE_TARGET_CPU;
      if (isChain && i > 0)
        node.numAllToAllPredecessors = 1;
      if (isChain && i + 1 < numNodes) {
        successors[i] = {i + 1, SLUICE_ALL_TO_ALL};
        node.successors = &successors[i];
        node.numSuccessors = 1;
      }
    }
    plan.head = sluice::tableHead<SluicePlan>;
    plan.name = "root";
    plan.location = "";
    plan.nodes = nodes.data();
    plan.numNodes = numNodes;
  }

  void run() { sluiceWait(sluiceLaunch(&plan, &noArguments, nullptr, 0)); }

private:
  static constexpr int64_t extents[3] = {numInstances, 1, 1};
  std::vector<SluicePlanNode> nodes;
  std::vector<SluicePlanSuccessor> successors;
  SluicePlan plan = {};
  char noArguments = 0;
};

void checkCounters(uint64_t expected) {
  for (int64_t i = 0; i < numInstances; ++i)
    if (counters[i * stride] != static_cast<unsigned>(expected)) {
      std::fprintf(stderr, "instance %ld ran %u times, expected %lu\n",
                   static_cast<long>(i), counters[i * stride], expected);
      std::exit(1);
    }
}

void measure(benchmark::State &state, bool isChain) {
  const unsigned numNodes = static_cast<unsigned>(state.range(0));
  Graph graph(numNodes, isChain);
  for (unsigned &counter : counters)
    counter = 0;
  uint64_t launches = 0;
  for (auto _ : state) {
    graph.run();
    ++launches;
  }
  if (isChain) // the others would count at the same time
    checkCounters(launches * numNodes);
  state.counters["time/node"] = benchmark::Counter(
      numNodes, benchmark::Counter::kIsIterationInvariantRate |
                    benchmark::Counter::kInvert);
}

void launchChain(benchmark::State &state) { measure(state, true); }
void launchIndependent(benchmark::State &state) { measure(state, false); }

/// Scales and shifts an array whose length is an argument.
struct StepArguments {
  float *values;
  uint64_t valuesBytes;
  uint64_t count;
};

void shiftValues(const SluiceInvocation *invocation, uint64_t begin,
                 uint64_t end) {
  auto *frame = reinterpret_cast<const StepArguments *>(invocation->frame);
  for (uint64_t unit = begin; unit != end; ++unit)
    frame->values[unit] = 1 - frame->values[unit];
}

void countValues(const unsigned char *frame, int64_t *extents) {
  extents[0] = static_cast<int64_t>(
      reinterpret_cast<const StepArguments *>(frame)->count);
  extents[1] = extents[2] = 1;
}

/// One leaf over tracked memory, launched and waited for again and again.
void launchTracked(benchmark::State &state) {
  std::vector<float> values(state.range(0));
  const SluicePlanArgument arguments[] = {
      {"values", 8, offsetof(StepArguments, values), SLUICE_PORT_POINTER,
       SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT, 1, 0},
      {"valuesBytes", 8, offsetof(StepArguments, valuesBytes), 0, 0,
       SLUICE_NO_INDEX, 0},
      {"count", 8, offsetof(StepArguments, count), 0, 0, SLUICE_NO_INDEX, 0}};
  SluicePlanNode node = {};
  node.name = "root/step";
  node.location = "";
  node.kernel = shiftValues;
  node.extents = countValues;
  node.numLevels = node.numIndexLevels = node.numUnitLevels = 1;
  node.target = SLUICE_TARGET_CPU;
  SluicePlan plan = {};
  plan.head = sluice::tableHead<SluicePlan>;
  plan.name = "root";
  plan.location = "";
  plan.frameSize = plan.packedSize = sizeof(StepArguments);
  plan.arguments = arguments;
  plan.numArguments = 3;
  plan.nodes = &node;
  plan.numNodes = 1;
  sluiceTrackMemory(values.data(), sizeof(float) * values.size());
  StepArguments step = {values.data(), sizeof(float) * values.size(),
                        values.size()};
  for (auto _ : state)
    sluiceWait(sluiceLaunch(&plan, &step, nullptr, 0));
  sluiceUntrackMemory(values.data());
}

BENCHMARK(launchTracked)->Arg(2)->UseRealTime();
BENCHMARK(launchChain)->Arg(1)->Arg(16)->Arg(256)->UseRealTime();
BENCHMARK(launchIndependent)->Arg(16)->Arg(256)->UseRealTime();

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  sluiceInit();
  benchmark::RunSpecifiedBenchmarks();
  sluiceCleanup();
  return 0;
}
