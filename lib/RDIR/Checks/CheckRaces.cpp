//===- CheckRaces.cpp - Rules D1 to D4 ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every version has one writer or commuting reducers (D1), and the versions of
// what may alias form one history (D2), which starts with initial versions
// (D3) and loses nothing on the way (D4).
//
//===----------------------------------------------------------------------===//

#include "../Graph/Reachability.h"
#include "../Graph/VersionSweep.h"
#include "CheckLatest.h"
#include "sluice/RDIR/EdgeWords.h"
#include "sluice/RDIR/Unwritten.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace sluice::rdir;

namespace {
/// Reachability between versions: most often the later one's writer reads the
/// earlier one, which marks answer at once, also for a close of thousands.
class VersionReach {
public:
  VersionReach(const Digraph &graph, std::span<const uint32_t> order)
      : graph(graph), reach(graph, order), markedFor(graph.size(), noNode) {}

  bool operator()(NodeIndex earlier, NodeIndex later) {
    markInputs(later);
    return markedFor[earlier] == marked || reach(earlier, later);
  }

private:
  /// Marks what the writers of a version touch, with the writer if it is the
  /// only one, since its other outputs come next.
  void markInputs(NodeIndex version) {
    std::span<const uint32_t> writers = graph.in(version);
    NodeIndex mark = writers.size() == 1 ? writers[0] : version;
    if (mark == marked)
      return;
    marked = mark;
    for (NodeIndex writer : writers)
      for (NodeIndex input : graph.in(writer))
        markedFor[input] = mark;
  }

  const Digraph &graph;
  Reachability reach;
  std::vector<NodeIndex> markedFor;
  NodeIndex marked = noNode;
};

/// The edges into a data node that write it.
struct Writers {
  std::vector<uint32_t> writes, reduces;
};
} // namespace

static Writers writersOf(const Graph &graph, NodeIndex node) {
  Writers writers;
  for (uint32_t index : graph.in(node)) {
    if (graph.edge(index).kind == EdgeKind::Write)
      writers.writes.push_back(index);
    if (graph.edge(index).kind == EdgeKind::Reduce)
      writers.reduces.push_back(index);
  }
  return writers;
}

static bool haveOneOperator(const Graph &graph,
                            const std::vector<uint32_t> &edges) {
  return std::all_of(edges.begin(), edges.end(), [&](uint32_t index) {
    return graph.edge(index).reduction == graph.edge(edges[0]).reduction;
  });
}

/// A launch may write a version through several projections, of which each
/// names other colors: it is one writer.
static bool areOfOneLaunch(const Graph &graph,
                           const std::vector<uint32_t> &writes) {
  std::set<uint32_t> projections;
  const NodeIndex launch = graph.edge(writes[0]).from;
  return graph.node(launch).domain != UINT32_MAX &&
         std::all_of(writes.begin(), writes.end(), [&](uint32_t index) {
           const Edge &edge = graph.edge(index);
           return edge.from == launch && edge.projection != UINT32_MAX &&
                  projections.insert(edge.projection).second;
         });
}

/// D1 for one data node.
static void checkWriters(const Graph &graph, CheckReport &report,
                         NodeIndex node) {
  constexpr size_t maxNotes = 16;
  if (graph.in(node).size() < 2)
    return;
  Writers writers = writersOf(graph, node);
  std::string what;
  if (!writers.writes.empty() && !writers.reduces.empty())
    what = " is both written and reduced into";
  else if (writers.writes.size() > 1 && !areOfOneLaunch(graph, writers.writes))
    what = " has " + std::to_string(writers.writes.size()) + " Write edges";
  else if (!writers.reduces.empty() && !haveOneOperator(graph, writers.reduces))
    what = " is reduced into with different operators";
  if (what.empty())
    return;
  Problem *problem = report.add(Rule::D1, node);
  if (!problem)
    return;
  problem->message = report.describe(node) + "," + what +
                     "; a version has one Write, or Reduces with one "
                     "operator: let each writer make a version of its own";
  for (const auto *edges : {&writers.writes, &writers.reduces})
    for (uint32_t index : *edges) {
      const Edge &edge = graph.edge(index);
      if (problem->notes.size() < maxNotes)
        problem->notes.push_back({edge.from, report.name(edge.from) + " " +
                                                 wordsOf(edge.kind).verb + " " +
                                                 report.name(node) + " here"});
      problem->edges.push_back(
          {.from = edge.from, .to = edge.to, .kind = edge.kind});
    }
}

/// D3 for one data node.
static void checkInitial(const Graph &graph, CheckReport &report,
                         UnwrittenReads &unwritten, NodeIndex node) {
  std::optional<UnwrittenRead> read = unwritten.find(node);
  if (!read)
    return;
  Problem *problem =
      report.add(Rule::D3, read->origin, ProblemSeverity::Remark);
  if (!problem)
    return;
  problem->message = report.name(read->reader) +
                     (read->isOnlyOpened ? " opens " : " reads ") +
                     report.describe(node);
  problem->message += read->writer == noNode
                          ? std::string(", which nobody writes")
                          : ", of which " + report.name(read->writer) +
                                " writes some colors, and nobody the others";
  if (read->isOnlyOpened)
    problem->message += "; nobody reads what it makes, but an open hands on "
                        "values";
  problem->message +=
      "; mark " + (read->writer == noNode ? "it" : report.name(read->origin)) +
      " 'initial' if it has a value before the graph";
  problem->notes.push_back({read->reader, read->isOnlyOpened
                                              ? "it is opened here"
                                              : "it is read here"});
}

/// The way out of two versions without an order. Most often a close was
/// forgotten: then nothing can start from the version that it would make.
static void noteMissingEdge(const Graph &graph, const CheckReport &report,
                            NodeIndex first, NodeIndex second,
                            Problem &problem) {
  for (NodeIndex node : {first, second}) {
    std::optional<UnwrittenRead> read = UnwrittenReads(graph).find(node);
    if (!read || read->writer != noNode)
      continue;
    NodeIndex other = node == first ? second : first;
    problem.notes.push_back(
        {read->reader,
         report.name(read->reader) + " reads " + report.name(node) +
             ", which nobody writes; let an open, a close or a task "
             "make it, from " +
             report.name(other) + " or what comes after that"});
    return;
  }
  for (uint32_t index : graph.in(second)) {
    NodeIndex writer = graph.edge(index).from;
    problem.notes.push_back(
        {writer, report.name(writer) + " makes " + report.name(second) +
                     "; let it start from " + report.name(first) +
                     ", or from a version that an open or close makes of it"});
    return;
  }
}

static void reportUnordered(const Graph &graph, CheckReport &report,
                            NodeIndex a, NodeIndex b) {
  Problem *problem = report.add(Rule::D2, std::max(a, b));
  if (!problem)
    return;
  NodeIndex first = std::min(a, b), second = std::max(a, b);
  // A version without a writer cannot come after another.
  if (graph.in(second).empty() && !graph.in(first).empty())
    std::swap(first, second);
  problem->node = second;
  std::string regions = report.region(first);
  if (graph.node(first).region != graph.node(second).region)
    regions += " and " + report.region(second);
  problem->message =
      report.name(first) + " and " + report.name(second) + ", versions of " +
      regions +
      " that may share elements, are not ordered: there is no path "
      "between them";
  problem->notes.push_back({first, "the other version is here"});
  noteMissingEdge(graph, report, first, second, *problem);
  problem->edges.push_back({.from = first,
                            .to = second,
                            .isPresent = false,
                            .kind = EdgeKind::Read});
}

static void checkHistories(const Graph &graph, const CheckOptions &options,
                           CheckReport &report) {
  Digraph digraph(graph, EdgeSet::Data);
  std::vector<uint32_t> order = topologicalOrder(digraph);
  if (order.size() != digraph.size())
    return;
  VersionReach reach(digraph, order);
  std::vector<uint32_t> position(order.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  // A graph this wrong is not searched to the end.
  bool isOrdered = true;
  uint64_t mayReport = uint64_t(options.maxProblemsPerRule) * 10 + 10;
  auto meet = [&](NodeIndex earlier, NodeIndex later) {
    if (mayReport == 0 || reach(earlier, later))
      return true;
    reportUnordered(graph, report, earlier, later);
    isOrdered = false;
    --mayReport;
    return false;
  };
  VersionSweep sweep(graph, position, meet);
  std::vector<VersionClass> classes = versionClasses(graph, order);
  for (const VersionClass &versions : classes) {
    if (mayReport == 0)
      return;
    sweep.run(versions);
  }
  if (!isOrdered)
    return;
  LatestCheck latest(graph, report, std::ref(reach));
  VersionSweep again(graph, position, [&](NodeIndex earlier, NodeIndex later) {
    latest.meet(earlier, later);
    return true;
  });
  for (const VersionClass &versions : classes)
    again.run(versions);
}

void sluice::rdir::checkRaces(const Graph &graph, const CheckOptions &options,
                              CheckResult &result) {
  CheckReport report(graph, options, result);
  UnwrittenReads unwritten(graph);
  for (NodeIndex node = 0; node < graph.numNodes(); ++node)
    if (!isCompute(graph.node(node).kind)) {
      checkWriters(graph, report, node);
      checkInitial(graph, report, unwritten, node);
    }
  checkHistories(graph, options, report);
}
