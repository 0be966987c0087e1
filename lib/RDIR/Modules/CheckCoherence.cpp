//===- CheckCoherence.cpp - Rule P2 ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A runtime that honors coherence keeps the order of two tasks only where one
// of the two is exclusive, or where both only read. So wherever a graph orders
// two tasks because of their accesses to elements, one of the two must be
// exclusive. The check compares all pairs of the module's tasks that are not
// exclusive. Two atomic tasks run one at a time, in either order, as their
// coherence declares; a proof then assumes this.
//
//===----------------------------------------------------------------------===//

#include "../Checks/CheckReport.h"
#include "sluice/RDIR/CheckModule.h"
#include "sluice/RDIR/EdgeWords.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <set>

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// An access of a task to a version with a coherence other than exclusive.
struct LooseUse {
  const ImportedGraph *graph;
  NodeIndex node;
  RegionIndex region;
  FieldMask fields;
  EdgeKind kind;
  ReductionIndex reduction;
  Coherence coherence;
  /// The task runs once in each iteration of a loop.
  bool isRepeated;

  Operation *op() const { return graph->operations[node]; }
  bool isLaunched() const {
    return graph->graph.node(node).domain != UINT32_MAX;
  }
};

class CoherenceCheck {
public:
  CoherenceCheck(const ImportedModule &module, std::vector<Finding> &findings,
                 std::vector<Assumption> &assumptions)
      : module(module), findings(findings), assumptions(assumptions) {}
  void run();

private:
  void collect(const ImportedGraph &imported, bool isRepeated);
  void collectEdge(const ImportedGraph &imported, NodeIndex node,
                   uint32_t index, ArrayRef<int8_t> coherence, bool isRepeated);
  void compare(const LooseUse &a, const LooseUse &b);
  bool interfere(const LooseUse &a, const LooseUse &b) const;
  void report(const LooseUse &a, const LooseUse &b);
  std::string does(const LooseUse &use) const;

  const ImportedModule &module;
  std::vector<Finding> &findings;
  std::vector<Assumption> &assumptions;
  std::vector<LooseUse> uses;
  /// Pairs of tasks that were reported.
  std::set<std::pair<Operation *, Operation *>> reported;
  /// Tasks without a fixed order relative to others, in the module's order.
  llvm::SetVector<Operation *> unordered;
  std::vector<std::string> unorderedNames;
};
} // namespace

static DenseI8ArrayAttr coherenceOf(Operation *op) {
  if (auto task = dyn_cast<TaskOp>(op))
    return task.getCoherenceAttr();
  if (auto host = dyn_cast<HostOp>(op))
    return host.getCoherenceAttr();
  return {};
}

void CoherenceCheck::collectEdge(const ImportedGraph &imported, NodeIndex node,
                                 uint32_t index, ArrayRef<int8_t> coherence,
                                 bool isRepeated) {
  const Edge &edge = imported.graph.edge(index);
  const Node &data =
      imported.graph.node(edge.from == node ? edge.to : edge.from);
  bool isAccess = edge.kind == EdgeKind::Read || edge.kind == EdgeKind::Write ||
                  edge.kind == EdgeKind::Reduce;
  if (!isAccess || isCompute(data.kind) || edge.port >= coherence.size())
    return;
  auto kind = static_cast<Coherence>(coherence[edge.port]);
  if (kind != Coherence::Exclusive)
    uses.push_back({&imported, node, data.region, data.fields, edge.kind,
                    edge.reduction, kind, isRepeated});
}

void CoherenceCheck::collect(const ImportedGraph &imported, bool isRepeated) {
  const Graph &graph = imported.graph;
  for (NodeIndex node = 0; node != graph.numNodes(); ++node) {
    DenseI8ArrayAttr coherence = coherenceOf(imported.operations[node]);
    if (!coherence)
      continue;
    for (std::span<const uint32_t> list : {graph.in(node), graph.out(node)})
      for (uint32_t index : list)
        collectEdge(imported, node, index, coherence, isRepeated);
  }
  for (const auto &nested : imported.nested)
    collect(*nested, isRepeated || isa<LoopOp>(nested->op));
}

bool CoherenceCheck::interfere(const LooseUse &a, const LooseUse &b) const {
  if (a.kind == EdgeKind::Read && b.kind == EdgeKind::Read)
    return false;
  return (a.fields & b.fields) != 0 &&
         module.forest.mayAlias(a.region, b.region);
}

/// "'%t1' writes 'a' with coherence 'relaxed'".
std::string CoherenceCheck::does(const LooseUse &use) const {
  return use.graph->name(use.node) + " " + wordsOf(use.kind).verb + " '" +
         module.forest.name(use.region) + "' with coherence '" +
         stringifyCoherence(use.coherence).str() + "'";
}

void CoherenceCheck::report(const LooseUse &a, const LooseUse &b) {
  if (!reported.insert({a.op(), b.op()}).second)
    return;
  Finding &finding = findings.emplace_back();
  finding.rule = Rule::P2;
  finding.graph = b.graph;
  finding.node = b.node;
  finding.op = b.op();
  if (a.op() != b.op()) {
    finding.message = does(a) + ", and " + does(b) +
                      ", so they may run at the same time; let one of the two "
                      "be exclusive";
    finding.notes.push_back({a.op(), a.graph->name(a.node) + " is here"});
    return;
  }
  finding.message = does(b) +
                    (b.isRepeated ? " in a loop, so its iterations may run"
                                  : ", so its points may fold") +
                    " at the same time; let it be exclusive";
}

void CoherenceCheck::compare(const LooseUse &a, const LooseUse &b) {
  bool areReductions = a.kind == EdgeKind::Reduce &&
                       b.kind == EdgeKind::Reduce && a.reduction == b.reduction;
  // Other points of a launch touch other data, unless they reduce.
  if (a.op() == b.op() && !b.isRepeated && !(areReductions && b.isLaunched()))
    return;
  if (!interfere(a, b))
    return;
  if (a.coherence != Coherence::Atomic || b.coherence != Coherence::Atomic)
    return report(a, b);
  if (areReductions)
    return;
  for (const LooseUse *use : {&a, &b})
    if (unordered.insert(use->op()))
      unorderedNames.push_back(use->graph->name(use->node));
}

void CoherenceCheck::run() {
  for (const auto &graph : module.graphs)
    collect(*graph, /*isRepeated=*/false);
  constexpr size_t maxReported = 100, maxNames = 3;
  for (size_t i = 0; i != uses.size(); ++i)
    for (size_t j = 0; j <= i && reported.size() < maxReported; ++j)
      compare(uses[j], uses[i]);
  if (unordered.empty())
    return;
  std::string text;
  for (size_t i = 0; i != std::min(unordered.size(), maxNames); ++i)
    text += (i == 0 ? "" : ", ") + unorderedNames[i];
  if (unordered.size() > maxNames)
    text += " and " + std::to_string(unordered.size() - maxNames) + " more";
  assumptions.push_back(
      {unordered.front(),
       "tasks with coherence 'atomic' (" + text + ") may run in any order",
       /*isChecked=*/false});
}

void sluice::rdir::checkCoherence(const ImportedModule &module,
                                  std::vector<Finding> &findings,
                                  std::vector<Assumption> &assumptions) {
  CoherenceCheck(module, findings, assumptions).run();
}
