//===- CheckReport.h - Wording and counting of problems ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the checks: the names of nodes and regions in messages, and the
// limit on described problems per rule.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_CHECKS_CHECKREPORT_H
#define SLUICE_LIB_RDIR_CHECKS_CHECKREPORT_H

#include "sluice/RDIR/Checks.h"

namespace sluice::rdir {

class CheckReport {
public:
  CheckReport(const Graph &graph, const CheckOptions &options,
              CheckResult &result);

  /// Returns the problem to fill in. Returns null, and only counts the problem,
  /// if enough problems of its kind are described. The pointer is valid until
  /// the next call.
  Problem *add(Rule rule, NodeIndex node,
               ProblemSeverity severity = ProblemSeverity::Error);

  /// "'%t2'".
  std::string name(NodeIndex node) const;
  /// "'%b1', a version of 'blocks[2]'" for data nodes, else `name`.
  std::string describe(NodeIndex node) const;
  /// "'blocks[2]'".
  std::string region(NodeIndex node) const;

private:
  const Graph &graph;
  const CheckOptions &options;
  CheckResult &result;
  /// By rule and severity.
  std::vector<unsigned> described;
};

/// "task", "close", "data node" ...
const char *kindName(NodeKind kind);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_CHECKS_CHECKREPORT_H
