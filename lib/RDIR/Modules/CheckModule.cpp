//===- CheckModule.cpp - The checks of a whole module ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks work on graphs without MLIR. This file imports each graph of a
// module, runs the checks in the right order, and turns their results into
// diagnostics at locations in the text.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/CheckModule.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace sluice::rdir;

bool ModuleCheck::hasErrors() const {
  return llvm::any_of(findings, [](const Finding &finding) {
    return finding.severity == ProblemSeverity::Error;
  });
}

namespace {
/// Checks one graph, and those nested in it.
class GraphChecker {
public:
  GraphChecker(Checks checks, unsigned maxProblems, ModuleCheck &result)
      : checks(checks), maxProblems(maxProblems), result(result) {}

  void run(const ImportedGraph &imported);

private:
  using Check = void (*)(const Graph &, const CheckOptions &, CheckResult &);

  bool wants(Checks check) const { return (checks & check) != Checks::None; }
  void addFinding(const ImportedGraph &imported, Problem &problem);
  void checkEpoch(const ImportedGraph &imported);

  Checks checks;
  unsigned maxProblems;
  ModuleCheck &result;
};
} // namespace

static bool hasErrorsOf(const CheckResult &found, char group) {
  return llvm::any_of(found.problems, [=](const Problem &problem) {
    return problem.severity == ProblemSeverity::Error &&
           ruleName(problem.rule)[0] == group;
  });
}

void GraphChecker::addFinding(const ImportedGraph &imported, Problem &problem) {
  auto operation = [&](NodeIndex node) {
    return node < imported.operations.size() ? imported.operations[node]
                                             : imported.op;
  };
  Finding &finding = result.findings.emplace_back();
  finding.rule = problem.rule;
  finding.severity = problem.severity;
  finding.graph = &imported;
  finding.node = problem.node;
  finding.op = operation(problem.node);
  finding.message = std::move(problem.message);
  for (ProblemNote &note : problem.notes)
    finding.notes.push_back({operation(note.node), std::move(note.text)});
  finding.edges = std::move(problem.edges);
}

/// The orders between members are only known in graphs without races.
void GraphChecker::checkEpoch(const ImportedGraph &imported) {
  CheckResult found;
  checkWellFormed(imported.graph, {}, found);
  if (!found.hasErrors())
    checkRaces(imported.graph, {}, found);
  checkMembers(imported,
               found.hasErrors() ? SerializationEdges()
                                 : serializationEdges(imported.graph),
               result.findings);
}

void GraphChecker::run(const ImportedGraph &imported) {
  CheckOptions options;
  options.name = imported.namer();
  options.maxProblemsPerRule = maxProblems;
  const Graph &graph = imported.graph;
  CheckResult found;
  bool needsPaths = wants(Checks::Races | Checks::Serializable);
  if (wants(Checks::WellFormed) || needsPaths)
    checkWellFormed(graph, options, found);
  bool isWellFormed = !hasErrorsOf(found, 'W');
  if (wants(Checks::Kinds))
    checkKinds(graph, options, found);
  if (wants(Checks::Launches))
    checkLaunches(graph, options, found);
  if (needsPaths && isWellFormed)
    checkRaces(graph, options, found);
  if (wants(Checks::Serializable) && isWellFormed && !hasErrorsOf(found, 'D'))
    checkSerializable(graph, options, found);
  result.added[&imported] = std::move(found.added);
  for (Problem &problem : found.problems)
    addFinding(imported, problem);
  for (auto [rule, count] : found.omitted) {
    auto known = llvm::find_if(
        result.omitted, [&](const auto &entry) { return entry.first == rule; });
    if (known == result.omitted.end())
      result.omitted.push_back({rule, count});
    else
      known->second += count;
  }
  if (wants(Checks::Nested))
    checkNested(imported, result.findings);
  if (wants(Checks::Nested) && isa<MustEpochOp>(imported.op))
    checkEpoch(imported);
  for (const auto &nested : imported.nested)
    run(*nested);
}

ModuleCheck sluice::rdir::checkModule(const ImportedModule &module,
                                      Checks checks,
                                      unsigned maxProblemsPerRule) {
  ModuleCheck result;
  GraphChecker checker(checks, maxProblemsPerRule, result);
  if ((checks & Checks::Declared) != Checks::None) {
    checkDeclarations(module, result.findings, result.assumptions);
    checkCoherence(module, result.findings, result.assumptions);
  }
  for (const auto &graph : module.graphs)
    checker.run(*graph);
  return result;
}

void sluice::rdir::emitFindings(const ModuleCheck &check, bool hasRemarks) {
  const Finding *last = nullptr;
  llvm::SmallSet<Rule, 8> shown;
  for (const Finding &finding : check.findings) {
    bool isError = finding.severity == ProblemSeverity::Error;
    if (!isError && !hasRemarks)
      continue;
    last = &finding;
    shown.insert(finding.rule);
    Location place = finding.op->getLoc();
    InFlightDiagnostic diagnostic =
        isError ? emitError(place) : emitRemark(place);
    diagnostic << finding.message << " [" << ruleName(finding.rule) << ']';
    for (const Finding::Note &note : finding.notes)
      diagnostic.attachNote(note.op->getLoc()) << note.text;
  }
  for (auto [rule, count] : check.omitted)
    if (shown.contains(rule))
      emitRemark(last->op->getLoc())
          << count << " more of rule " << ruleName(rule) << " are not shown";
}
