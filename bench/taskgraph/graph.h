//===- graph.h - The task graphs of the benchmark ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is a compressed table that every program turns into its own tasks.
// Nodes are numbered in a topological order. Besides the chain, the fan-out
// and the wavefront there are grids: `width` columns and `steps` steps, where
// the task at (step, column) depends on tasks of the step before, as in
// Task Bench (Slaughter et al., SC 2020).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_BENCH_GRAPH_H
#define SLUICE_BENCH_GRAPH_H

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bench {

/// The most predecessors that a task of these graphs has.
constexpr uint32_t maxPredecessors = 4;
constexpr uint32_t maxWidth = 4;

class Graph {
public:
  /// Adds a node whose predecessors were all added before.
  void add(std::span<const uint32_t> before) {
    predecessorTable.insert(predecessorTable.end(), before.begin(),
                            before.end());
    firstPredecessor.push_back(static_cast<uint32_t>(predecessorTable.size()));
  }
  /// Derives the successors; after the last node.
  void finish() {
    firstSuccessor.assign(size() + 1, 0);
    for (uint32_t before : predecessorTable)
      ++firstSuccessor[before + 1];
    for (uint32_t node = 0; node < size(); ++node)
      firstSuccessor[node + 1] += firstSuccessor[node];
    std::vector<uint32_t> next = firstSuccessor;
    successorTable.resize(predecessorTable.size());
    for (uint32_t node = 0; node < size(); ++node)
      for (uint32_t before : predecessors(node))
        successorTable[next[before]++] = node;
  }
  bool operator==(const Graph &) const = default;
  uint32_t size() const {
    return static_cast<uint32_t>(firstPredecessor.size()) - 1;
  }
  std::span<const uint32_t> predecessors(uint32_t node) const {
    return slice(predecessorTable, firstPredecessor, node);
  }
  std::span<const uint32_t> successors(uint32_t node) const {
    return slice(successorTable, firstSuccessor, node);
  }

private:
  static std::span<const uint32_t> slice(const std::vector<uint32_t> &table,
                                         const std::vector<uint32_t> &first,
                                         uint32_t node) {
    return {table.data() + first[node], first[node + 1] - first[node]};
  }
  std::vector<uint32_t> firstPredecessor = {0}, predecessorTable;
  std::vector<uint32_t> firstSuccessor, successorTable;
};

inline Graph makeChain(uint32_t length) {
  Graph graph;
  graph.add({});
  for (uint32_t node = 0; node + 1 < length; ++node)
    graph.add({&node, 1});
  graph.finish();
  return graph;
}

/// One task, and all others after it.
inline Graph makeFanOut(uint32_t count) {
  Graph graph;
  const uint32_t first = 0;
  graph.add({});
  for (uint32_t node = 1; node < count; ++node)
    graph.add({&first, 1});
  graph.finish();
  return graph;
}

/// A square in which every task waits for those above it and left of it.
inline Graph makeWavefront(uint32_t side) {
  Graph graph;
  for (uint32_t row = 0; row < side; ++row)
    for (uint32_t column = 0; column < side; ++column) {
      uint32_t node = row * side + column, before[2], count = 0;
      if (row > 0)
        before[count++] = node - side;
      if (column > 0)
        before[count++] = node - 1;
      graph.add({before, count});
    }
  graph.finish();
  return graph;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

/// Which columns of the step before a task depends on.
struct Pattern {
  std::string_view name;
  bool (*depends)(uint32_t width, uint32_t step, uint32_t column,
                  uint32_t other);
};

inline uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

/// The butterfly's stride at a step: 1, 2, 4 ... below the width, again 1 ...
inline uint32_t butterflyStride(uint32_t width, uint32_t step) {
  uint32_t levels = 1;
  while ((2u << (levels - 1)) < width)
    ++levels;
  return 1u << ((step - 1) % levels);
}

inline constexpr Pattern patterns[] = {
    {"stencil_1d", [](uint32_t, uint32_t, uint32_t column,
                      uint32_t other) { return distance(column, other) <= 1; }},
    {"fft",
     [](uint32_t width, uint32_t step, uint32_t column, uint32_t other) {
       return column == other ||
              distance(column, other) == butterflyStride(width, step);
     }},
    {"tree", // columns 2 i and 2 i + 1 continue column i
     [](uint32_t, uint32_t, uint32_t column, uint32_t other) {
       return other == column / 2;
     }},
    {"nearest", // five columns
     [](uint32_t, uint32_t, uint32_t column, uint32_t other) {
       return distance(column, other) <= 2;
     }},
    {"all_to_all", [](uint32_t, uint32_t, uint32_t, uint32_t) { return true; }},
    {"no_comm", [](uint32_t, uint32_t, uint32_t column,
                   uint32_t other) { return column == other; }},
};

inline const Pattern *findPattern(std::string_view name) {
  for (const Pattern &pattern : patterns)
    if (pattern.name == name)
      return &pattern;
  return nullptr;
}

/// Node `step * width + column`; the first step depends on nothing.
inline Graph makeGrid(const Pattern &pattern, uint32_t width, uint32_t steps) {
  Graph graph;
  for (uint32_t step = 0; step < steps; ++step)
    for (uint32_t column = 0; column < width; ++column) {
      uint32_t before[maxWidth], count = 0;
      for (uint32_t other = 0; step > 0 && other < width; ++other)
        if (pattern.depends(width, step, column, other))
          before[count++] = (step - 1) * width + other;
      graph.add({before, count});
    }
  graph.finish();
  return graph;
}

} // namespace bench

#endif // SLUICE_BENCH_GRAPH_H
