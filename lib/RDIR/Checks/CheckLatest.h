//===- CheckLatest.h - Rule D4 ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Close, a Reduce, a launch that discards only some colors, and a loop that
// may not run carry values of earlier versions on into the one they make. On
// one store these are the latest values. So no version that a task wrote may
// lie between: the store holds that one, and its values would be lost in the
// graph.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_CHECKS_CHECKLATEST_H
#define SLUICE_LIB_RDIR_CHECKS_CHECKLATEST_H

#include "CheckReport.h"

#include <functional>

namespace sluice::rdir {

class Coverage;

/// True if a Write edge surely gives each element of its version a new value:
/// not that of a launch over some colors, nor of a loop that may not run.
bool overwrites(const Graph &graph, const Edge &write);

/// Adds what a Write edge surely gives new values, of which `overwrites` may be
/// false.
void addOverwritten(const Graph &graph, const Edge &write, Coverage &coverage);

class LatestCheck {
public:
  /// Whether there is a path, of data edges, from the one to the other.
  using Reaches = std::function<bool(NodeIndex from, NodeIndex to)>;

  LatestCheck(const Graph &graph, CheckReport &report, Reaches reaches)
      : graph(graph), report(report), reaches(std::move(reaches)) {}

  /// Checks whether `later` may leave out what `earlier`, a version that it may
  /// alias and that comes before it, has in common with it.
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
