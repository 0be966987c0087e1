//===- Checks.cpp - All checks of a graph ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks in order. Later checks need the earlier ones to pass: a graph that
// is not well-formed has no meaningful paths, and a graph with races has no
// history that a serial order could respect.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Checks.h"

#include <algorithm>

using namespace sluice::rdir;

static bool hasErrorOf(const CheckResult &result, char group) {
  return std::any_of(result.problems.begin(), result.problems.end(),
                     [group](const Problem &problem) {
                       return problem.severity == ProblemSeverity::Error &&
                              ruleName(problem.rule)[0] == group;
                     });
}

CheckResult sluice::rdir::checkGraph(const Graph &graph,
                                     const CheckOptions &options) {
  CheckResult result;
  checkWellFormed(graph, options, result);
  checkKinds(graph, options, result);
  checkLaunches(graph, options, result);
  if (hasErrorOf(result, 'W'))
    return result;
  checkRaces(graph, options, result);
  if (hasErrorOf(result, 'D'))
    return result;
  checkSerializable(graph, options, result);
  return result;
}
