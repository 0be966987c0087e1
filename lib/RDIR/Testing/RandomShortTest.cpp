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

#include "OracleBodies.h"
#include "RandomGraphs.h"
#include "RandomKinds.h"
#include "sluice/RDIR/CheckModule.h"
#include "sluice/RDIR/InferVersions.h"
#include "sluice/RDIR/Order.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

namespace {
struct ShortKind {
  const char *name;
  bool launches, iterations, conditions;
};

/// A multiple of the point, and of the iterations of enclosing loops.
struct ShortSum {
  int64_t ofPoint = 0, constant = 0, modulus = 0;
  std::vector<int64_t> ofIterations;

  /// Then the runtime tells whether it is a color, as the compiler does not.
  bool isTestedByRuntime() const;
  std::string text() const;
  int64_t value(int64_t point, const std::vector<int64_t> &iterations) const;
};

enum class ShortUse { Read, Keep, Change, Discard, Reduce };

struct ShortArgument {
  int region;
  unsigned fields;
  ShortUse use;
  /// The color of a partition, in each of its dimensions.
  std::vector<ShortSum> color;
  bool isWhole = false;

  bool changes() const { return use != ShortUse::Read; }
};

/// A task, a loop or, with two bodies, a choice.
struct ShortStatement {
  unsigned number = 0; ///< tasks: of the function
  bool hasPoints = false;
  ShortSum extent; ///< tasks: of the launch; loops: number of iterations
  std::vector<ShortArgument> arguments;
  std::string head; ///< loops and choices
  bool namesIteration = false;
  std::vector<std::vector<ShortStatement>> bodies;
};
using ShortBody = std::vector<ShortStatement>;

/// Ends: the runtime ends the program, as a color does not exist.
enum class ShortVerdict { Right, Ends, Wrong };

/// By place: read, changed, and reduced.
struct ShortAccesses {
  std::map<uint32_t, unsigned> uses;

  void add(const ShortAccesses &other);
  bool mustStayOrdered(const ShortAccesses &later) const;
};
enum : unsigned { isRead = 1, isChanged = 2, isReduced = 4 };

class ShortPrograms {
public:
  ShortPrograms(Random &random, const SmallForest &forest,
                const ShortKind &kind)
      : random(random), forest(forest), kind(kind) {}

  ShortBody body(unsigned depth, unsigned numIterations, bool mayDecide);
  std::string text(const ShortBody &body, unsigned numIterations,
                   unsigned indent) const;
  /// The verdict of each task in all iterations, by number.
  void findVerdicts(const ShortBody &body, std::vector<int64_t> &iterations,
                    std::map<unsigned, ShortVerdict> &verdicts) const;
  ShortAccesses accesses(const ShortStatement &statement,
                         std::vector<int64_t> &iterations) const;

private:
  ShortSum sum(unsigned numIterations, bool hasPoint, int64_t extent);
  ShortStatement task(unsigned numIterations, bool mayDecide);
  std::string mention(const ShortStatement &task,
                      const ShortArgument &argument) const;
  SmallPlaces places(const ShortArgument &argument, int64_t point,
                     const std::vector<int64_t> &iterations,
                     bool &exists) const;
  ShortVerdict verdict(const ShortStatement &task,
                       const std::vector<int64_t> &iterations) const;

  Random &random;
  const SmallForest &forest;
  const ShortKind &kind;
  unsigned numTasks = 0;
};

struct RandomShort : testing::TestWithParam<ShortKind> {
  RandomShort() { context.loadDialect<RDIRDialect>(); }

  mlir::MLIRContext context;
  SmallForest forest;
};
} // namespace

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

bool ShortSum::isTestedByRuntime() const {
  return modulus || std::any_of(ofIterations.begin(), ofIterations.end(),
                                [](int64_t factor) { return factor != 0; });
}

std::string ShortSum::text() const {
  std::string result = std::to_string(constant);
  auto add = [&](int64_t factor, const std::string &name) {
    if (factor)
      result += (factor < 0 ? " - " : " + ") +
                std::to_string(factor < 0 ? -factor : factor) + " * " + name;
  };
  add(ofPoint, "i");
  for (size_t i = 0; i < ofIterations.size(); ++i)
    add(ofIterations[i], "%k" + std::to_string(i));
  return modulus ? result + " mod " + std::to_string(modulus) : result;
}

int64_t ShortSum::value(int64_t point,
                        const std::vector<int64_t> &iterations) const {
  int64_t result = ofPoint * point + constant;
  for (size_t i = 0; i < ofIterations.size(); ++i)
    result += ofIterations[i] * iterations[i];
  return modulus ? ((result % modulus) + modulus) % modulus : result;
}

ShortSum ShortPrograms::sum(unsigned numIterations, bool hasPoint,
                            int64_t extent) {
  ShortSum result;
  if (hasPoint)
    result.ofPoint = std::array{1, 1, 1, 0, -1, 2}[random.pick(6)];
  for (unsigned i = 0; kind.iterations && i < numIterations; ++i)
    result.ofIterations.push_back(std::array{0, 0, 1, 1, -1}[random.pick(5)]);
  result.constant = random.pick(extent);
  if (random.chance(50))
    result.modulus = extent;
  return result;
}

ShortStatement ShortPrograms::task(unsigned numIterations, bool mayDecide) {
  ShortStatement task;
  task.number = numTasks++;
  task.hasPoints = kind.launches && random.chance(60);
  if (task.hasPoints) {
    task.extent.constant = 1 + random.pick(4);
    if (kind.iterations && numIterations && random.chance(20)) {
      task.extent.constant = 4;
      task.extent.ofIterations.assign(numIterations, 0);
      task.extent.ofIterations[random.pick(numIterations)] = -1;
    }
  }
  const unsigned numArguments = 1 + random.pick(3);
  std::set<std::string> used;
  for (unsigned i = 0; i < numArguments; ++i) {
    ShortArgument argument;
    argument.region = random.pick(forest.regions.size());
    const SmallRegion &region = forest.regions[argument.region];
    argument.fields = region.isScalar ? 3 : 1 + random.pick(3);
    argument.use =
        random.chance(50) ? ShortUse::Read : ShortUse(1 + random.pick(4));
    if (region.isScalar && argument.changes() && (task.hasPoints || !mayDecide))
      argument.use = ShortUse::Read;
    if (!region.colors.empty()) {
      const bool hasSums = task.hasPoints || (kind.iterations && numIterations);
      argument.isWhole = !hasSums || random.chance(20);
      if (!argument.isWhole)
        for (int64_t extent : region.colorExtents)
          argument.color.push_back(sum(numIterations, task.hasPoints, extent));
    }
    // What has one text is one argument.
    ShortArgument allFields = argument;
    allFields.fields = 3;
    if (used.insert(mention(task, allFields)).second)
      task.arguments.push_back(argument);
  }
  return task;
}

ShortBody ShortPrograms::body(unsigned depth, unsigned numIterations,
                              bool mayDecide) {
  ShortBody result;
  const unsigned count = 1 + random.pick(depth ? 3 : 4);
  for (unsigned i = 0; i < count; ++i) {
    if (depth < 2 && random.chance(35) &&
        (kind.iterations || kind.conditions)) {
      ShortStatement &nested = result.emplace_back();
      if (kind.conditions && (!kind.iterations || random.chance(50))) {
        const unsigned way = random.pick(3);
        nested.head = way == 2 ? "unless @go" : "if @go";
        nested.bodies.push_back(body(depth + 1, numIterations, mayDecide));
        if (way == 1)
          nested.bodies.push_back(body(depth + 1, numIterations, mayDecide));
      } else {
        nested.namesIteration = true;
        nested.extent.constant = 1 + random.pick(3);
        nested.bodies.push_back(body(depth + 1, numIterations + 1, mayDecide));
      }
    } else {
      result.push_back(task(numIterations, mayDecide));
    }
  }
  return result;
}

std::string ShortPrograms::mention(const ShortStatement &task,
                                   const ShortArgument &argument) const {
  const SmallRegion &region = forest.regions[argument.region];
  std::string text = region.text;
  if (!argument.color.empty()) {
    text += "[";
    for (size_t d = 0; d < argument.color.size(); ++d)
      text += (d ? ", " : "") + argument.color[d].text();
    text += "]";
  }
  if (argument.fields != 3)
    text += argument.fields == 1 ? " {x}" : " {y}";
  const bool isWhole = argument.isWhole && task.hasPoints;
  return "(" + text + (isWhole ? " whole)" : ")");
}

std::string ShortPrograms::text(const ShortBody &body, unsigned numIterations,
                                unsigned indent) const {
  const std::string space(indent, ' ');
  std::string result;
  for (const ShortStatement &statement : body) {
    if (!statement.bodies.empty()) {
      result += space + "rdir.loop " + statement.head;
      if (statement.namesIteration)
        result += "%k" + std::to_string(numIterations) + " in " +
                  statement.extent.text();
      for (size_t i = 0; i < statement.bodies.size(); ++i)
        result += std::string(i ? space + "} else" : "") + " {\n" +
                  text(statement.bodies[i],
                       numIterations + statement.namesIteration, indent + 2);
      result += space + "}\n";
      continue;
    }
    result += space + "rdir.task @t" + std::to_string(statement.number);
    if (statement.hasPoints)
      result += " over [" + statement.extent.text() + "]";
    for (const ShortArgument &argument : statement.arguments) {
      const std::string what = mention(statement, argument);
      switch (argument.use) {
      case ShortUse::Read:
        result += " reads" + what;
        break;
      case ShortUse::Keep:
        result += " writes" + what;
        break;
      case ShortUse::Change:
        result += " reads" + what + " writes" + what;
        break;
      case ShortUse::Discard:
        result += " discards" + what + " writes" + what;
        break;
      case ShortUse::Reduce:
        result += " reduces<\"+\">" + what;
        break;
      }
    }
    result += "\n";
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Their meaning
//===----------------------------------------------------------------------===//

SmallPlaces ShortPrograms::places(const ShortArgument &argument, int64_t point,
                                  const std::vector<int64_t> &iterations,
                                  bool &exists) const {
  const SmallRegion &region = forest.regions[argument.region];
  if (argument.color.empty())
    return forest.placesOf(argument.region, argument.fields);
  int64_t linear = 0;
  for (size_t d = 0; d < argument.color.size(); ++d) {
    const int64_t at = argument.color[d].value(point, iterations);
    if (at < 0 || at >= region.colorExtents[d]) {
      exists = false;
      return {};
    }
    linear = linear * region.colorExtents[d] + at;
  }
  return forest.placesOf(region.colors[linear], argument.fields);
}

void ShortAccesses::add(const ShortAccesses &other) {
  for (auto [place, use] : other.uses)
    uses[place] |= use;
}

bool ShortAccesses::mustStayOrdered(const ShortAccesses &later) const {
  for (auto [place, use] : uses)
    if (auto found = later.uses.find(place); found != later.uses.end()) {
      const unsigned both = use | found->second;
      if (both != isRead && both != isReduced)
        return true;
    }
  return false;
}

ShortVerdict
ShortPrograms::verdict(const ShortStatement &task,
                       const std::vector<int64_t> &iterations) const {
  const int64_t numPoints =
      task.hasPoints ? task.extent.value(0, iterations) : 1;
  // By place: the arguments that access it, and their points.
  std::map<uint32_t, std::vector<std::pair<int64_t, size_t>>> users;
  for (int64_t point = 0; point < numPoints; ++point)
    for (size_t a = 0; a < task.arguments.size(); ++a) {
      bool exists = true;
      for (uint32_t place :
           places(task.arguments[a], point, iterations, exists))
        users[place].push_back({point, a});
      if (!exists)
        return task.extent.isTestedByRuntime() ||
                       std::any_of(task.arguments[a].color.begin(),
                                   task.arguments[a].color.end(),
                                   [](const ShortSum &sum) {
                                     return sum.isTestedByRuntime();
                                   })
                   ? ShortVerdict::Ends
                   : ShortVerdict::Wrong;
    }
  for (const auto &[place, all] : users)
    for (const auto &[p, a] : all)
      for (const auto &[q, b] : all) {
        if (p == q && a == b)
          continue;
        const ShortUse one = task.arguments[a].use,
                       other = task.arguments[b].use;
        if ((one != ShortUse::Read || other != ShortUse::Read) &&
            (one != ShortUse::Reduce || other != ShortUse::Reduce))
          return ShortVerdict::Wrong;
      }
  return ShortVerdict::Right;
}

ShortAccesses ShortPrograms::accesses(const ShortStatement &statement,
                                      std::vector<int64_t> &iterations) const {
  ShortAccesses result;
  if (statement.bodies.empty()) {
    const int64_t numPoints =
        statement.hasPoints ? statement.extent.value(0, iterations) : 1;
    for (int64_t point = 0; point < numPoints; ++point)
      for (const ShortArgument &argument : statement.arguments) {
        bool exists = true;
        for (uint32_t place : places(argument, point, iterations, exists))
          result.uses[place] |= !argument.changes()                ? isRead
                                : argument.use == ShortUse::Reduce ? isReduced
                                                                   : isChanged;
      }
    return result;
  }
  const int64_t count =
      statement.namesIteration ? statement.extent.constant : 1;
  for (const ShortBody &body : statement.bodies)
    for (int64_t k = 0; k < count; ++k) {
      if (statement.namesIteration)
        iterations.push_back(k);
      for (const ShortStatement &inner : body)
        result.add(accesses(inner, iterations));
      if (statement.namesIteration)
        iterations.pop_back();
    }
  return result;
}

void ShortPrograms::findVerdicts(
    const ShortBody &body, std::vector<int64_t> &iterations,
    std::map<unsigned, ShortVerdict> &verdicts) const {
  for (const ShortStatement &statement : body) {
    if (statement.bodies.empty()) {
      verdicts[statement.number] =
          std::max(verdicts[statement.number], verdict(statement, iterations));
      continue;
    }
    for (const ShortBody &inner : statement.bodies)
      for (int64_t k = 0;
           k < (statement.namesIteration ? statement.extent.constant : 1);
           ++k) {
        if (statement.namesIteration)
          iterations.push_back(k);
        findVerdicts(inner, iterations, verdicts);
        if (statement.namesIteration)
          iterations.pop_back();
      }
  }
}

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

TEST_P(RandomShort, WhatIsAcceptedIsRight) {
  const uint64_t wanted = numRandom(500), first = firstSeed();
  const bool isVerbose = std::getenv("SLUICE_RDIR_VERBOSE");
  uint64_t numAccepted = 0, numAtRunTime = 0, numRefused = 0, numSpec = 0,
           numPairs = 0;
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
      // A version is written or reduced into, not both (D1). By their
      // declarations, regions may share elements or not, as any two colors of
      // an aliased partition do; of colorings, nothing is known.
      const bool isBySentence =
          refusal.find("[D1]") != std::string::npos ||
          refusal.find("may share elements") != std::string::npos ||
          (refusal.rfind("L1", 0) == 0 &&
           refusal.find("'h") != std::string::npos);
      if (isBySentence) {
        ++numSpec;
      } else if (std::all_of(verdicts.begin(), verdicts.end(), [](auto &each) {
                   return each.second == ShortVerdict::Right;
                 })) {
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
      "break the specification\n",
      GetParam().name, (unsigned long)numAccepted, (unsigned long)numPairs,
      (unsigned long)numAtRunTime,
      (unsigned long)(numRefused - numUnproven - numSpec),
      (unsigned long)numUnproven, (unsigned long)numSpec);
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
