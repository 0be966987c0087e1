//===- Reachability.cpp - Reachability ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward searches from the later node, and labels for the long searches.
//
//===----------------------------------------------------------------------===//

#include "Reachability.h"

#include <algorithm>
#include <random>

using namespace sluice::rdir;

Reachability::Reachability(const Digraph &graph,
                           std::span<const uint32_t> order)
    : graph(graph), order(order), positions(graph.size()),
      visited(graph.size()) {
  assert(order.size() == graph.size() && "cycles have no topological order");
  for (uint32_t i = 0; i < order.size(); ++i)
    positions[order[i]] = i;
}

void Reachability::newSearch() {
  stack.clear();
  if (++searchNumber == 0) {
    std::fill(visited.begin(), visited.end(), 0);
    searchNumber = 1;
  }
}

/// Marks a node; false if this search already marked it.
bool Reachability::visit(uint32_t node) {
  if (visited[node] == searchNumber)
    return false;
  visited[node] = searchNumber;
  return true;
}

Reachability::Answer Reachability::searchNear(uint32_t from, uint32_t to) {
  constexpr size_t maxEdges = 64;
  if (from == to)
    return Answer::Yes;
  if (positions[from] > positions[to])
    return Answer::No;
  newSearch();
  stack.push_back(to);
  size_t looked = 0;
  for (size_t i = 0; i < stack.size(); ++i)
    for (uint32_t node : graph.in(stack[i])) {
      if (node == from)
        return Answer::Yes;
      if (++looked > maxEdges)
        return Answer::Unknown;
      if (positions[node] > positions[from] && visit(node))
        stack.push_back(node);
    }
  return Answer::No;
}

bool Reachability::isNear(uint32_t from, uint32_t to) {
  return searchNear(from, to) == Answer::Yes;
}

bool Reachability::operator()(uint32_t from, uint32_t to) {
  if (Answer answer = searchNear(from, to); answer != Answer::Unknown)
    return answer == Answer::Yes;
  if (labels[0].empty())
    computeLabels();
  if (Answer answer = askLabels(from, to); answer != Answer::Unknown)
    return answer == Answer::Yes;
  return searchFar(from, to);
}

bool Reachability::searchFar(uint32_t from, uint32_t to) {
  newSearch();
  stack.push_back(to);
  while (!stack.empty()) {
    uint32_t current = stack.back();
    stack.pop_back();
    for (uint32_t node : graph.in(current)) {
      if (node == from)
        return true;
      if (positions[node] < positions[from] || !visit(node))
        continue;
      Answer answer = askLabels(from, node);
      if (answer == Answer::Yes)
        return true;
      if (answer == Answer::Unknown)
        stack.push_back(node);
    }
  }
  return false;
}

Reachability::Answer Reachability::askLabels(uint32_t from, uint32_t to) const {
  for (const Labels &some : labels) {
    const Label &a = some[from], &b = some[to];
    if (a.treeLow <= b.post && b.post <= a.post)
      return Answer::Yes;
    if (b.post > a.post || b.reachLow < a.reachLow)
      return Answer::No;
  }
  return Answer::Unknown;
}

void Reachability::computeLabels() {
  for (unsigned i = 0; i < numLabels; ++i)
    label(labels[i], i + 1);
}

/// One depth-first search from all sources, in an order that `seed` shuffles.
void Reachability::label(Labels &result, uint64_t seed) {
  std::mt19937 random(seed);
  result.resize(graph.size());
  std::vector<uint32_t> sources;
  for (uint32_t node : order)
    if (graph.in(node).empty())
      sources.push_back(node);
  std::shuffle(sources.begin(), sources.end(), random);
  struct Frame {
    uint32_t node, next, left;
  };
  std::vector<Frame> frames;
  uint32_t numPosted = 0;
  newSearch();
  auto enter = [&](uint32_t node) {
    if (!visit(node))
      return;
    uint32_t degree = graph.out(node).size();
    result[node].treeLow = numPosted;
    frames.push_back({node, degree ? uint32_t(random() % degree) : 0, degree});
  };
  for (uint32_t source : sources) {
    enter(source);
    while (!frames.empty()) {
      Frame &frame = frames.back();
      if (frame.left == 0) {
        result[frame.node].post = numPosted++;
        frames.pop_back();
        continue;
      }
      std::span<const uint32_t> out = graph.out(frame.node);
      uint32_t next = out[frame.next];
      frame.next = frame.next + 1 == out.size() ? 0 : frame.next + 1;
      --frame.left;
      enter(next);
    }
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    uint32_t low = result[*it].post;
    for (uint32_t next : graph.out(*it))
      low = std::min(low, result[next].reachLow);
    result[*it].reachLow = low;
  }
}
