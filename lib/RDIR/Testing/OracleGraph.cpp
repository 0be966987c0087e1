//===- OracleGraph.cpp - Meaning of graphs and programs on a store --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions get their values in topological order: a Write makes a new value,
// Opens and Closes copy, reductions add to the value they continue.
//
//===----------------------------------------------------------------------===//

#include "OracleGraph.h"
#include "OracleNumbers.h"

#include <algorithm>
#include <cassert>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

using NodePairs = std::span<const std::pair<NodeIndex, NodeIndex>>;

Places::Places(const World &world, std::span<const FieldMask> masks)
    : world(world) {
  std::set<std::vector<bool>> seen;
  for (unsigned bit = 0; bit < 64; ++bit) {
    std::vector<bool> classOfBit;
    for (FieldMask mask : masks)
      classOfBit.push_back(mask >> bit & 1);
    if (seen.insert(classOfBit).second)
      fields.push_back(FieldMask(1) << bit);
  }
}

std::vector<uint32_t> Places::of(RegionIndex region, FieldMask mask) const {
  std::vector<uint32_t> result;
  for (uint32_t place = 0; place < size(); ++place)
    if (contains(region, mask, place))
      result.push_back(place);
  return result;
}

std::vector<NodeSet> oracle::reachability(const Graph &graph,
                                          bool withHappensBefore,
                                          NodePairs added) {
  size_t n = graph.numNodes();
  for (auto [from, to] : added)
    n = std::max<size_t>(n, std::max(from, to) + 1);
  assert(n <= NodeSet().size() && "the oracle is for small graphs");
  std::vector<NodeSet> reach(n);
  for (const Edge &edge : graph.allEdges())
    if (withHappensBefore || edge.kind != EdgeKind::HappensBefore)
      reach[edge.from].set(edge.to);
  for (auto [from, to] : added)
    reach[from].set(to);
  closeTransitively(reach);
  return reach;
}

static std::vector<NodeIndex> topologicalOrder(const Graph &graph) {
  std::vector<NodeSet> reach = reachability(graph, /*withHappensBefore=*/true);
  std::vector<NodeIndex> order(graph.numNodes());
  for (NodeIndex node = 0; node < order.size(); ++node)
    order[node] = node;
  std::sort(order.begin(), order.end(), [&](NodeIndex a, NodeIndex b) {
    return reach[a].count() > reach[b].count();
  });
  return order;
}

static std::vector<FieldMask> fieldMasks(const Graph &graph) {
  std::vector<FieldMask> masks;
  for (const Node &node : graph.allNodes())
    if (node.kind == NodeKind::Region)
      masks.push_back(node.fields);
  return masks;
}

GraphMeaning::GraphMeaning(const Graph &graph, const World &world)
    : graph(graph), places(world, fieldMasks(graph)),
      reachable(reachability(graph, /*withHappensBefore=*/false)),
      values(graph.numNodes()) {
  steps.numPlaces = places.size();
  for (NodeIndex node : topologicalOrder(graph))
    if (graph.node(node).kind == NodeKind::Region)
      evaluate(node);
  addSteps();
  addFinals();
}

NodeIndex GraphMeaning::closedFrom(NodeIndex close, uint32_t place) const {
  NodeIndex latest = noNode;
  for (uint32_t i : graph.in(close)) {
    const Edge &edge = graph.edge(i);
    const Node &read = graph.node(edge.from);
    if (edge.kind == EdgeKind::Read &&
        places.contains(read.region, read.fields, place) &&
        (latest == noNode || reachable[latest][edge.from]))
      latest = edge.from;
  }
  return latest;
}

Value GraphMeaning::valueOf(NodeIndex data, uint32_t place) {
  Value value = initialValue;
  bool isFirst = true;
  for (uint32_t i : graph.in(data)) {
    const Edge &edge = graph.edge(i);
    if (edge.kind == EdgeKind::Write) {
      NodeKind kind = graph.node(edge.from).kind;
      if (isTaskLike(kind))
        return steps.values.written(data);
      NodeIndex from = closedFrom(edge.from, place);
      return from == noNode ? steps.values.written(data) : values[from][place];
    }
    if (edge.kind != EdgeKind::Reduce)
      continue;
    for (uint32_t k : graph.in(edge.from)) {
      const Edge &base = graph.edge(k);
      const Node &node = graph.node(base.from);
      if (isFirst && base.kind == EdgeKind::Continues &&
          base.reduction == edge.reduction &&
          node.region == graph.node(data).region &&
          node.fields == graph.node(data).fields &&
          places.contains(node.region, node.fields, place))
        value = values[base.from][place];
    }
    isFirst = false;
    value = steps.values.reduced(value, edge.reduction, i);
  }
  return value;
}

void GraphMeaning::evaluate(NodeIndex data) {
  const Node &node = graph.node(data);
  values[data].resize(places.size());
  for (uint32_t place : places.of(node.region, node.fields))
    values[data][place] = valueOf(data, place);
}

void GraphMeaning::addSteps() {
  for (NodeIndex task = 0; task < graph.numNodes(); ++task) {
    if (!isTaskLike(graph.node(task).kind))
      continue;
    taskNodes.push_back(task);
    Step &step = steps.steps.emplace_back();
    for (uint32_t i : graph.in(task)) {
      const Edge &edge = graph.edge(i);
      const Node &read = graph.node(edge.from);
      if (edge.kind == EdgeKind::Read)
        for (uint32_t place : places.of(read.region, read.fields))
          step.reads.push_back({place, values[edge.from][place]});
    }
    for (uint32_t i : graph.out(task)) {
      const Edge &edge = graph.edge(i);
      if (edge.kind != EdgeKind::Write && edge.kind != EdgeKind::Reduce)
        continue;
      const Node &made = graph.node(edge.to);
      for (uint32_t place : places.of(made.region, made.fields))
        if (edge.kind == EdgeKind::Write)
          step.writes.push_back({place, values[edge.to][place]});
        else
          step.reductions.push_back({place, edge.reduction, i});
    }
  }
}

/// The last version of each place gives its final value.
void GraphMeaning::addFinals() {
  for (uint32_t place = 0; place < places.size(); ++place) {
    NodeIndex last = noNode;
    for (NodeIndex node = 0; node < graph.numNodes(); ++node) {
      const Node &data = graph.node(node);
      if (data.kind == NodeKind::Region &&
          places.contains(data.region, data.fields, place) &&
          (!graph.in(node).empty() || !graph.out(node).empty()) &&
          (last == noNode || reachable[last][node]))
        last = node;
    }
    if (last != noNode)
      steps.finals.push_back({place, values[last][place]});
  }
}

std::vector<TaskSet> GraphMeaning::before(NodePairs added) const {
  std::vector<NodeSet> reach =
      reachability(graph, /*withHappensBefore=*/true, added);
  std::vector<TaskSet> result(taskNodes.size());
  for (size_t i = 0; i < taskNodes.size(); ++i)
    for (size_t k = 0; k < taskNodes.size(); ++k)
      if (reach[taskNodes[k]][taskNodes[i]])
        result[i] |= TaskSet(1) << k;
  return result;
}

/// The region that a point touches; colors are numbered row by row.
static RegionIndex regionAt(const SequentialProgram &program,
                            const ProgramArgument &argument,
                            const std::vector<int64_t> &point) {
  if (argument.projection == UINT32_MAX)
    return argument.region;
  const Projection &projection = program.projections[argument.projection];
  int64_t linear = 0;
  for (unsigned row = 0; row < projection.numColorDims; ++row) {
    int64_t color = projection.offset[row];
    for (size_t d = 0; d < point.size(); ++d)
      color += projection.matrix[row * point.size() + d] * point[d];
    linear = linear * projection.colors[row] + color;
  }
  const RegionForest &forest = *program.forest;
  for (RegionIndex region = 0; region < forest.size(); ++region)
    if (forest.kind(region) == RegionKind::Subregion &&
        forest.parent(region) == argument.region &&
        forest.color(region) == linear)
      return region;
  assert(false && "the world must know the colors that points touch");
  return noRegion;
}

static std::vector<FieldMask> fieldMasks(const SequentialProgram &program) {
  std::vector<FieldMask> masks;
  for (const ProgramTask &task : program.tasks)
    for (const ProgramArgument &argument : task.arguments)
      masks.push_back(argument.fields);
  return masks;
}

ProgramMeaning::ProgramMeaning(const SequentialProgram &program,
                               const World &world) {
  Places places(world, fieldMasks(program));
  machine.numPlaces = places.size();
  Store store(places.size(), initialValue);
  uint32_t contribution = 0;
  for (uint32_t task = 0; task < program.tasks.size(); ++task) {
    uint32_t domain = program.tasks[task].domain;
    std::span<const int64_t> extents;
    if (domain != UINT32_MAX)
      extents = program.domains[domain].extents;
    for (const auto &point : pointsOf(extents)) {
      taskOfStep.push_back(task);
      Value written = machine.values.written(machine.steps.size());
      Step &step = machine.steps.emplace_back();
      for (const ProgramArgument &argument : program.tasks[task].arguments) {
        ++contribution;
        RegionIndex region = regionAt(program, argument, point);
        for (uint32_t place : places.of(region, argument.fields)) {
          if (argument.privilege == Privilege::Read ||
              argument.privilege == Privilege::ReadWrite)
            step.reads.push_back({place, store[place]});
          if (argument.privilege == Privilege::Reduce)
            step.reductions.push_back(
                {place, argument.reduction, contribution});
          else if (argument.privilege != Privilege::Read)
            step.writes.push_back({place, written});
        }
      }
      machine.apply(step, store);
    }
  }
  for (uint32_t place = 0; place < places.size(); ++place)
    machine.finals.push_back({place, store[place]});
}

std::vector<TaskSet> ProgramMeaning::before(const Graph &graph,
                                            std::span<const NodeIndex> nodes,
                                            NodePairs added) const {
  std::vector<NodeSet> reach =
      reachability(graph, /*withHappensBefore=*/true, added);
  std::vector<TaskSet> result(taskOfStep.size());
  for (size_t i = 0; i < taskOfStep.size(); ++i)
    for (size_t k = 0; k < taskOfStep.size(); ++k)
      if (reach[nodes[taskOfStep[k]]][nodes[taskOfStep[i]]])
        result[i] |= TaskSet(1) << k;
  return result;
}
