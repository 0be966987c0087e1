//===- CheckOpenClose.cpp - Rules O1 to O3 and C1 to C4 -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of Open and Close nodes. Coverage.cpp decides which parts cover a
// region.
//
//===----------------------------------------------------------------------===//

#include "CheckOpenClose.h"
#include "sluice/RDIR/EdgeWords.h"

#include <algorithm>

using namespace sluice::rdir;

/// The data nodes at the other ends of edges of one kind, each once.
std::vector<NodeIndex> OpenCloseCheck::ends(NodeIndex node,
                                            EdgeKind kind) const {
  std::vector<NodeIndex> result;
  for (std::span<const uint32_t> list : {graph.in(node), graph.out(node)})
    for (uint32_t index : list) {
      const Edge &edge = graph.edge(index);
      NodeIndex other = edge.from == node ? edge.to : edge.from;
      if (edge.kind == kind && !isCompute(graph.node(other).kind))
        result.push_back(other);
    }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void OpenCloseCheck::refuseOtherEdges(NodeIndex node, Rule rule) {
  for (EdgeKind kind :
       {EdgeKind::Discard, EdgeKind::Reduce, EdgeKind::Continues})
    for (NodeIndex other : ends(node, kind)) {
      Problem *problem = report.add(rule, node);
      if (!problem)
        continue;
      bool isOpen = graph.node(node).kind == NodeKind::Open;
      problem->message = std::string("the ") + kindName(graph.node(node).kind) +
                         " " + report.name(node) + " " + wordsOf(kind).verb +
                         " " + report.describe(other) + "; " +
                         (isOpen ? "an open" : "a close") +
                         " only reads and writes";
      problem->notes.push_back({other, "the data node is here"});
    }
}

/// Exactly one of `versions` is wanted.
void OpenCloseCheck::checkCount(NodeIndex node,
                                const std::vector<NodeIndex> &versions,
                                Rule rule, const char *verb) {
  if (versions.size() == 1)
    return;
  Problem *problem = report.add(rule, node);
  if (!problem)
    return;
  problem->message = std::string("the ") + kindName(graph.node(node).kind) +
                     " " + report.name(node) + " " + verb + " " +
                     std::to_string(versions.size()) +
                     " data nodes, expected 1";
  for (NodeIndex version : versions)
    if (problem->notes.size() < 16)
      problem->notes.push_back({version, report.describe(version)});
}

void OpenCloseCheck::checkOpened(NodeIndex open, NodeIndex read,
                                 NodeIndex written) {
  const RegionForest &forest = graph.regions();
  RegionIndex inner = graph.node(written).region;
  RegionIndex outer = graph.node(read).region;
  bool isBelow = inner != outer && forest.isBelow(inner, outer);
  bool hasFields = (graph.node(written).fields & ~graph.node(read).fields) == 0;
  if (isBelow && hasFields)
    return;
  Problem *problem = report.add(Rule::O2, open);
  if (!problem)
    return;
  problem->message =
      "the open " + report.name(open) + " writes " + report.describe(written) +
      (isBelow ? " with fields that it does not read from "
               : ", which is not a part of ") +
      report.region(read) + ", which it reads as " + report.name(read);
  problem->notes.push_back({read, "it is read here"});
  problem->notes.push_back({written, "it is written here"});
}

void OpenCloseCheck::checkOpen(NodeIndex open) {
  std::vector<NodeIndex> reads = ends(open, EdgeKind::Read);
  std::vector<NodeIndex> written = ends(open, EdgeKind::Write);
  checkCount(open, reads, Rule::O1, "reads");
  if (reads.size() == 1)
    for (NodeIndex version : written)
      checkOpened(open, reads[0], version);
  if (written.empty())
    if (Problem *problem = report.add(Rule::O2, open))
      problem->message = "the open " + report.name(open) +
                         " writes no data node, expected at least 1";
  refuseOtherEdges(open, Rule::O3);
}

void OpenCloseCheck::checkClosed(NodeIndex close, NodeIndex read,
                                 NodeIndex written) {
  bool isBelow = graph.regions().isBelow(graph.node(read).region,
                                         graph.node(written).region);
  bool hasFields = (graph.node(read).fields & ~graph.node(written).fields) == 0;
  if (isBelow && hasFields)
    return;
  Problem *problem = report.add(Rule::C2, close);
  if (!problem)
    return;
  problem->message =
      "the close " + report.name(close) + " reads " + report.describe(read) +
      (isBelow ? " with fields that it does not write to "
               : ", which is not a part of ") +
      report.region(written) + ", which it writes as " + report.name(written);
  problem->notes.push_back({read, "it is read here"});
  problem->notes.push_back({written, "it is written here"});
}

/// A close names no region twice, unless with other fields.
void OpenCloseCheck::checkTwice(NodeIndex close,
                                const std::vector<NodeIndex> &reads) {
  std::vector<NodeIndex> sorted = reads;
  auto region = [&](NodeIndex node) { return graph.node(node).region; };
  std::sort(sorted.begin(), sorted.end(), [&](NodeIndex a, NodeIndex b) {
    return std::pair(region(a), a) < std::pair(region(b), b);
  });
  FieldMask seen = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    NodeIndex read = sorted[i];
    if (i == 0 || region(sorted[i - 1]) != region(read))
      seen = 0;
    FieldMask fields = graph.node(read).fields;
    if ((seen & fields) != 0)
      if (Problem *problem = report.add(Rule::C2, close)) {
        problem->message = "the close " + report.name(close) +
                           " reads two versions of " + report.region(read) +
                           ", expected 1";
        problem->notes.push_back({sorted[i - 1], "one version is here"});
        problem->notes.push_back({read, "the other version is here"});
      }
    seen |= fields;
  }
}

void OpenCloseCheck::checkClose(NodeIndex close) {
  std::vector<NodeIndex> reads = ends(close, EdgeKind::Read);
  std::vector<NodeIndex> written = ends(close, EdgeKind::Write);
  checkCount(close, written, Rule::C1, "writes");
  checkTwice(close, reads);
  if (written.size() == 1) {
    for (NodeIndex read : reads)
      checkClosed(close, read, written[0]);
    if (uncoveredFields(graph, written[0], reads) != 0)
      if (Problem *problem = report.add(Rule::C3, close)) {
        problem->message =
            "what the close " + report.name(close) + " reads does not cover " +
            report.describe(written[0]) +
            "; let it read all colors of a complete partition, or the version "
            "of " +
            report.region(written[0]) + " before";
        problem->notes.push_back({written[0], "it is written here"});
      }
  }
  refuseOtherEdges(close, Rule::C4);
}
