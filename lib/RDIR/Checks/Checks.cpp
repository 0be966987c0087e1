//===- Checks.cpp - All checks of a graph ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks in order. A graph that is not well-formed has no paths to speak
// of, and one with races no history for a serial order to respect.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Checks.h"

#include <algorithm>

using namespace sluice::rdir;

static bool hasErrorOf(const CheckResult &result, char group) {
  return std::any_of(result.problems.begin(), result.problems.end(),
                     [group](const Problem &problem) {
                       return problem.severity == Severity::Error &&
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
