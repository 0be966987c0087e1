//===- RegionFlows.cpp - From which task a task has its data --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionFlows.h"

#include <set>

using namespace sluice;
using namespace sluice::driver;
using namespace sluice::rdir;

namespace {
class FlowFinder {
public:
  explicit FlowFinder(const Graph &graph) : graph(graph) {}

  std::vector<RegionFlow> find();

private:
  void addMakers(NodeIndex version, NodeIndex task, bool isUsed);
  std::set<NodeIndex> findImplied(RegionIndex root, NodeIndex task) const;

  const Graph &graph;
  /// By root and second task: the first tasks.
  std::map<std::pair<RegionIndex, NodeIndex>, std::set<NodeIndex>> makers;
  /// By second and first task.
  std::map<std::pair<NodeIndex, NodeIndex>, RegionFlow> flows;
};
} // namespace

/// Follows a version that a task names back to the tasks that made it.
void FlowFinder::addMakers(NodeIndex version, NodeIndex task, bool isUsed) {
  const Node &named = graph.node(version);
  const RegionIndex root = graph.regions().root(named.region);
  std::vector<NodeIndex> front{version};
  std::set<NodeIndex> seen{version};
  while (!front.empty()) {
    const NodeIndex at = front.back();
    front.pop_back();
    const FieldMask shared = graph.node(at).fields & named.fields;
    for (uint32_t in : graph.in(at)) {
      const NodeIndex maker = graph.edge(in).from;
      if (isTaskLike(graph.node(maker).kind)) {
        makers[{root, task}].insert(maker);
        RegionFlow &flow = flows[{task, maker}];
        flow.from = maker;
        flow.to = task;
        flow.fields[root] |= shared;
        flow.isUsed |= isUsed;
        continue;
      }
      for (uint32_t source : graph.in(maker))
        if (const NodeIndex before = graph.edge(source).from;
            graph.mayAlias(before, version) && seen.insert(before).second)
          front.push_back(before);
    }
  }
}

/// The tasks before the tasks from which `task` has a root. The numbers of
/// tasks grow along flows.
std::set<NodeIndex> FlowFinder::findImplied(RegionIndex root,
                                            NodeIndex task) const {
  const std::set<NodeIndex> &direct = makers.at({root, task});
  std::set<NodeIndex> implied;
  std::vector<NodeIndex> front(direct.begin(), direct.end());
  while (!front.empty()) {
    auto before = makers.find({root, front.back()});
    front.pop_back();
    if (before == makers.end())
      continue;
    for (NodeIndex maker : before->second)
      if (maker >= *direct.begin() && implied.insert(maker).second)
        front.push_back(maker);
  }
  return implied;
}

std::vector<RegionFlow> FlowFinder::find() {
  for (const Edge &edge : graph.allEdges())
    if (edge.kind != EdgeKind::HappensBefore &&
        isTaskLike(graph.node(edge.to).kind))
      addMakers(edge.from, edge.to, edge.kind != EdgeKind::Discard);
  for (const auto &[key, direct] : makers) {
    const auto [root, task] = key;
    for (NodeIndex maker : findImplied(root, task))
      if (direct.count(maker))
        flows[{task, maker}].fields.erase(root);
  }
  std::vector<RegionFlow> found;
  for (auto &[key, flow] : flows)
    if (!flow.fields.empty())
      found.push_back(std::move(flow));
  return found;
}

std::vector<RegionFlow> driver::findFlows(const Graph &graph) {
  return FlowFinder(graph).find();
}
