//===- CheckNested.cpp - Rules N1 to N3 -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop or must-epoch is one node of the graph around it. The edges of this
// node must name everything that its body touches; only then do the checks of
// the outer graph hold for the body as well. Each access of the body is looked
// up among the named regions and their ancestors, field by field. Opens and
// closes are ignored: they move no data, and the readers of the versions that
// they make are checked instead.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/CheckModule.h"

#include "../Checks/CheckBodies.h"
#include "../Order/SerialGraph.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// The regions that the edges of a node name, as fields by region.
class NamedRegions {
public:
  explicit NamedRegions(const RegionForest &forest) : forest(forest) {}

  const BodyValues::NamedFields &list() const { return all; }

  void add(RegionIndex region, FieldMask fields) {
    if (all.empty() || all.back().first != region)
      all.push_back({region, 0});
    all.back().second |= fields;
    byRegion[region] |= fields;
  }

  /// The fields of a region that are not named.
  FieldMask missing(RegionIndex region, FieldMask fields) const {
    for (RegionIndex r = region; r != noRegion && fields; r = forest.parent(r))
      fields &= ~byRegion.lookup(r);
    // Complete partitions and constraints are rare, so this may be slow.
    for (size_t i = 0; i != all.size() && fields; ++i)
      if ((all[i].second & fields) && forest.isSubregion(region, all[i].first))
        fields &= ~all[i].second;
    return fields;
  }

private:
  const RegionForest &forest;
  BodyValues::NamedFields all;
  llvm::DenseMap<RegionIndex, FieldMask> byRegion;
};

/// Checks one nested body.
class NestedChecker {
public:
  NestedChecker(const ImportedGraph &body, std::vector<Finding> &findings)
      : body(body), graph(body.graph), findings(findings),
        reads(graph.regions()), writes(graph.regions()), any(graph.regions()) {}

  void run();

private:
  void findNamed();
  void checkTouched(NodeIndex data);
  void checkReads(NodeIndex data);
  void checkLeft();
  void checkCondition();
  bool reportMissing(NodeIndex data, NodeIndex user, const NamedRegions &named,
                     const char *verb, const char *clause);
  Finding &addFinding(Rule rule, NodeIndex node, std::string message);
  std::string ownerName() const { return body.parent->name(body.owner); }

  const ImportedGraph &body;
  const Graph &graph;
  /// Created on the first read of data that the owner does not read.
  std::optional<BodyValues> values;
  std::vector<Finding> &findings;
  NamedRegions reads, writes, any;
  /// Operators that the owner reduces with, by region.
  llvm::DenseMap<ReductionIndex, std::unique_ptr<NamedRegions>> reduces;
};
} // namespace

void NestedChecker::findNamed() {
  const Graph &outer = body.parent->graph;
  auto add = [&](uint32_t index, bool isOut) {
    const Edge &edge = outer.edge(index);
    const Node &data = outer.node(isOut ? edge.to : edge.from);
    if (isCompute(data.kind))
      return;
    any.add(data.region, data.fields);
    if (edge.kind == EdgeKind::Read)
      reads.add(data.region, data.fields);
    if (edge.kind == EdgeKind::Write)
      writes.add(data.region, data.fields);
    if (edge.kind != EdgeKind::Reduce)
      return;
    auto &named = reduces[edge.reduction];
    if (!named)
      named = std::make_unique<NamedRegions>(outer.regions());
    named->add(data.region, data.fields);
  };
  for (uint32_t index : outer.in(body.owner))
    add(index, /*isOut=*/false);
  for (uint32_t index : outer.out(body.owner))
    add(index, /*isOut=*/true);
}

Finding &NestedChecker::addFinding(Rule rule, NodeIndex node,
                                   std::string message) {
  Finding &finding = findings.emplace_back();
  finding.rule = rule;
  finding.graph = &body;
  finding.node = node;
  finding.op = node == noNode ? body.op : body.operations[node];
  finding.message = std::move(message);
  return finding;
}

/// "'a'", or "'y' of 'a'" for a version of some fields.
static std::string describeData(const ImportedGraph &body, NodeIndex data) {
  const Graph &graph = body.graph;
  std::string region =
      "'" + graph.regions().name(graph.node(data).region) + "'";
  auto op = dyn_cast<RegionOp>(body.operations[data]);
  if (!op || !op.getFieldsAttr())
    return region;
  std::string fields;
  for (auto field : op.getFieldsAttr().getAsRange<StringAttr>())
    fields += (fields.empty() ? "'" : ", '") + field.str() + "'";
  return fields + " of " + region;
}

/// Reports the accesses of `user` to `data` that the owner does not declare.
/// Returns true if there are any.
bool NestedChecker::reportMissing(NodeIndex data, NodeIndex user,
                                  const NamedRegions &named, const char *verb,
                                  const char *clause) {
  const Node &node = graph.node(data);
  if (!named.missing(node.region, node.fields))
    return false;
  std::string region = describeData(body, data);
  const char *what = any.missing(node.region, node.fields)
                         ? ", which has no edge to it"
                         : ", which only has other edges to it";
  Finding &finding = addFinding(
      Rule::N1, user,
      body.name(user) + " " + verb + " " + region + " in the body of " +
          ownerName() + what + "; let " + ownerName() + " name " + region +
          ", or a region that contains it, in '" + clause + "(...)'");
  finding.notes.push_back(
      {body.operations[data], "the version is " + body.name(data)});
  finding.notes.push_back({body.op, ownerName() + " is here"});
  return true;
}

void NestedChecker::checkTouched(NodeIndex data) {
  for (uint32_t index : graph.in(data)) {
    const Edge &edge = graph.edge(index);
    if (!isTaskLike(graph.node(edge.from).kind) ||
        (edge.kind != EdgeKind::Write && edge.kind != EdgeKind::Reduce))
      continue;
    const Node &node = graph.node(data);
    auto reducer = reduces.find(edge.reduction);
    if (edge.kind == EdgeKind::Reduce && reducer != reduces.end() &&
        !reducer->second->missing(node.region, node.fields))
      continue;
    bool isWrite = edge.kind == EdgeKind::Write;
    if (reportMissing(data, edge.from, writes,
                      isWrite ? "writes" : "reduces to",
                      isWrite ? "writes" : "reduces"))
      return;
  }
  checkReads(data);
}

/// A reader of a version must not see more values from before the body than the
/// owner reads.
void NestedChecker::checkReads(NodeIndex data) {
  const Node &node = graph.node(data);
  FieldMask missing = reads.missing(node.region, node.fields);
  if (!missing)
    return;
  for (uint32_t index : graph.out(data)) {
    const Edge &edge = graph.edge(index);
    NodeKind reader = graph.node(edge.to).kind;
    if (edge.kind != EdgeKind::Read || !isTaskLike(reader))
      continue;
    if (graph.in(data).empty()) {
      reportMissing(data, edge.to, reads, "reads", "reads");
      return;
    }
    if (!values)
      values.emplace(graph, reads.list());
    if (!values->isKnown() || !(values->seenFromBefore(edge) & missing))
      continue;
    std::string region = describeData(body, data);
    Finding &finding = addFinding(
        Rule::N3, edge.to,
        body.name(edge.to) + " reads " + body.name(data) + ", a version of " +
            region + " with values from before the body of " + ownerName() +
            ", which does not read them; let " + ownerName() + " name " +
            region + ", or a region that contains it, in 'reads(...)'");
    finding.notes.push_back({body.operations[data], "the version is here"});
    finding.notes.push_back({body.op, ownerName() + " is here"});
    return;
  }
}

/// Data that the owner discards and writes must have no earlier values in the
/// end.
void NestedChecker::checkLeft() {
  const Graph &outer = body.parent->graph;
  for (uint32_t index : outer.out(body.owner)) {
    const Edge &edge = outer.edge(index);
    const Node &made = outer.node(edge.to);
    if (edge.kind != EdgeKind::Write || isCompute(made.kind))
      continue;
    FieldMask missing = reads.missing(made.region, made.fields);
    if (!missing)
      continue;
    if (!values)
      values.emplace(graph, reads.list());
    if (!values->isKnown() || !values->leftFromBefore(made.region, missing))
      continue;
    std::string region = describeData(*body.parent, edge.to);
    Finding &finding = addFinding(
        Rule::N3, noNode,
        "the body of " + ownerName() +
            " may leave elements as they were before it of " + region +
            ", which " + ownerName() +
            " does not read; let the body overwrite all of them, or " +
            ownerName() + " name " + region + " in 'reads(...)'");
    finding.notes.push_back({body.parent->operations[edge.to],
                             "the version that it makes is here"});
  }
}

/// A loop reads the variable that it tests.
void NestedChecker::checkCondition() {
  auto loop = dyn_cast<LoopOp>(body.op);
  if (!loop || !loop.getConditionAttr())
    return;
  StringRef name = *loop.getCondition();
  const Graph &outer = body.parent->graph;
  for (uint32_t index : outer.in(body.owner)) {
    const Edge &edge = outer.edge(index);
    const Node &data = outer.node(edge.from);
    if (edge.kind == EdgeKind::Read && !isCompute(data.kind) &&
        outer.regions().name(data.region) == name)
      return;
  }
  addFinding(Rule::N1, noNode,
             ownerName() + " tests '" + name.str() +
                 "' before each iteration, but does not read it; let it name "
                 "a version of it in 'reads(...)'");
}

void NestedChecker::run() {
  findNamed();
  for (NodeIndex node = 0; node != graph.numNodes(); ++node)
    if (!isCompute(graph.node(node).kind))
      checkTouched(node);
  checkLeft();
  checkCondition();
}

void sluice::rdir::checkNested(const ImportedGraph &graph,
                               std::vector<Finding> &findings) {
  for (const auto &nested : graph.nested)
    NestedChecker(*nested, findings).run();
}

/// No member of a must-epoch may come before another one, whether by its edges
/// or because it reads what the other one writes.
void sluice::rdir::checkMembers(const ImportedGraph &body,
                                const SerializationEdges &added,
                                std::vector<Finding> &findings) {
  const Graph &graph = body.graph;
  Digraph digraph = serialDigraph(graph, added);
  // By node: a member that the node comes after, found in topological order.
  std::vector<NodeIndex> before(digraph.size(), noNode);
  for (uint32_t node : topologicalOrder(digraph)) {
    bool isMember =
        node < graph.numNodes() && isTaskLike(graph.node(node).kind);
    if (isMember && before[node] != noNode) {
      NodeIndex first = before[node];
      std::string owner = body.parent->name(body.owner);
      Finding &finding = findings.emplace_back();
      finding.rule = Rule::N2;
      finding.graph = &body;
      finding.node = node;
      finding.op = body.operations[node];
      finding.message =
          body.name(node) + " comes after " + body.name(first) +
          ", but the tasks of a must-epoch run at the same time; take one "
          "of them out of " +
          owner;
      finding.notes.push_back(
          {body.operations[first], body.name(first) + " is here"});
    }
    NodeIndex reaching = isMember ? node : before[node];
    for (uint32_t to : digraph.out(node))
      if (before[to] == noNode)
        before[to] = reaching;
  }
}
