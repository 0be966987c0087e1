//===- RandomGraph.h - Random plans whose results show the order ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every instance of every node computes a hash of its inputs, so that a node
// which starts too early, twice or never changes the results.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_PLAN_TESTING_RANDOMGRAPH_H
#define SLUICE_RUNTIME_PLAN_TESTING_RANDOMGRAPH_H

#include "PlanBuilder.h"

#include <array>
#include <memory>
#include <random>
#include <utility>

namespace sluice::test {

constexpr uint32_t maxRandomNodes = 24;
constexpr uint32_t numRandomExtents = 3;

/// How one node finds its inputs and outputs in the frame.
struct RandomNode {
  std::vector<uint64_t> values; ///< of all-to-all predecessors
  std::vector<uint64_t> arrays; ///< of one-to-one predecessors
  uint64_t output = 0;
  uint64_t array = SLUICE_NO_OFFSET;
  uint32_t extent = 0; ///< which argument
};

/// The graph whose kernels run; one at a time.
inline std::array<RandomNode, maxRandomNodes> randomNodes;

inline uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9fb21c651e98df25);
  return hash ^ (hash >> 29);
}

template <uint32_t Index>
void randomKernel(const SluiceInvocation *invocation, uint64_t begin,
                  uint64_t end) {
  const RandomNode &node = randomNodes[Index];
  uint64_t last = static_cast<uint64_t>(invocation->extents[0]) - 1;
  for (uint64_t i = begin; i < end; ++i) {
    uint64_t hash = mix(Index, i);
    for (uint64_t offset : node.values)
      hash = mix(hash, at<uint64_t>(invocation, offset));
    for (uint64_t offset : node.arrays)
      hash = mix(hash, at<uint64_t *>(invocation, offset)[i]);
    // The argument at offset 0 differs from launch to launch.
    hash = mix(hash, at<uint64_t>(invocation, 0));
    if (node.array != SLUICE_NO_OFFSET)
      at<uint64_t *>(invocation, node.array)[i] = hash;
    if (i == last)
      at<uint64_t>(invocation, node.output) = hash;
  }
}

template <uint32_t Extent>
void randomExtents(const unsigned char *frame, int64_t *extents) {
  std::memcpy(extents, frame + 8 * (1 + Extent), 8);
  extents[1] = extents[2] = 1;
}

template <size_t... Indices>
std::array<SluiceKernel, sizeof...(Indices)>
randomKernels(std::index_sequence<Indices...>) {
  return {randomKernel<Indices>...};
}

/// A graph of up to `maxRandomNodes` nodes, all of whose outputs are results.
/// Arguments: a seed and `numRandomExtents` extents, 64 bits each.
class RandomGraph {
public:
  explicit RandomGraph(unsigned seed) : random(seed) {
    builder.argument("seed", 8);
    for (uint32_t i = 0; i < numRandomExtents; ++i)
      builder.argument("extent", 8);
    numNodes = 2 + pick(maxRandomNodes - 1);
    for (uint32_t i = 0; i < numNodes; ++i)
      addNode(i);
    for (uint32_t i = 0; i < numNodes; ++i)
      builder.result("out", 8, randomNodes[i].output);
    builder.finish();
  }

  Structure arguments(unsigned seed, int64_t maxExtent) {
    Structure structure;
    structure.add(uint64_t(seed));
    for (uint32_t i = 0; i < numRandomExtents; ++i)
      structure.add(int64_t(pick(maxExtent + 1)));
    for (uint32_t i = 0; i < numNodes; ++i)
      structure.add(uint64_t(0));
    return structure;
  }

  PlanBuilder builder;
  uint32_t numNodes;

private:
  uint32_t pick(uint32_t limit) { return random() % limit; }

  void addNode(uint32_t index) {
    static const auto kernels =
        randomKernels(std::make_index_sequence<maxRandomNodes>());
    static const SluiceExtents extents[] = {randomExtents<0>, randomExtents<1>,
                                            randomExtents<2>};
    static const char *names[] = {"root/a", "root/b", "root/c", "root/d"};
    RandomNode &node = randomNodes[index];
    node = {};
    node.extent = pick(numRandomExtents);
    builder.node(names[index % 4], kernels[index], extents[node.extent]);
    node.output = builder.output(index, "out", 8, true, &node.array);
    builder.at(index).unitCost = pick(3) * 500;
    for (uint32_t source = 0; source < index; ++source) {
      if (pick(4) != 0)
        continue;
      bool oneToOne = randomNodes[source].extent == node.extent && pick(4) != 0;
      builder.order(source, index,
                    oneToOne ? SLUICE_ONE_TO_ONE : SLUICE_ALL_TO_ALL);
      if (oneToOne)
        node.arrays.push_back(randomNodes[source].array);
      else
        node.values.push_back(randomNodes[source].output);
    }
  }

  std::mt19937 random;
};

} // namespace sluice::test

#endif // SLUICE_RUNTIME_PLAN_TESTING_RANDOMGRAPH_H
