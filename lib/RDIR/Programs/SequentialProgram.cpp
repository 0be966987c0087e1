//===- SequentialProgram.cpp - From tasks in program order to a graph -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each task: make the regions of its arguments accessible, reads first;
// then record the versions that it finds and the versions that it makes.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/SequentialProgram.h"

#include "ProgramFields.h"
#include "ProgramVersions.h"

#include <algorithm>
#include <map>
#include <set>

using namespace sluice::rdir;

namespace {

class ProgramGraphBuilder {
public:
  explicit ProgramGraphBuilder(const SequentialProgram &program);
  Graph run(std::vector<NodeIndex> *nodes);

private:
  /// An argument's part in one class of fields.
  struct Part {
    const ProgramArgument *argument;
    uint32_t port;
    VersionTree *tree;
    /// The task changes the region, possibly not through this argument.
    bool isChanged = false;
    /// The version found before the task runs.
    NodeIndex found = noNode;
    VersionTree::Reduction reduction = {noNode, noNode};
  };

  void findTops();
  VersionTree &treeOf(RegionIndex root, FieldMask fields);
  void split(const ProgramTask &task);
  void markChanged();
  void prepare();
  NodeIndex addTask(const ProgramTask &task);
  void addInput(const Part &part, NodeIndex task);
  void addOutput(const Part &part, NodeIndex task);

  const SequentialProgram &program;
  RootFieldClasses fields;
  Graph graph;
  /// By root: of the roots that constraints join, the one that contains this
  /// root.
  std::unordered_map<RegionIndex, RegionIndex> tops;
  std::map<std::pair<RegionIndex, FieldMask>, VersionTree> trees;
  std::vector<Part> parts;
  std::set<std::pair<VersionTree *, RegionIndex>> changed;
};

} // namespace

ProgramGraphBuilder::ProgramGraphBuilder(const SequentialProgram &program)
    : program(program), fields(program), graph(*program.forest) {
  for (const LaunchDomain &domain : program.domains)
    graph.addDomain(domain);
  for (const Projection &projection : program.projections)
    graph.addProjection(projection);
  if (program.forest->hasConstraints())
    findTops();
}

void ProgramGraphBuilder::findTops() {
  const RegionForest &forest = *program.forest;
  std::vector<RegionIndex> roots;
  for (RegionIndex region = 0; region < forest.size(); ++region)
    if (forest.kind(region) == RegionKind::Root)
      roots.push_back(region);
  for (RegionIndex root : roots)
    for (RegionIndex other : roots) {
      RegionIndex top = tops.try_emplace(root, root).first->second;
      if (other != top && forest.mayAlias(other, top) &&
          forest.isSubregion(top, other))
        tops[root] = other;
    }
}

VersionTree &ProgramGraphBuilder::treeOf(RegionIndex root, FieldMask fields) {
  auto top = tops.find(root);
  RegionIndex region = top == tops.end() ? root : top->second;
  return trees.try_emplace({region, fields}, graph, region, fields)
      .first->second;
}

void ProgramGraphBuilder::split(const ProgramTask &task) {
  parts.clear();
  for (uint32_t port = 0; port < task.arguments.size(); ++port) {
    const ProgramArgument &argument = task.arguments[port];
    RegionIndex root = program.forest->root(argument.region);
    for (FieldMask mask : fields.classesOf(root))
      if (mask & argument.fields)
        parts.push_back({&argument, port, &treeOf(root, mask)});
  }
}

/// Marks the data that a launch changes and that it reads through other
/// projections of the same partitions: both accesses find one version.
void ProgramGraphBuilder::markChanged() {
  changed.clear();
  for (const Part &part : parts)
    if (part.argument->privilege != Privilege::Read)
      changed.emplace(part.tree, part.argument->region);
  for (Part &part : parts)
    part.isChanged = changed.count({part.tree, part.argument->region}) != 0;
}

/// Prepares reads first, since closing the regions that they found does no
/// harm. All other arguments must be open at the same time: the second pass
/// reopens regions that the first one closed.
void ProgramGraphBuilder::prepare() {
  markChanged();
  for (Part &part : parts) {
    if (part.isChanged)
      continue;
    part.tree->prepare(part.argument->region, /*isRead=*/true);
    part.found = part.tree->current(part.argument->region);
  }
  for (int turn = 0; turn < 2; ++turn)
    for (Part &part : parts)
      if (part.isChanged)
        part.tree->prepare(part.argument->region, /*isRead=*/false);
  for (Part &part : parts)
    if (part.isChanged && part.argument->privilege != Privilege::Reduce)
      part.found = part.tree->current(part.argument->region);
  for (Part &part : parts)
    if (part.argument->privilege == Privilege::Reduce)
      part.reduction =
          part.tree->reduce(part.argument->region, part.argument->reduction);
}

void ProgramGraphBuilder::addInput(const Part &part, NodeIndex task) {
  Edge edge = {.from = part.found,
               .to = task,
               .kind = EdgeKind::Read,
               .port = part.port,
               .projection = part.argument->projection};
  if (part.argument->privilege == Privilege::WriteDiscard)
    edge.kind = EdgeKind::Discard;
  if (part.argument->privilege == Privilege::Reduce) {
    edge.kind = EdgeKind::Continues;
    edge.reduction = part.argument->reduction;
    edge.from = part.reduction.continued;
  }
  graph.addEdge(edge);
}

void ProgramGraphBuilder::addOutput(const Part &part, NodeIndex task) {
  if (part.argument->privilege == Privilege::Read)
    return;
  Edge edge = {.from = task,
               .kind = EdgeKind::Write,
               .port = part.port,
               .projection = part.argument->projection};
  if (part.argument->privilege == Privilege::Reduce) {
    edge.kind = EdgeKind::Reduce;
    edge.reduction = part.argument->reduction;
    edge.to = part.reduction.version;
  } else {
    edge.to = part.tree->write(part.argument->region, task);
  }
  graph.addEdge(edge);
}

NodeIndex ProgramGraphBuilder::addTask(const ProgramTask &task) {
  split(task);
  prepare();
  NodeIndex node = graph.addCompute(task.kind, task.domain);
  for (const Part &part : parts)
    addInput(part, node);
  for (const Part &part : parts)
    addOutput(part, node);
  return node;
}

Graph ProgramGraphBuilder::run(std::vector<NodeIndex> *nodes) {
  if (nodes)
    nodes->clear();
  for (const ProgramTask &task : program.tasks) {
    NodeIndex node = addTask(task);
    if (nodes)
      nodes->push_back(node);
  }
  graph.finish();
  return std::move(graph);
}

Graph sluice::rdir::buildGraph(const SequentialProgram &program,
                               std::vector<NodeIndex> *nodes) {
  return ProgramGraphBuilder(program).run(nodes);
}
