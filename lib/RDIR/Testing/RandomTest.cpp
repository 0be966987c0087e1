//===- RandomTest.cpp - Random graphs against the oracle ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph that passes the rules about kinds and races is serializable if and
// only if some order of its tasks on one store is correct. Then every order
// that the rule allows is correct. SLUICE_RDIR_RANDOM sets the number of graphs
// of each kind, SLUICE_RDIR_SEED the first seed.
//
//===----------------------------------------------------------------------===//

#include "RandomGraphs.h"
#include "RandomKinds.h"
#include "sluice/RDIR/Order.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {
struct Kind {
  const char *name;
  Extensions extensions;
};

const Kind kinds[] = {
    {"Plain", {}},
    {"Fields", {.fields = true}},
    {"Reductions", {.reductions = true}},
    {"Discards", {.discards = true}},
    {"Aliased", {.aliased = true}},
    {"Incomplete", {.incomplete = true}},
    {"Constraints", {.constraints = true}},
    {"Partitions", {.partitions = true}},
    {"AliasingReads", {.aliased = true, .aliasingReads = true}},
    {"Launches", {.partitions = true, .launches = true}},
    {"All",
     {.fields = true,
      .reductions = true,
      .discards = true,
      .aliased = true,
      .incomplete = true,
      .constraints = true,
      .partitions = true,
      .aliasingReads = true,
      .launches = true}},
};

struct RandomGraphs : testing::TestWithParam<Kind> {};

/// The number of graphs with each verdict.
struct Shares {
  uint64_t refused = 0, unproven = 0, serializable = 0, not_ = 0;
};
} // namespace

/// Leaves out rules whose verdict has no meaning where other rules are
/// violated: which values are carried on, and which version comes first,
/// depends on a valid history.
static std::set<Rule> comparable(std::set<Rule> rules) {
  if (rules.count(Rule::D2))
    rules.erase(Rule::T3);
  std::set<Rule> others = rules;
  others.erase(Rule::D3);
  others.erase(Rule::D4);
  if (!others.empty())
    rules.erase(Rule::D4);
  return rules;
}

/// The rules that the checks find violated, except S1; without remarks.
static std::set<Rule> violatedRules(const Graph &graph) {
  CheckResult result;
  checkWellFormed(graph, {}, result);
  if (!result.hasErrors()) {
    checkKinds(graph, {}, result);
    checkRaces(graph, {}, result);
  }
  std::set<Rule> rules;
  for (const Problem &problem : result.problems)
    if (problem.severity == ProblemSeverity::Error || problem.rule == Rule::D3)
      rules.insert(problem.rule);
  return comparable(rules);
}

/// The edges that the compiler adds, with joins resolved.
static std::vector<std::pair<NodeIndex, NodeIndex>>
addedEdges(const Graph &graph) {
  std::vector<std::pair<NodeIndex, NodeIndex>> result;
  for (const AddedEdge &edge : serializationEdges(graph).edges)
    result.emplace_back(edge.from, edge.to);
  return result;
}

/// Compares the checks with the sentences of the rules, and the rule with the
/// oracle.
static void compare(const Graph &graph, const World &world, Shares &shares) {
  auto violated = comparable(naiveViolations(graph, world));
  auto found = violatedRules(graph);
  // Coverage that follows only from several constraints together is rejected.
  bool isUnproven =
      graph.regions().hasConstraints() && violated.empty() &&
      (found == std::set{Rule::C3} || found == std::set{Rule::D4});
  if (!isUnproven)
    EXPECT_EQ(found, violated);
  shares.unproven += isUnproven;
  if (!violated.empty() || isUnproven) {
    ++shares.refused;
    return;
  }
  GraphMeaning meaning(graph, world);
  bool exists = existsRightOrder(meaning.machine(), meaning.before());
  ++(exists ? shares.serializable : shares.not_);
  EXPECT_EQ(isNaivelySerializable(graph), exists);
  if (exists)
    EXPECT_TRUE(allOrdersRight(meaning.machine(),
                               meaning.before(naiveSerializationEdges(graph))));
}

TEST_P(RandomGraphs, RuleAgreesWithOracle) {
  uint64_t wanted = numRandom(1000);
  uint64_t first = firstSeed();
  Shares shares;
  for (uint64_t seed = first;
       shares.serializable + shares.not_ < wanted && !HasFailure(); ++seed) {
    Random random(seed);
    ConstrainedForest forest = randomForest(random, GetParam().extensions);
    World world(forest);
    for (int i = 0; i < 20 && !HasFailure(); ++i) {
      unsigned numTasks = 2 + random.pick(7);
      Graph graph =
          randomGraph(random, forest, GetParam().extensions, numTasks);
      compare(graph, world, shares);
      if (HasFailure())
        std::printf("seed %lu, graph %d\n%s", (unsigned long)seed, i,
                    describe(graph).c_str());
    }
  }
  std::printf("%s: %lu serializable, %lu not, %lu refused before, of which "
              "%lu are right\n",
              GetParam().name, (unsigned long)shares.serializable,
              (unsigned long)shares.not_, (unsigned long)shares.refused,
              (unsigned long)shares.unproven);
  // Both verdicts must occur often enough.
  EXPECT_GE(50 * shares.serializable, wanted);
  EXPECT_GE(50 * shares.not_, wanted);
  EXPECT_LE(20 * shares.unproven, wanted);
}

/// buildGraph makes a graph that every check accepts. In every order that this
/// graph allows, every task reads the same values as in the program.
TEST_P(RandomGraphs, ProgramsKeepTheirMeaning) {
  uint64_t wanted = numRandom(1000);
  uint64_t first = firstSeed();
  uint64_t numPrograms = 0, numNodes = 0;
  for (uint64_t seed = first; numPrograms < wanted && !HasFailure(); ++seed) {
    Random random(seed);
    ConstrainedForest forest =
        randomNestedForest(random, GetParam().extensions);
    World world(forest);
    for (int i = 0; i < 20 && !HasFailure(); ++i) {
      SequentialProgram program = randomProgram(
          random, forest, GetParam().extensions, 2 + random.pick(6));
      std::vector<NodeIndex> nodes;
      Graph graph = buildGraph(program, &nodes);
      if (graph.numNodes() > 100)
        continue;
      ++numPrograms;
      numNodes += graph.numNodes();
      CheckResult result = checkGraph(graph);
      for (const Problem &problem : result.problems)
        EXPECT_EQ(problem.severity, ProblemSeverity::Remark) << problem.message;
      EXPECT_EQ(naiveViolations(graph, world), std::set<Rule>());
      ProgramMeaning meaning(program, world);
      EXPECT_TRUE(allOrdersRight(
          meaning.machine, meaning.before(graph, nodes, addedEdges(graph))));
      if (HasFailure())
        std::printf("seed %lu, program %d\n%s%s", (unsigned long)seed, i,
                    describe(program).c_str(), describe(graph).c_str());
    }
  }
  std::printf("%s: %lu programs, %lu nodes\n", GetParam().name,
              (unsigned long)numPrograms, (unsigned long)numNodes);
}

/// By task: its predecessors by the graph's edges and the added ones.
static std::vector<NodeSet>
taskOrders(const Graph &graph,
           const std::vector<std::pair<NodeIndex, NodeIndex>> &added) {
  std::vector<NodeSet> reach = reachability(graph, true, added);
  std::vector<NodeSet> result;
  for (NodeIndex a = 0; a < graph.numNodes(); ++a) {
    NodeSet tasks;
    for (NodeIndex b = 0; b < graph.numNodes(); ++b)
      tasks[b] = isTaskLike(graph.node(b).kind) && reach[a][b];
    if (isTaskLike(graph.node(a).kind))
      result.push_back(tasks);
  }
  return result;
}

/// Graphs too large for the oracle: the edges of the fast computation give the
/// same order as the edges that the rule names.
TEST_P(RandomGraphs, FastRuleIsTheRule) {
  uint64_t wanted = numRandom(1000) / 4;
  uint64_t first = firstSeed();
  uint64_t numGraphs = 0, numCyclic = 0, numNodes = 0;
  for (uint64_t seed = first; numGraphs < wanted && !HasFailure(); ++seed) {
    Random random(seed);
    ConstrainedForest forest = randomForest(random, GetParam().extensions);
    for (int i = 0; i < 10 && !HasFailure(); ++i) {
      Graph graph = randomGraph(random, forest, GetParam().extensions,
                                4 + random.pick(14));
      if (!violatedRules(graph).empty())
        continue;
      ++numGraphs;
      numNodes += graph.numNodes();
      bool isSerializable = isNaivelySerializable(graph);
      CheckResult result;
      checkSerializable(graph, {}, result);
      EXPECT_EQ(!result.hasErrors(), isSerializable);
      numCyclic += !isSerializable;
      if (isSerializable)
        EXPECT_TRUE(taskOrders(graph, addedEdges(graph)) ==
                    taskOrders(graph, naiveSerializationEdges(graph)));
      if (HasFailure())
        std::printf("seed %lu, graph %d\n%s", (unsigned long)seed, i,
                    describe(graph).c_str());
    }
  }
  std::printf("%s: %lu graphs of %.1f nodes, %lu not serializable\n",
              GetParam().name, (unsigned long)numGraphs,
              double(numNodes) / numGraphs, (unsigned long)numCyclic);
  EXPECT_GE(100 * numCyclic, wanted);
}

/// Graphs with arbitrary edges: the checks and the sentences find the same
/// broken rules.
TEST(RandomIllFormedGraphs, RulesAgreeAndAllAreBroken) {
  uint64_t wanted = numRandom(1000) * 4;
  uint64_t first = firstSeed();
  std::map<Rule, uint64_t> broken;
  uint64_t numRight = 0, numGraphs = 0;
  for (uint64_t seed = first; numGraphs < wanted && !HasFailure(); ++seed) {
    Random random(seed);
    Extensions extensions = {.aliased = true, .incomplete = true};
    ConstrainedForest forest = randomForest(random, extensions);
    World world(forest);
    for (int i = 0; i < 20 && !HasFailure(); ++i, ++numGraphs) {
      Graph graph = randomIllFormedGraph(random, forest);
      std::set<Rule> violated = comparable(naiveViolations(graph, world));
      EXPECT_EQ(violatedRules(graph), violated);
      for (Rule rule : violated)
        ++broken[rule];
      numRight += violated.empty();
      if (HasFailure())
        std::printf("seed %lu, graph %d\n%s", (unsigned long)seed, i,
                    describe(graph).c_str());
    }
  }
  for (Rule rule : {Rule::W1, Rule::W2, Rule::W3, Rule::W4, Rule::D1, Rule::D2,
                    Rule::D3, Rule::T1, Rule::T2, Rule::T3, Rule::O1, Rule::O2,
                    Rule::O3, Rule::C1, Rule::C2, Rule::C3, Rule::C4}) {
    EXPECT_NE(broken[rule], 0u) << ruleName(rule);
    std::printf("%s %lu, ", ruleName(rule), (unsigned long)broken[rule]);
  }
  std::printf("none %lu\n", (unsigned long)numRight);
}

INSTANTIATE_TEST_SUITE_P(RDIR, RandomGraphs, testing::ValuesIn(kinds),
                         [](const auto &info) { return info.param.name; });
