//===- RandomShortTest.cpp - Random graphs that name regions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole modules whose graphs name regions, with iterations in colors and
// extents, and with conditions. All elements of all points in all iterations
// are listed. What the checks accept must have no launch with points that
// interfere, unless a remark leaves that to the runtime; and in the explicit
// form, a task must come before each later one that must see or not see what it
// does. What the checks refuse should be wrong: the test prints how much is
// not, by message. SLUICE_RDIR_RANDOM sets the number of modules of each kind,
// SLUICE_RDIR_SEED the first seed.
//
//===----------------------------------------------------------------------===//

#include "../RandomKinds.h"
#include "ShortPrograms.h"
#include "sluice/RDIR/CheckModule.h"
#include "sluice/RDIR/InferVersions.h"
#include "sluice/RDIR/Order.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

//===----------------------------------------------------------------------===//
// Explicit graphs
//===----------------------------------------------------------------------===//

namespace {
/// By node, what comes behind it, with the edges that serializability adds.
std::vector<std::vector<bool>> behind(const Graph &graph,
                                      const SerializationEdges &added) {
  std::vector<std::vector<NodeIndex>> next(graph.numNodes() + added.numJoins);
  for (const Edge &edge : graph.allEdges())
    next[edge.from].push_back(edge.to);
  for (const AddedEdge &edge : added.edges)
    next[edge.from].push_back(edge.to);
  std::vector<std::vector<bool>> result(next.size(),
                                        std::vector<bool>(next.size()));
  for (NodeIndex from = 0; from < next.size(); ++from) {
    std::vector<NodeIndex> open = {from};
    while (!open.empty()) {
      const NodeIndex at = open.back();
      open.pop_back();
      for (NodeIndex to : next[at])
        if (!result[from][to]) {
          result[from][to] = true;
          open.push_back(to);
        }
    }
  }
  return result;
}

/// Finds pairs of statements that the explicit form leaves unordered.
class OrderComparison {
public:
  OrderComparison(const ShortPrograms &programs, const ModuleCheck &check)
      : programs(programs), check(check) {}

  void compare(const ShortBody &body, const ImportedGraph &graph,
               const std::vector<std::vector<int64_t>> &iterations);
  std::string problem;
  uint64_t numPairs = 0;

private:
  const ShortPrograms &programs;
  const ModuleCheck &check;
};
} // namespace

/// `iterations`: all that the loops around the body have.
void OrderComparison::compare(
    const ShortBody &body, const ImportedGraph &graph,
    const std::vector<std::vector<int64_t>> &iterations) {
  std::vector<NodeIndex> nodes;
  for (NodeIndex node = 0; node < graph.graph.numNodes(); ++node)
    if (isTaskLike(graph.graph.node(node).kind))
      nodes.push_back(node);
  // Operations stand in the order of the text.
  std::sort(nodes.begin(), nodes.end(), [&](NodeIndex a, NodeIndex b) {
    return graph.operations[a]->isBeforeInBlock(graph.operations[b]);
  });
  if (nodes.size() != body.size()) {
    problem = "other numbers of statements";
    return;
  }
  auto reach = behind(graph.graph, check.added.at(&graph));
  for (size_t j = 0; j < body.size(); ++j)
    for (size_t i = 0; i < j; ++i)
      for (std::vector<int64_t> each : iterations) {
        const ShortAccesses first = programs.accesses(body[i], each);
        if (!first.mustStayOrdered(programs.accesses(body[j], each)))
          continue;
        ++numPairs;
        if (!reach[nodes[i]][nodes[j]])
          problem = "no path from " + graph.name(nodes[i]) + " to " +
                    graph.name(nodes[j]);
        break;
      }
  for (size_t i = 0; i < body.size(); ++i) {
    const ShortStatement &statement = body[i];
    if (statement.bodies.empty())
      continue;
    std::vector<std::vector<int64_t>> inner = iterations;
    if (statement.namesIteration) {
      inner.clear();
      for (std::vector<int64_t> each : iterations)
        for (int64_t k = 0; k < statement.extent.constant; ++k) {
          inner.push_back(each);
          inner.back().push_back(k);
        }
    }
    auto bodyOf = [](const ImportedGraph &of, NodeIndex owner) {
      for (const auto &nested : of.nested)
        if (nested->owner == owner)
          return nested.get();
      return static_cast<ImportedGraph *>(nullptr);
    };
    const ImportedGraph *nested = bodyOf(graph, nodes[i]);
    if (statement.bodies.size() == 1) {
      compare(statement.bodies[0], *nested, inner);
      continue;
    }
    // A choice is a loop around the loops of its bodies.
    unsigned number = 0;
    for (NodeIndex node = 0; node < nested->graph.numNodes(); ++node)
      if (nested->graph.node(node).kind == NodeKind::Loop) {
        if (number < 2)
          compare(statement.bodies[number], *bodyOf(*nested, node), inner);
        ++number;
      }
    if (number != 2)
      problem = "a choice has other bodies";
  }
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

namespace {
struct RandomShort : testing::TestWithParam<ShortKind> {
  RandomShort() { context.loadDialect<RDIRDialect>(); }

  mlir::MLIRContext context;
  SmallForest forest;
};
} // namespace

TEST_P(RandomShort, WhatIsAcceptedIsRight) {
  const uint64_t wanted = numRandom(500), first = firstSeed();
  const bool isVerbose = std::getenv("SLUICE_RDIR_VERBOSE");
  uint64_t numAccepted = 0, numAtRunTime = 0, numRefused = 0, numSpec = 0,
           numRightSpec = 0, numPairs = 0;
  std::map<std::string, uint64_t> unproven;
  for (uint64_t seed = first; seed < first + wanted && !HasFailure(); ++seed) {
    Random random(seed);
    ShortPrograms programs(random, forest, GetParam());
    const ShortBody body = programs.body(0, 0, true);
    const std::string text = forest.declarations + "rdir.graph @main {\n" +
                             programs.text(body, 0, 2) + "}\n";
    std::string message;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          if (message.empty() &&
              diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            message = diagnostic.str();
        });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << "seed " << seed << "\n" << text << message;
    std::vector<int64_t> none;
    std::map<unsigned, ShortVerdict> verdicts;
    programs.findVerdicts(body, none, verdicts);
    std::unique_ptr<ImportedModule> imported;
    ModuleCheck check;
    std::string refusal;
    if (failed(inferVersions(*module))) {
      refusal = "inference: " + message;
    } else {
      imported = importModule(*module);
      check = checkModule(*imported);
      for (const Finding &finding : check.findings)
        if (finding.severity == ProblemSeverity::Error && refusal.empty())
          refusal =
              std::string(ruleName(finding.rule)) + ": " + finding.message;
    }
    if (!refusal.empty()) {
      ++numRefused;
      const bool isD1 = refusal.find("[D1]") != std::string::npos;
      EXPECT_TRUE(!isD1 || programs.mayBreakD1(body))
          << "seed " << seed << ": " << refusal << "\n"
          << text;
      // By their declarations, regions may share elements or not, as any two
      // colors of an aliased partition do; of colorings, nothing is known.
      const bool isBySentence =
          isD1 || refusal.find("may share elements") != std::string::npos ||
          (refusal.rfind("L1", 0) == 0 &&
           refusal.find("'h") != std::string::npos);
      const bool isRight =
          std::all_of(verdicts.begin(), verdicts.end(), [](auto &each) {
            return each.second == ShortVerdict::Right;
          });
      if (isBySentence) {
        ++numSpec;
        numRightSpec += isRight;
      } else if (isRight) {
        ++unproven[refusal.substr(0, refusal.find(':'))];
        if (isVerbose)
          std::printf("seed %lu: %s\n%s", (unsigned long)seed, refusal.c_str(),
                      text.c_str());
      }
      continue;
    }
    ++numAccepted;
    // The runtime decides about the tasks with remarks.
    for (const Finding &finding : check.findings)
      if ((finding.rule == Rule::L1 || finding.rule == Rule::L2) && finding.op)
        if (auto function =
                finding.op->getAttrOfType<mlir::FlatSymbolRefAttr>("function"))
          numAtRunTime +=
              verdicts.erase(std::stoul(function.getValue().substr(1).str()));
    for (auto [number, verdict] : verdicts)
      EXPECT_NE(verdict, ShortVerdict::Wrong)
          << "seed " << seed << ": @t" << number << " is accepted\n"
          << text;
    OrderComparison order(programs, check);
    order.compare(body, *imported->graphs[0], {{}});
    EXPECT_EQ(order.problem, "") << "seed " << seed << "\n" << text;
    numPairs += order.numPairs;
  }
  uint64_t numUnproven = 0;
  for (const auto &[rule, count] : unproven)
    numUnproven += count;
  std::printf(
      "%s: %lu accepted, with %lu ordered pairs and %lu tasks "
      "left to the runtime; %lu refused, and %lu more that are right; %lu "
      "break the specification, of which %lu access other elements only\n",
      GetParam().name, (unsigned long)numAccepted, (unsigned long)numPairs,
      (unsigned long)numAtRunTime,
      (unsigned long)(numRefused - numUnproven - numSpec),
      (unsigned long)numUnproven, (unsigned long)numSpec,
      (unsigned long)numRightSpec);
  for (const auto &[rule, count] : unproven)
    std::printf("  right, but refused by %s: %lu\n", rule.c_str(),
                (unsigned long)count);
  // Neither verdict may come from giving up.
  EXPECT_LE(1000 * numUnproven, wanted + 1000);
  EXPECT_GE(20 * numAccepted, wanted);
  EXPECT_GE(20 * numRefused, wanted);
}

static constexpr ShortKind shortKinds[] = {
    {"Tasks", false, false, false},    {"Launches", true, false, false},
    {"Conditions", true, false, true}, {"Iterations", true, true, false},
    {"All", true, true, true},
};

INSTANTIATE_TEST_SUITE_P(RDIR, RandomShort, testing::ValuesIn(shortKinds),
                         [](const auto &info) { return info.param.name; });
