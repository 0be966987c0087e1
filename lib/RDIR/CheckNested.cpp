//===- CheckNested.cpp - Rules N1 and N2 ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop or must-epoch is one node of the graph around it, whose edges must
// name everything that its body touches: only then the checks of that graph
// speak for the body too. What a body touches is looked for among the named
// regions and those above them, field by field.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/CheckModule.h"

using namespace mlir;
using namespace sluice::rdir;

namespace {
/// What the edges of a node name, as fields by region.
class NamedRegions {
public:
  explicit NamedRegions(const RegionForest &forest) : forest(forest) {}

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
    // Complete partitions and constraints: rare, so slow.
    for (size_t i = 0; i != all.size() && fields; ++i)
      if ((all[i].second & fields) && forest.isSubregion(region, all[i].first))
        fields &= ~all[i].second;
    return fields;
  }

private:
  const RegionForest &forest;
  std::vector<std::pair<RegionIndex, FieldMask>> all;
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
  void checkCondition();
  void checkMembers();
  bool reportMissing(NodeIndex data, NodeIndex user, const NamedRegions &named,
                     const char *verb, const char *clause);
  Finding &addFinding(Rule rule, NodeIndex node, std::string message);
  std::string ownerName() const { return body.parent->name(body.owner); }

  const ImportedGraph &body;
  const Graph &graph;
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

/// Reports what `user` does to `data` and the owner does not say. Returns true
/// if there is something.
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
  bool isWritten = false;
  for (uint32_t index : graph.in(data)) {
    const Edge &edge = graph.edge(index);
    if (!isCompute(graph.node(edge.from).kind))
      continue;
    if (edge.kind != EdgeKind::Write && edge.kind != EdgeKind::Reduce)
      continue;
    isWritten = true;
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
  if (isWritten)
    return;
  for (uint32_t index : graph.out(data)) {
    const Edge &edge = graph.edge(index);
    if (edge.kind == EdgeKind::Read && isCompute(graph.node(edge.to).kind) &&
        reportMissing(data, edge.to, reads, "reads", "reads"))
      return;
  }
}

/// The variable that a loop tests is read by it.
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

/// No member of a must-epoch comes before another one.
void NestedChecker::checkMembers() {
  // A member that each node comes after, found in topological order.
  std::vector<NodeIndex> before(graph.numNodes(), noNode);
  std::vector<uint32_t> numIn(graph.numNodes());
  std::vector<NodeIndex> ready;
  for (NodeIndex node = 0; node != graph.numNodes(); ++node)
    if ((numIn[node] = graph.in(node).size()) == 0)
      ready.push_back(node);
  while (!ready.empty()) {
    NodeIndex node = ready.back();
    ready.pop_back();
    bool isMember = isTaskLike(graph.node(node).kind);
    if (isMember && before[node] != noNode) {
      NodeIndex first = before[node];
      Finding &finding = addFinding(
          Rule::N2, node,
          body.name(node) + " comes after " + body.name(first) +
              ", but the tasks of a must-epoch run at the same time; take one "
              "of them out of " +
              ownerName());
      finding.notes.push_back(
          {body.operations[first], body.name(first) + " is here"});
    }
    NodeIndex reaching = isMember ? node : before[node];
    for (uint32_t index : graph.out(node)) {
      NodeIndex to = graph.edge(index).to;
      if (before[to] == noNode)
        before[to] = reaching;
      if (--numIn[to] == 0)
        ready.push_back(to);
    }
  }
}

void NestedChecker::run() {
  findNamed();
  for (NodeIndex node = 0; node != graph.numNodes(); ++node)
    if (!isCompute(graph.node(node).kind))
      checkTouched(node);
  checkCondition();
  if (isa<MustEpochOp>(body.op))
    checkMembers();
}

void sluice::rdir::checkNested(const ImportedGraph &graph,
                               std::vector<Finding> &findings) {
  for (const auto &nested : graph.nested)
    NestedChecker(*nested, findings).run();
}
