//===- TraceGraphs.cpp - Graphs in timelines ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceGraphs.h"

#include "sluice/Base/StableSort.h"
#include "sluice/Base/Text.h"

#include <algorithm>

using namespace sluice;

/// Another plan may have been loaded at the same address.
bool TraceGraphs::Graph::isOf(const SluicePlan &plan) const {
  return name == plan.name && nodes.size() == plan.numNodes &&
         (nodes.empty() || nodes.back() == plan.nodes[nodes.size() - 1].name);
}

uint32_t TraceGraphs::numberOf(const SluicePlan &plan) {
  const auto next = static_cast<uint32_t>(graphs.size());
  uint32_t &number = numbers.try_emplace(&plan, next).first->second;
  if (number != next && graphs[number].isOf(plan))
    return number;
  number = next;
  Graph graph = {plan.name, {}, {}};
  for (uint32_t i = 0; i < plan.numNodes; ++i) {
    const SluicePlanNode &node = plan.nodes[i];
    graph.nodes.push_back(node.name);
    for (uint32_t s = 0; s < node.numSuccessors; ++s)
      graph.edges.push_back({i, node.successors[s].node});
  }
  std::sort(graph.edges.begin(), graph.edges.end());
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()),
                    graph.edges.end());
  graphs.push_back(std::move(graph));
  return number;
}

void TraceGraphs::addTo(TraceText &text, unsigned process) const {
  for (const Graph &graph : graphs)
    text.addGraph(process, graph.name, [&](JsonWriter &json) {
      json.key("nodes").beginArray();
      for (const char *node : graph.nodes)
        json.value(node);
      json.endArray();
      json.key("edges").beginArray();
      for (const Edge &edge : graph.edges)
        json.beginArray().value(edge.first).value(edge.second).endArray();
      json.endArray();
    });
}

void sluice::sortByStart(std::vector<TracedLaunch> &launches) {
  stableSort(launches, [](const TracedLaunch &a, const TracedLaunch &b) {
    return a.start < b.start;
  });
}

TraceArrows::TraceArrows(const TraceGraphs &graphs,
                         const std::vector<TracedLaunch> &launches)
    : graphs(graphs), launches(launches), nodes(graphs.size()) {}

uint32_t TraceArrows::nodeOf(uint32_t graph, const char *name) {
  auto &known = nodes[graph];
  if (known.empty())
    for (uint32_t i = 0; i < graphs[graph].nodes.size(); ++i)
      known.try_emplace(graphs[graph].nodes[i], i);
  auto found = known.find(name);
  return found == known.end() ? TraceGraphs::none : found->second;
}

uint64_t TraceArrows::add(const char *node, uint64_t launchStart,
                          const Place &place) {
  auto launch = std::lower_bound(launches.begin(), launches.end(), launchStart,
                                 [](const TracedLaunch &launch, uint64_t time) {
                                   return launch.start < time;
                                 });
  // Launches of different graphs may have started at the same time.
  for (; launch != launches.end() && launch->start == launchStart; ++launch) {
    if (launch->graph == TraceGraphs::none)
      continue;
    const uint32_t index = nodeOf(launch->graph, node);
    if (index == TraceGraphs::none)
      continue;
    const auto number = static_cast<uint64_t>(launch - launches.begin());
    auto [run, isNew] = runs.try_emplace({number, index}, Run{place, place});
    if (place.start < run->second.first.start)
      run->second.first = place;
    if (place.end > run->second.last.end)
      run->second.last = place;
    return number + 1;
  }
  return 0;
}

void TraceArrows::addTo(TraceText &text, size_t most) const {
  size_t number = 0;
  for (size_t launch = 0; launch < launches.size(); ++launch) {
    if (launches[launch].graph == TraceGraphs::none)
      continue;
    for (auto [from, to] : graphs[launches[launch].graph].edges) {
      auto source = runs.find({launch, from}), target = runs.find({launch, to});
      if (source == runs.end() || target == runs.end())
        continue;
      const Place &last = source->second.last, &first = target->second.first;
      if (last.end > first.start)
        continue;
      if (number == most)
        return;
      // Numbers are unique in one process.
      const std::string id = concat(last.row.process, '-', ++number);
      // Within the chunk, which does not include its end.
      text.addArrow(last.row, "dependence", false, id,
                    std::max(last.start + 1, last.end) - 1);
      text.addArrow(first.row, "dependence", true, id, first.start);
    }
  }
}
