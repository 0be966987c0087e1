//===- CheckOpenClose.h - Rules O1 to O3 and C1 to C4 -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An Open makes versions of parts from a version of the whole. A Close makes a
// version of the whole from versions of the parts.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_CHECKS_CHECKOPENCLOSE_H
#define SLUICE_LIB_RDIR_CHECKS_CHECKOPENCLOSE_H

#include "CheckReport.h"

namespace sluice::rdir {

class OpenCloseCheck {
public:
  OpenCloseCheck(const Graph &graph, CheckReport &report)
      : graph(graph), report(report) {}

  void checkOpen(NodeIndex open);
  void checkClose(NodeIndex close);

private:
  std::vector<NodeIndex> ends(NodeIndex node, EdgeKind kind) const;
  void refuseOtherEdges(NodeIndex node, Rule rule);
  void checkCount(NodeIndex node, const std::vector<NodeIndex> &versions,
                  Rule rule, const char *verb);
  void checkOpened(NodeIndex open, NodeIndex read, NodeIndex written);
  void checkClosed(NodeIndex close, NodeIndex read, NodeIndex written);
  void checkTwice(NodeIndex close, const std::vector<NodeIndex> &reads);

  const Graph &graph;
  CheckReport &report;
};

/// The fields of a data node that versions of parts of it do not cover.
FieldMask uncoveredFields(const Graph &graph, NodeIndex whole,
                          const std::vector<NodeIndex> &parts);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_CHECKS_CHECKOPENCLOSE_H
