//===- RandomGraphs.cpp - Random graphs -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph grows node by node. Nodes that would leave versions unordered are not
// added, so most results are free of races.
//
//===----------------------------------------------------------------------===//

#include "RandomGraphs.h"

#include <algorithm>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {

class Growth {
public:
  Growth(Random &random, const RegionForest &forest,
         const Extensions &extensions)
      : random(random), forest(forest), extensions(extensions), graph(forest) {}
  Graph run(unsigned numTasks);

private:
  /// A candidate argument of a task.
  struct Choice {
    NodeIndex version;
    EdgeKind in;
    bool isWritten = false, isReduced = false;
    ReductionIndex reduction = noReduction;
  };

  FieldMask anyFields();
  std::vector<NodeIndex> versions() const;
  NodeIndex anyVersion();
  bool isAfterAll(RegionIndex region, FieldMask fields,
                  const std::vector<NodeIndex> &inputs) const;
  bool precedes(NodeIndex a, NodeIndex b) const {
    return a == b || reach[a][b];
  }
  bool isLatest(NodeIndex version) const;
  void update();
  void addSource();
  void addOpen();
  void addClose();
  bool addTask();
  std::vector<Choice> chooseArguments();
  bool fits(const std::vector<Choice> &choices, const Choice &next) const;
  void dropUnordered(std::vector<Choice> &choices);
  void addHappensBefore();
  NodeIndex joinable(NodeIndex continued, ReductionIndex reduction,
                     const std::vector<Choice> &choices) const;
  void connect(const std::vector<Choice> &choices);

  Random &random;
  const RegionForest &forest;
  const Extensions &extensions;
  Graph graph;
  std::vector<NodeSet> reach;
};

} // namespace

FieldMask Growth::anyFields() {
  if (!extensions.fields)
    return allFields;
  return random.chance(50) ? 3 : 1 + random.pick(2);
}

std::vector<NodeIndex> Growth::versions() const {
  std::vector<NodeIndex> result;
  for (NodeIndex node = 0; node < graph.numNodes(); ++node)
    if (graph.node(node).kind == NodeKind::Region)
      result.push_back(node);
  return result;
}

bool Growth::isLatest(NodeIndex version) const {
  for (NodeIndex other : versions())
    if (reach[version][other] && graph.mayAlias(version, other))
      return false;
  return true;
}

/// Usually one of the latest versions.
NodeIndex Growth::anyVersion() {
  std::vector<NodeIndex> all = versions(), latest;
  for (NodeIndex version : all)
    if (isLatest(version))
      latest.push_back(version);
  return random.chance(60) ? random.one(latest) : random.one(all);
}

/// True if a version made from the inputs comes after all versions that it may
/// alias.
bool Growth::isAfterAll(RegionIndex region, FieldMask fields,
                        const std::vector<NodeIndex> &inputs) const {
  for (NodeIndex version : versions()) {
    const Node &node = graph.node(version);
    if (!(node.fields & fields) || !forest.mayAlias(node.region, region))
      continue;
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](NodeIndex input) { return precedes(version, input); }))
      return false;
  }
  return true;
}

void Growth::update() { reach = reachability(graph, false); }

void Growth::addSource() {
  RegionIndex region = random.pick(forest.size());
  FieldMask fields = anyFields();
  if (isAfterAll(region, fields, {}))
    graph.addRegion(region, fields, /*isInitial=*/true);
}

void Growth::addOpen() {
  NodeIndex from = anyVersion();
  std::vector<std::pair<RegionIndex, FieldMask>> parts;
  for (RegionIndex region = 0; region < forest.size(); ++region) {
    FieldMask fields = anyFields() & graph.node(from).fields;
    if (!fields || !random.chance(60) || region == graph.node(from).region ||
        !forest.isBelow(region, graph.node(from).region) ||
        !isAfterAll(region, fields, {from}) || parts.size() == 3)
      continue;
    if (std::none_of(parts.begin(), parts.end(), [&](const auto &part) {
          return forest.mayAlias(part.first, region) && (part.second & fields);
        }))
      parts.emplace_back(region, fields);
  }
  if (parts.empty())
    return;
  NodeIndex open = graph.addCompute(NodeKind::Open);
  graph.addEdge({.from = from, .to = open});
  for (auto [region, fields] : parts)
    graph.addEdge({.from = open,
                   .to = graph.addRegion(region, fields),
                   .kind = EdgeKind::Write});
}

/// Closes the latest versions below some region, or occasionally other
/// versions.
void Growth::addClose() {
  RegionIndex region = graph.node(anyVersion()).region;
  while (forest.parent(region) != noRegion && random.chance(70))
    region = forest.parent(region);
  FieldMask fields = anyFields();
  std::vector<NodeIndex> inputs;
  std::vector<NodeIndex> candidates = versions();
  std::reverse(candidates.begin(), candidates.end());
  for (NodeIndex version : candidates) {
    const Node &node = graph.node(version);
    if ((node.fields & ~fields) || !forest.isBelow(node.region, region))
      continue;
    bool isTaken = false, isCovered = false;
    for (NodeIndex input : inputs) {
      isTaken |= graph.node(input).region == node.region &&
                 (graph.node(input).fields & node.fields);
      isCovered |= reach[version][input] &&
                   forest.isSubregion(node.region, graph.node(input).region) &&
                   !(node.fields & ~graph.node(input).fields);
    }
    if (!isTaken && (!isCovered || random.chance(5)) && random.chance(93))
      inputs.push_back(version);
  }
  if (inputs.empty() || !isAfterAll(region, fields, inputs))
    return;
  NodeIndex close = graph.addCompute(NodeKind::Close);
  for (NodeIndex input : inputs)
    graph.addEdge({.from = input, .to = close});
  graph.addEdge({.from = close,
                 .to = graph.addRegion(region, fields),
                 .kind = EdgeKind::Write});
}

/// False if the arguments conflict by themselves.
bool Growth::fits(const std::vector<Choice> &choices,
                  const Choice &next) const {
  auto isChanged = [](const Choice &choice) {
    return choice.isWritten || choice.isReduced;
  };
  for (const Choice &other : choices) {
    if (!graph.mayAlias(other.version, next.version))
      continue;
    if (isChanged(other) && isChanged(next))
      return false;
    bool isSameRegion =
        graph.node(other.version).region == graph.node(next.version).region;
    if ((isChanged(other) || isChanged(next)) &&
        (!isSameRegion || other.version != next.version))
      return false;
    if (!extensions.aliasingReads && other.version != next.version)
      return false;
  }
  return true;
}

std::vector<Growth::Choice> Growth::chooseArguments() {
  std::vector<Choice> choices;
  for (unsigned i = 0, e = 1 + random.pick(3); i < e; ++i) {
    Choice choice = {anyVersion(), EdgeKind::Read};
    if (!extensions.partitions &&
        forest.kind(graph.node(choice.version).region) == RegionKind::Partition)
      continue;
    unsigned what = random.pick(100);
    if (extensions.reductions && what < 35) {
      choice.in = EdgeKind::Continues;
      choice.isReduced = true;
      choice.reduction = random.pick(2);
    } else if (extensions.discards && what < 55) {
      choice.in = EdgeKind::Discard;
      choice.isWritten = random.chance(85);
    } else if (what < 75) {
      choice.isWritten = true;
    }
    if (fits(choices, choice))
      choices.push_back(choice);
  }
  return choices;
}

/// A version that already accepts reductions of a continued one, if the task
/// can add its own without a cycle.
NodeIndex Growth::joinable(NodeIndex continued, ReductionIndex reduction,
                           const std::vector<Choice> &choices) const {
  for (const Edge &edge : graph.allEdges()) {
    if (edge.kind != EdgeKind::Reduce || edge.reduction != reduction ||
        graph.node(edge.to).region != graph.node(continued).region ||
        graph.node(edge.to).fields != graph.node(continued).fields)
      continue;
    bool isContinued = false, isCycle = false;
    for (const Edge &base : graph.allEdges())
      isContinued |= base.kind == EdgeKind::Continues &&
                     base.from == continued && base.to == edge.from;
    for (const Choice &choice : choices)
      isCycle |= precedes(edge.to, choice.version);
    if (isContinued && !isCycle)
      return edge.to;
  }
  return noNode;
}

/// Drops the write of each version that would not come after all versions it
/// aliases. Before dropping one, looks for another argument to read that would
/// order it.
void Growth::dropUnordered(std::vector<Choice> &choices) {
  for (size_t i = 0; i < choices.size(); ++i) {
    Choice &choice = choices[i];
    if (!choice.isWritten && !choice.isReduced)
      continue;
    const Node &node = graph.node(choice.version);
    auto inputs = [&] {
      std::vector<NodeIndex> result;
      for (const Choice &other : choices)
        result.push_back(other.version);
      return result;
    };
    if (choice.isReduced &&
        joinable(choice.version, choice.reduction, choices) != noNode)
      continue;
    if (isAfterAll(node.region, node.fields, inputs()))
      continue;
    Choice bridge = {anyVersion(), EdgeKind::Read};
    if (choices.size() < 5 && fits(choices, bridge)) {
      choices.push_back(bridge);
      if (isAfterAll(node.region, node.fields, inputs()))
        continue;
      choices.pop_back();
    }
    choices[i].isWritten = choices[i].isReduced = false;
    choices[i].in = EdgeKind::Read;
    i = size_t(-1);
  }
}

void Growth::connect(const std::vector<Choice> &choices) {
  NodeIndex task = graph.addCompute(NodeKind::Task);
  for (uint32_t port = 0; port < choices.size(); ++port) {
    const Choice &choice = choices[port];
    graph.addEdge({.from = choice.version,
                   .to = task,
                   .kind = choice.in,
                   .reduction = choice.reduction,
                   .port = port});
  }
  for (uint32_t port = 0; port < choices.size(); ++port) {
    const Choice &choice = choices[port];
    if (!choice.isWritten && !choice.isReduced)
      continue;
    const Node node = graph.node(choice.version);
    NodeIndex made = noNode;
    if (choice.isReduced && random.chance(75))
      made = joinable(choice.version, choice.reduction, choices);
    if (made == noNode)
      made = graph.addRegion(node.region, node.fields);
    graph.addEdge(
        {.from = task,
         .to = made,
         .kind = choice.isReduced ? EdgeKind::Reduce : EdgeKind::Write,
         .reduction = choice.reduction,
         .port = port});
  }
}

bool Growth::addTask() {
  std::vector<Choice> choices = chooseArguments();
  dropUnordered(choices);
  if (choices.empty())
    return false;
  connect(choices);
  return true;
}

void Growth::addHappensBefore() {
  auto any = [&] { return random.pick(graph.numNodes()); };
  NodeIndex from = any(), to = any();
  if (isTaskLike(graph.node(from).kind) && isTaskLike(graph.node(to).kind) &&
      from != to && !reachability(graph, true)[to][from])
    graph.addEdge({.from = from, .to = to, .kind = EdgeKind::HappensBefore});
}

Graph Growth::run(unsigned numTasks) {
  while (versions().empty() || random.chance(70)) {
    addSource();
    update();
  }
  for (unsigned made = 0, turn = 0;
       made < numTasks && turn < 20 * numTasks && graph.numNodes() < 100;
       ++turn) {
    unsigned what = random.pick(100);
    if (what < 15)
      addOpen();
    else if (what < 30)
      addClose();
    else if (what < 35)
      addSource();
    else if (what < 37)
      addHappensBefore();
    else
      made += addTask();
    update();
  }
  graph.finish();
  return std::move(graph);
}

Graph oracle::randomGraph(Random &random, const ConstrainedForest &forest,
                          const Extensions &extensions, unsigned numTasks) {
  return Growth(random, forest.forest, extensions).run(numTasks);
}

Graph oracle::randomIllFormedGraph(Random &random,
                                   const ConstrainedForest &forest) {
  Graph graph(forest.forest);
  unsigned numNodes = 2 + random.pick(7);
  for (unsigned i = 0; i < numNodes; ++i) {
    static constexpr NodeKind kinds[] = {NodeKind::Task, NodeKind::Task,
                                         NodeKind::Copy, NodeKind::Open,
                                         NodeKind::Close};
    if (random.chance(60))
      graph.addRegion(random.pick(forest.forest.size()),
                      random.chance(50) ? allFields : 1 + random.pick(3),
                      random.chance(60));
    else
      graph.addCompute(kinds[random.pick(5)]);
  }
  bool isSane = random.chance(80), isForward = random.chance(85);
  for (unsigned i = 0, e = random.pick(3 * numNodes); i < e; ++i) {
    Edge edge;
    edge.from = random.pick(numNodes);
    edge.to = random.pick(numNodes);
    if (isForward && edge.from > edge.to)
      std::swap(edge.from, edge.to);
    edge.kind = random.chance(40)   ? EdgeKind::Read
                : random.chance(40) ? EdgeKind::Write
                                    : EdgeKind(random.pick(6));
    edge.port = i;
    if (edge.kind == EdgeKind::Reduce || edge.kind == EdgeKind::Continues)
      edge.reduction = random.pick(2);
    bool fromData = !isCompute(graph.node(edge.from).kind);
    bool toData = !isCompute(graph.node(edge.to).kind);
    bool isRight =
        edge.kind == EdgeKind::HappensBefore ? !fromData && !toData
        : edge.kind == EdgeKind::Write || edge.kind == EdgeKind::Reduce
            ? !fromData && toData
            : fromData && !toData;
    if (edge.from != edge.to && (isRight || !isSane))
      graph.addEdge(edge);
  }
  graph.finish();
  return graph;
}

std::string oracle::describe(const Graph &graph) {
  static constexpr const char *kinds[] = {"region", "task", "open",
                                          "close",  "copy", "fill",
                                          "host",   "loop", "must_epoch"};
  static constexpr const char *edgeKinds[] = {
      "read", "discard", "write", "reduce", "continues", "happens_before"};
  std::string text;
  const RegionForest &forest = graph.regions();
  for (RegionIndex region = 0; region < forest.size(); ++region) {
    text += "region " + forest.name(region);
    if (forest.parent(region) != noRegion)
      text += " of " + forest.name(forest.parent(region));
    if (forest.kind(region) == RegionKind::Partition)
      text +=
          std::string(forest.isDisjoint(region) ? " disjoint" : " aliased") +
          (forest.isComplete(region) ? " complete " : " incomplete ") +
          std::to_string(forest.numColors(region));
    text += "\n";
  }
  for (NodeIndex i = 0; i < graph.numNodes(); ++i) {
    const Node &node = graph.node(i);
    text += std::to_string(i) + ": " + kinds[unsigned(node.kind)];
    if (node.kind == NodeKind::Region)
      text +=
          " " + forest.name(node.region) +
          (node.fields == allFields ? "" : "." + std::to_string(node.fields));
    text += "\n";
  }
  for (const Edge &edge : graph.allEdges())
    text += std::to_string(edge.from) + " > " + std::to_string(edge.to) + " " +
            edgeKinds[unsigned(edge.kind)] +
            (edge.reduction == noReduction
                 ? ""
                 : "<" + std::to_string(edge.reduction) + ">") +
            "\n";
  return text;
}
