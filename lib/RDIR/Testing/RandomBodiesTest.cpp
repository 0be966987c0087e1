//===- RandomBodiesTest.cpp - Random launches, loops and epochs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole modules, from their text: a module that all checks accept is correct in
// every order that they allow. SLUICE_RDIR_RANDOM sets the number of modules of
// each kind, SLUICE_RDIR_SEED the first seed. The test prints how many correct
// modules are rejected, for those that only rules beyond the specification
// reject.
//
//===----------------------------------------------------------------------===//

#include "../Order/SerialGraph.h"
#include "OracleBodies.h"
#include "RandomGraphs.h"
#include "RandomKinds.h"
#include "sluice/RDIR/CheckModule.h"

#include "mlir/Parser/Parser.h"

#include <array>
#include <gtest/gtest.h>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {
struct RandomBodies : testing::TestWithParam<BodyKind> {
  RandomBodies() { context.loadDialect<RDIRDialect>(); }

  mlir::MLIRContext context;
  SmallForest forest;
  /// Counts of all verdicts, and of correct modules that were rejected, by
  /// rule.
  uint64_t numAccepted = 0, numRefused = 0, numUnproven = 0, numSpec = 0;
  std::map<std::string, uint64_t> unproven, refused;
};

/// Random orders of a body's nodes that respect its edges and the added ones.
class RandomOrders {
public:
  RandomOrders(Random &random, const ImportedModule *module,
               const ModuleCheck *check)
      : random(random), module(module), check(check) {}

  std::vector<int> operator()(const SmallBody &body,
                              const std::vector<int> &path) {
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    uint32_t numNodes = body.nodes.size();
    for (uint32_t i = 0; i < body.nodes.size(); ++i) {
      for (const SmallEdge &edge : body.nodes[i].edges)
        if (edge.kind == EdgeKind::Write || edge.kind == EdgeKind::Reduce)
          pairs.push_back({i, edge.data});
        else
          pairs.push_back({edge.data, i});
      for (int before : body.nodes[i].after)
        pairs.push_back({before, i});
    }
    if (module) {
      const ImportedGraph *graph = module->graphs[0].get();
      for (int node : path)
        for (const auto &nested : graph->nested)
          if (nested->owner == NodeIndex(node)) {
            graph = nested.get();
            break;
          }
      const SerializationEdges &added = check->added.at(graph);
      numNodes += added.numJoins;
      for (const AddedEdge &edge : added.edges)
        pairs.push_back({edge.from, edge.to});
    }
    std::vector<unsigned> waits(numNodes);
    for (auto [from, to] : pairs)
      ++waits[to];
    std::vector<uint32_t> ready;
    for (uint32_t i = 0; i < numNodes; ++i)
      if (!waits[i])
        ready.push_back(i);
    std::vector<int> order;
    while (!ready.empty()) {
      std::swap(ready[random.pick(ready.size())], ready.back());
      uint32_t next = ready.back();
      ready.pop_back();
      if (next < body.nodes.size())
        order.push_back(next);
      for (auto [from, to] : pairs)
        if (from == next && --waits[to] == 0)
          ready.push_back(to);
    }
    return order;
  }

private:
  Random &random;
  const ImportedModule *module;
  const ModuleCheck *check;
};
} // namespace

/// Gives each loop that may not run a number of iterations, by the number of
/// loops around it, so that dead bodies are tested, too.
static void setIterations(SmallBody &body, std::array<int64_t, 2> counts) {
  for (SmallNode &node : body.nodes) {
    if (node.count <= 0)
      node.iterations = counts[0];
    if (node.body)
      setIterations(*node.body, {counts[1], counts[1]});
  }
}

/// True if, for all numbers of iterations tried, some order is correct.
static bool isEverRight(const SmallForest &forest, SmallBody &graph,
                        Random &random) {
  for (int64_t outer : {1, 2, 0})
    for (int64_t inner : {1, 2, 0}) {
      setIterations(graph, {outer, inner});
      SmallMeaning meaning(forest, graph);
      bool isRight = false;
      for (int i = 0; i < 16 && meaning.problem().empty() && !isRight; ++i)
        isRight = meaning.isRight(RandomOrders(random, nullptr, nullptr));
      if (!isRight)
        return false;
    }
  return true;
}

/// Rules of the specification. Their verdict holds regardless of the values
/// that tasks read.
static bool isOfSpecification(Rule rule) {
  switch (rule) {
  case Rule::L1:
  case Rule::L2:
  case Rule::N1:
  case Rule::N2:
  case Rule::N3:
  case Rule::D4:
  case Rule::S1:
    return false;
  default:
    return true;
  }
}

TEST_P(RandomBodies, WhatIsAcceptedIsRight) {
  uint64_t wanted = numRandom(1000);
  uint64_t first = firstSeed();
  bool isVerbose = std::getenv("SLUICE_RDIR_VERBOSE");
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  for (uint64_t seed = first; seed < first + wanted && !HasFailure(); ++seed) {
    Random random(seed);
    SmallBody graph = randomSmallGraph(random, forest, GetParam().kinds);
    std::string text = textOf(forest, graph);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(module) << "seed " << seed << "\n" << text;
    std::unique_ptr<ImportedModule> imported = importModule(*module);
    ModuleCheck check = checkModule(*imported);
    std::string rules;
    bool isSpec = false;
    for (const Finding &finding : check.findings) {
      if (finding.severity != ProblemSeverity::Error)
        continue;
      isSpec |= isOfSpecification(finding.rule);
      if (rules.find(ruleName(finding.rule)) == std::string::npos)
        rules += std::string(rules.empty() ? "" : " ") + ruleName(finding.rule);
    }
    if (isSpec) {
      ++numSpec;
      continue;
    }
    if (rules.empty()) {
      ++numAccepted;
      SmallMeaning meaning(forest, graph);
      EXPECT_EQ(meaning.problem(), "");
      for (int i = 0; i < 4 && !HasFailure(); ++i)
        EXPECT_TRUE(
            meaning.isRight(RandomOrders(random, imported.get(), &check)));
      if (HasFailure())
        std::printf("seed %lu\n%s", (unsigned long)seed, text.c_str());
      continue;
    }
    ++numRefused;
    if (!isEverRight(forest, graph, random)) {
      ++refused[rules];
      continue;
    }
    ++numUnproven;
    if (++unproven[rules] <= 2 && isVerbose)
      std::printf("%s, seed %lu: %s\n%s", rules.c_str(), (unsigned long)seed,
                  check.findings[0].message.c_str(), text.c_str());
  }
  std::printf(
      "%s: %lu accepted, %lu refused, and %lu more that are right "
      "(%.2f %% of those right); %lu break the specification\n",
      GetParam().name, (unsigned long)numAccepted,
      (unsigned long)(numRefused - numUnproven), (unsigned long)numUnproven,
      100.0 * numUnproven / std::max<uint64_t>(1, numUnproven + numAccepted),
      (unsigned long)numSpec);
  // Neither verdict may come from giving up.
  uint64_t numRight = numAccepted + numUnproven;
  EXPECT_GE(20 * numAccepted, wanted);
  EXPECT_LE(1000 * numUnproven, numRight + 1500);
  for (const auto &[rules, count] : refused)
    if (rules.size() == 2)
      std::printf("  wrong, and refused by %s alone: %lu\n", rules.c_str(),
                  (unsigned long)count);
  for (const auto &[rules, count] : unproven)
    std::printf("  right, but refused by %s: %lu\n", rules.c_str(),
                (unsigned long)count);
}

INSTANTIATE_TEST_SUITE_P(RDIR, RandomBodies, testing::ValuesIn(bodyKinds),
                         [](const auto &info) { return info.param.name; });
