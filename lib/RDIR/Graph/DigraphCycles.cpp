//===- DigraphCycles.cpp - Components and short cycles --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tarjan's algorithm with an explicit stack, and searches for the shortest path
// from a node back to itself.
//
//===----------------------------------------------------------------------===//

#include "Digraph.h"

#include <algorithm>
#include <deque>

using namespace sluice::rdir;

namespace {
/// R. Tarjan, "Depth-first search and linear graph algorithms" (1972).
class ComponentSearch {
public:
  explicit ComponentSearch(const Digraph &graph)
      : graph(graph), number(graph.size()), low(graph.size()),
        isOpen(graph.size()) {}

  std::vector<std::vector<uint32_t>> run() {
    for (uint32_t node = 0; node < graph.size(); ++node)
      if (number[node] == 0)
        searchFrom(node);
    return std::move(components);
  }

private:
  struct Frame {
    uint32_t node, nextEdge;
  };

  void enter(uint32_t node) {
    number[node] = low[node] = ++lastNumber;
    isOpen[node] = true;
    open.push_back(node);
    frames.push_back({node, 0});
  }

  void searchFrom(uint32_t start) {
    enter(start);
    while (!frames.empty()) {
      Frame &frame = frames.back();
      uint32_t node = frame.node;
      std::span<const uint32_t> out = graph.out(node);
      if (frame.nextEdge < out.size()) {
        uint32_t next = out[frame.nextEdge++];
        if (number[next] == 0)
          enter(next);
        else if (isOpen[next])
          low[node] = std::min(low[node], number[next]);
        continue;
      }
      frames.pop_back();
      if (low[node] == number[node])
        closeComponent(node);
      if (!frames.empty()) {
        uint32_t above = frames.back().node;
        low[above] = std::min(low[above], low[node]);
      }
    }
  }

  void closeComponent(uint32_t root) {
    size_t begin = open.size();
    do {
      isOpen[open[--begin]] = false;
    } while (open[begin] != root);
    std::span<const uint32_t> out = graph.out(root);
    bool isCyclic = open.size() - begin > 1 ||
                    std::find(out.begin(), out.end(), root) != out.end();
    if (isCyclic)
      components.emplace_back(open.begin() + begin, open.end());
    open.resize(begin);
  }

  const Digraph &graph;
  std::vector<uint32_t> number, low, open;
  std::vector<bool> isOpen;
  std::vector<Frame> frames;
  std::vector<std::vector<uint32_t>> components;
  uint32_t lastNumber = 0;
};

/// Searches by weight for a path from one node back to itself, within one
/// component.
class CycleSearch {
public:
  CycleSearch(const Digraph &graph, uint32_t firstFreeNode)
      : graph(graph), firstFreeNode(firstFreeNode),
        isInside(graph.size(), false), distance(graph.size(), unknown),
        previous(graph.size()) {}

  std::vector<uint32_t> run(const std::vector<uint32_t> &component) {
    // In components of up to some thousand nodes, the search starts at every
    // node. It always starts at the first one.
    size_t maxEdges = edgesLeft / 4;
    bestWeight = unknown;
    best.clear();
    for (uint32_t node : component)
      isInside[node] = true;
    size_t looked = 0;
    for (uint32_t node : component) {
      if (node < firstFreeNode)
        looked += searchFrom(node);
      if (looked > maxEdges)
        break;
    }
    edgesLeft -= std::min(looked, edgesLeft);
    for (uint32_t node : component)
      isInside[node] = false;
    return best;
  }

private:
  /// Improves `best`; returns the number of edges that it looked at.
  size_t searchFrom(uint32_t start) {
    size_t looked = 0;
    std::deque<uint32_t> queue = {start};
    std::vector<uint32_t> seen = {start};
    distance[start] = 0;
    bool isFound = false;
    while (!queue.empty() && !isFound) {
      uint32_t node = queue.front();
      queue.pop_front();
      if (distance[node] + weight(node) >= bestWeight)
        break;
      for (uint32_t next : graph.out(node)) {
        ++looked;
        if (next == start) {
          keep(start, node, distance[node] + weight(node));
          isFound = true;
          break;
        }
        uint32_t length = distance[node] + weight(node);
        if (!isInside[next] || distance[next] <= length)
          continue;
        if (distance[next] == unknown)
          seen.push_back(next);
        distance[next] = length;
        previous[next] = node;
        if (weight(node) == 0)
          queue.push_front(next);
        else
          queue.push_back(next);
      }
    }
    for (uint32_t node : seen)
      distance[node] = unknown;
    return looked;
  }

  static constexpr uint32_t unknown = UINT32_MAX;

  uint32_t weight(uint32_t node) const { return node < firstFreeNode; }

  void keep(uint32_t start, uint32_t last, uint32_t length) {
    bestWeight = length;
    best.clear();
    for (uint32_t node = last; node != start; node = previous[node])
      best.push_back(node);
    best.push_back(start);
    std::reverse(best.begin(), best.end());
  }

  const Digraph &graph;
  uint32_t firstFreeNode;
  std::vector<bool> isInside;
  std::vector<uint32_t> distance, previous;
  std::vector<uint32_t> best;
  uint32_t bestWeight = unknown;
  /// The number of edges that all searches together may still look at.
  size_t edgesLeft = 20'000'000;
};
} // namespace

std::vector<std::vector<uint32_t>>
sluice::rdir::cyclicComponents(const Digraph &graph) {
  return ComponentSearch(graph).run();
}

std::vector<std::vector<uint32_t>> sluice::rdir::shortestCycles(
    const Digraph &graph, const std::vector<std::vector<uint32_t>> &components,
    uint32_t firstFreeNode, size_t maxCycles) {
  CycleSearch search(graph, firstFreeNode);
  std::vector<std::vector<uint32_t>> cycles;
  for (const std::vector<uint32_t> &component : components) {
    if (cycles.size() == maxCycles)
      break;
    cycles.push_back(search.run(component));
  }
  return cycles;
}
