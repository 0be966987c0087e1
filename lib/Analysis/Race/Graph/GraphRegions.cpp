//===- GraphRegions.cpp - A graph as tasks over regions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a graph into the input of lib/Analysis/Regions: each node is a task,
// each object in memory a region, each edge an order. So graphs and task graphs
// use the same race check.
//
//===----------------------------------------------------------------------===//

#include "GraphRegions.h"

#include "llvm/ADT/STLExtras.h"

using namespace sluice;
using namespace sluice::races;
using rdir::Privilege;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// "root.left.fill".
static std::string dottedPath(const TreeNode &node) {
  return node.parent ? dottedPath(*node.parent) + "." + node.name()
                     : node.name();
}

/// One module contains the names of several roots.
static std::string nameOf(const MemoryObject &object, const Tree &tree) {
  if (object.depth != 0) {
    MemoryObject holder = object;
    --holder.depth;
    return nameOf(holder, tree) + " (followed)";
  }
  std::string root = tree.root().name() + ".";
  switch (object.kind) {
  case MemoryObject::Kind::Argument:
    return root + dfg::GraphOp(tree.root().graph).getInputName(object.index);
  case MemoryObject::Kind::Dataset:
    return root + object.name;
  case MemoryObject::Kind::Global:
    return root + dfg::displayName(object.name);
  case MemoryObject::Kind::Malloc:
    return dottedPath(*object.owner) + ".malloc" +
           (object.index ? std::to_string(object.index) : "");
  case MemoryObject::Kind::Unknown:
    return root + "unknown memory";
  }
  return "";
}

/// The operators of an object, including that of `access`.
static void addOperator(std::string &known, const LeafAccess &access) {
  if (!access.isAtomic || !access.isWrite)
    return;
  std::string name = access.update.empty() ? "atomic" : access.update;
  known = known.empty() || known == name ? name : "atomic";
}

void GraphRegions::addObjects() {
  std::map<MemoryObject, std::string> found;
  for (const TreeNode *leaf : tree.leaves())
    for (const PlacedAccess &access : accesses.of(*leaf))
      addOperator(found[access.target.object], *access.access);
  for (auto &[object, update] : found) {
    numbers[object] = objects.size();
    objects.push_back(object);
    updates.push_back(update);
    tasks.objects.push_back(
        {nameOf(object, tree), object.kind == MemoryObject::Kind::Unknown});
  }
}

rdir::ReductionIndex GraphRegions::operatorOf(uint32_t object) {
  auto found = llvm::find(operatorNames, updates[object]);
  if (found == operatorNames.end())
    found = operatorNames.insert(found, updates[object]);
  return found - operatorNames.begin();
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

GraphRegions::Footprints
GraphRegions::footprintsOf(const TreeNode &leaf) const {
  Footprints result;
  for (auto [index, placed] : llvm::enumerate(accesses.of(leaf))) {
    uint32_t object = numbers.at(placed.target.object);
    Footprint &footprint = result[object];
    const LeafAccess &access = *placed.access;
    // If there are updates, an atomic read counts as one of them.
    auto &list = access.isAtomic && !updates[object].empty() ? footprint.updates
                 : access.isWrite                            ? footprint.writes
                                                             : footprint.reads;
    list.push_back({&leaf, unsigned(index)});
  }
  return result;
}

void GraphRegions::addUse(regions::Task &task, const TreeNode &node,
                          uint32_t object, const std::vector<LeafUse> &list,
                          Privilege privilege) {
  if (list.empty())
    return;
  const char *verb = privilege == Privilege::Read     ? ".read"
                     : privilege == Privilege::Reduce ? ".updated"
                                                      : ".written";
  regions::Use use = {.range = uint32_t(tasks.ranges.size()),
                      .privilege = privilege};
  if (privilege == Privilege::Reduce)
    use.reduction = operatorOf(object);
  task.uses.push_back(use);
  std::string name = tasks.objects[object].name;
  tasks.ranges.push_back(
      {object, dottedPath(node) + name.substr(name.rfind('.')) + verb,
       spanOf(list, accesses)});
  uses.push_back(list);
}

void GraphRegions::addTask(regions::TaskGraph &graph, const TreeNode &node,
                           const Footprints &footprints) {
  regions::Task task = {.name = node.name()};
  for (const std::optional<Polynomial> &extent : node.extents)
    task.extents.push_back(extent ? extent->asConstant().value_or(0) : 0);
  for (const auto &[object, footprint] : footprints) {
    addUse(task, node, object, footprint.reads, Privilege::Read);
    addUse(task, node, object, footprint.writes,
           footprint.reads.empty() ? Privilege::WriteDiscard
                                   : Privilege::ReadWrite);
    addUse(task, node, object, footprint.updates, Privilege::Reduce);
  }
  graph.tasks.push_back(std::move(task));
}

void GraphRegions::addOrder(regions::TaskGraph &graph,
                            const TreeNode &scope) const {
  llvm::DenseMap<mlir::Operation *, uint32_t> tasks;
  for (const auto &child : scope.children)
    tasks[child->op] = child->number;
  for (const auto &child : scope.children) {
    dfg::NodeOp op = child->op;
    for (auto [index, value] : llvm::enumerate(op.getInputs()))
      if (auto source = value.getDefiningOp<dfg::NodeOp>())
        graph.order.push_back(
            {tasks[source], child->number,
             op.isOneToOne(index) && !op.getExtents().empty()});
    for (mlir::Value value : op.getDependencies())
      if (auto source = value.getDefiningOp<dfg::NodeOp>())
        graph.order.push_back({tasks[source], child->number, false});
  }
}

/// Consider a node whose instances all wait at a barrier, with a one-to-one
/// edge before and after it. The code after the barrier begins when all
/// instances of the first node have ended.
void GraphRegions::addOrderByBarriers(regions::TaskGraph &graph,
                                      const TreeNode &scope) const {
  std::vector<regions::OrderEdge> added;
  for (const auto &child : scope.children) {
    if (child->graph || !child->effects || !child->effects->passesBarrier)
      continue;
    for (const regions::OrderEdge &before : graph.order)
      if (before.after == child->number && before.isPointwise)
        for (const regions::OrderEdge &after : graph.order)
          if (after.before == child->number && after.isPointwise)
            added.push_back({before.before, after.after, false});
  }
  llvm::append_range(graph.order, added);
}

/// Adds the body of `scope` and all graphs below it; returns the memory that it
/// accesses.
GraphRegions::Footprints GraphRegions::addGraph(const TreeNode &scope) {
  Footprints all;
  uint32_t number = scopes.size();
  scopes.push_back(&scope);
  tasks.graphs.emplace_back();
  regions::TaskGraph graph = {.name = dottedPath(scope)};
  for (const auto &child : scope.children) {
    Footprints own = child->graph     ? addGraph(*child)
                     : child->effects ? footprintsOf(*child)
                                      : Footprints();
    addTask(graph, *child, own);
    for (auto &[object, footprint] : own) {
      Footprint &sum = all[object];
      llvm::append_range(sum.reads, footprint.reads);
      llvm::append_range(sum.writes, footprint.writes);
      llvm::append_range(sum.updates, footprint.updates);
    }
  }
  addOrder(graph, scope);
  addOrderByBarriers(graph, scope);
  tasks.graphs[number] = std::move(graph);
  return all;
}

GraphRegions::GraphRegions(const Tree &tree, const PlacedAccesses &accesses)
    : tree(tree), accesses(accesses) {
  addObjects();
  addGraph(tree.root());
}
