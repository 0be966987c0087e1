//===- CheckLatest.h - Rule D4 ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Close, a Reduce, a launch that discards only some colors, and a loop that
// may not run carry values of earlier versions on into the version that they
// make. On one store, these are the latest values. So no version that a task
// wrote may lie between: the store would hold its values, and the graph would
// lose them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_CHECKS_CHECKLATEST_H
#define SLUICE_LIB_RDIR_CHECKS_CHECKLATEST_H

#include "CheckReport.h"

#include <functional>

namespace sluice::rdir {

class Coverage;

/// True if a Write edge certainly gives each element of its version a new
/// value. False for a launch over some colors and for a loop that may not run.
bool overwrites(const Graph &graph, const Edge &write);

/// Adds the elements to which a Write edge certainly gives new values, even if
/// `overwrites` is false for the edge.
void addOverwritten(const Graph &graph, const Edge &write, Coverage &coverage);

class LatestCheck {
public:
  /// Whether a path of data edges leads from one node to the other.
  using Reaches = std::function<bool(NodeIndex from, NodeIndex to)>;

  LatestCheck(const Graph &graph, CheckReport &report, Reaches reaches)
      : graph(graph), report(report), reaches(std::move(reaches)) {}

  /// Checks whether `later` may leave out the elements that it shares with
  /// `earlier`, a version before it that it may alias.
  void meet(NodeIndex earlier, NodeIndex later);

private:
  /// The versions that one node carries on into the version it makes.
  struct Flow {
    NodeIndex node = noNode;
    /// Sorted.
    std::vector<NodeIndex> sources;
  };

  void findFlows(NodeIndex version);
  void addFlow(NodeIndex node, NodeIndex version, EdgeKind kind);
  bool isSource(const Flow &flow, NodeIndex version, EdgeKind kind,
                const Edge &edge) const;
  NodeIndex findLost(const Flow &flow, NodeIndex earlier,
                     NodeIndex later) const;
  bool isReplaced(const Flow &flow, NodeIndex version, NodeIndex part,
                  NodeIndex later) const;
  bool isOnlyReplaced(const Flow &flow, const Edge &change,
                      FieldMask fields) const;
  void reportLost(const Flow &flow, NodeIndex lost, NodeIndex later);

  const Graph &graph;
  CheckReport &report;
  Reaches reaches;
  /// The flows into this version.
  NodeIndex current = noNode;
  std::vector<Flow> flows;
  bool isReported = false;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_CHECKS_CHECKLATEST_H
