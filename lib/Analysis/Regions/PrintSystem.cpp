//===- PrintSystem.cpp - A system of tasks as rdir text -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each graph becomes a program of RDIR, whose graph has the versions of its
// regions; its given order becomes HappensBefore edges. A use that meets an
// earlier one without an order works on other memory in that program, and is
// printed as the region that it is: a version beside those of the others.
// Tasks are functions of C there, so one that is called `read` gets another
// name.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "sluice/RDIR/FunctionNames.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace sluice;
using namespace sluice::regions;
using rdir::EdgeKind;
using rdir::NodeIndex;
using rdir::NodeKind;

namespace {
/// Functions for the tasks of a system: called after them where C allows it.
class FunctionNames {
public:
  explicit FunctionNames(const TaskSystem &system) {
    for (const TaskGraph &graph : system.graphs)
      for (const Task &task : graph.tasks)
        if (rdir::objectionTo(task.name).empty())
          taken.insert(task.name);
  }

  /// The same for all tasks of that name.
  const std::string &of(const std::string &task);

private:
  std::set<std::string> taken;
  std::map<std::string, std::string> known;
};

class GraphPrinter {
public:
  GraphPrinter(const TaskSystem &system, const RegionCheck &check,
               const std::vector<std::string> &operators,
               Declarations &declarations, FunctionNames &functions,
               uint32_t graph);

  std::string run();

private:
  void addTask(uint32_t task, int point);
  void addTasks(uint32_t task);
  void addOrder();
  std::string versionName(const rdir::Graph &built, NodeIndex node) const;
  void nameNodes(const rdir::Graph &built);
  std::string clauses(const rdir::Graph &built, NodeIndex node) const;
  std::string list(const rdir::Graph &built, NodeIndex node,
                   EdgeKind kind) const;
  std::string after(uint32_t task) const;
  std::string print(const rdir::Graph &built, NodeIndex node);

  const std::vector<std::string> &operators;
  Declarations &declarations;
  FunctionNames &functions;
  uint32_t number;
  const TaskGraph &graph;
  std::vector<bool> isSplit;
  /// Uses, by task, that are beside those of others.
  std::set<std::pair<uint32_t, uint32_t>> beside;

  rdir::SequentialProgram program;
  /// By task of the program.
  std::vector<std::pair<uint32_t, int>> origins;
  std::vector<std::string> taskNames;
  std::vector<std::set<uint32_t>> before;
  /// By node.
  std::vector<uint32_t> tasks;
  std::vector<std::string> names;
};
} // namespace

static std::string withoutOddCharacters(const std::string &name,
                                        const char *allowed) {
  std::string clean;
  for (char c : name)
    clean +=
        std::isalnum((unsigned char)c) || std::strchr(allowed, c) ? c : '_';
  return clean;
}

const std::string &FunctionNames::of(const std::string &task) {
  auto [entry, isNew] = known.try_emplace(task, task);
  std::string &name = entry->second;
  if (!isNew || rdir::objectionTo(task).empty())
    return name;
  // A name that begins with a prefix that is reserved for others.
  std::string base = withoutOddCharacters(task, "_");
  if (!rdir::objectionTo(base + "_task").empty())
    base = "task_" + base;
  else
    base += "_task";
  name = base;
  for (unsigned i = 2;
       !rdir::objectionTo(name).empty() || !taken.insert(name).second; ++i)
    name = base + std::to_string(i);
  return name;
}

GraphPrinter::GraphPrinter(const TaskSystem &system, const RegionCheck &check,
                           const std::vector<std::string> &operators,
                           Declarations &declarations, FunctionNames &functions,
                           uint32_t graph)
    : operators(operators), declarations(declarations), functions(functions),
      number(graph), graph(system.graphs[graph]),
      isSplit(this->graph.tasks.size()) {
  for (const OrderEdge &edge : this->graph.order)
    if (isPointwise(this->graph, edge))
      isSplit[edge.before] = isSplit[edge.after] = true;
  for (const auto *list : {&check.met, &check.unknown})
    for (const Meeting &meeting : *list)
      if (meeting.graph == graph && meeting.first != meeting.second)
        beside.insert({meeting.second, meeting.secondUse});
}

void GraphPrinter::addTask(uint32_t index, int point) {
  const Task &task = graph.tasks[index];
  rdir::ProgramTask added;
  for (uint32_t i = 0; i != task.uses.size(); ++i) {
    const Use &use = task.uses[i];
    rdir::RegionIndex region = point < 0 ? declarations.partition(use.range)
                                         : declarations.point(use.range, point);
    if (beside.count({index, i}))
      region = declarations.addTwin(region);
    added.arguments.push_back({.region = region,
                               .privilege = use.privilege,
                               .reduction = use.reduction});
  }
  program.tasks.push_back(std::move(added));
  origins.push_back({index, point});
}

void GraphPrinter::addTasks(uint32_t task) {
  if (!isSplit[task])
    return addTask(task, -1);
  addTask(task, 0);
  addTask(task, 1);
}

/// "%fill$1" for the second value with that name.
static std::string unique(const std::string &name,
                          std::map<std::string, unsigned> &used) {
  std::string clean = withoutOddCharacters(name, "_.");
  unsigned count = used[clean]++;
  return "%" + clean + (count ? "$" + std::to_string(count) : "");
}

/// The name of the region, without the graph's where that goes before it.
std::string GraphPrinter::versionName(const rdir::Graph &built,
                                      NodeIndex node) const {
  std::string name = declarations.name(built.node(node).region).substr(1);
  if (name.compare(0, graph.name.size() + 1, graph.name + ".") == 0)
    name.erase(0, graph.name.size() + 1);
  return name;
}

void GraphPrinter::nameNodes(const rdir::Graph &built) {
  std::map<std::string, unsigned> used;
  for (uint32_t task = 0; task != origins.size(); ++task)
    taskNames.push_back(unique(graph.tasks[origins[task].first].name, used));
  for (NodeIndex node = 0; node != built.numNodes(); ++node) {
    const rdir::Node &described = built.node(node);
    if (tasks[node] != UINT32_MAX)
      names.push_back(taskNames[tasks[node]]);
    else if (described.kind == NodeKind::Region)
      names.push_back(unique(versionName(built, node), used));
    else
      names.push_back(
          unique(described.kind == NodeKind::Open ? "open" : "close", used));
  }
}

/// "(%a, %b)" of all edges of a kind.
std::string GraphPrinter::list(const rdir::Graph &built, NodeIndex node,
                               EdgeKind kind) const {
  std::string text;
  auto add = [&](uint32_t edge, NodeIndex other) {
    if (built.edge(edge).kind == kind)
      text += (text.empty() ? "(" : ", ") + names[other];
  };
  for (uint32_t edge : built.in(node))
    add(edge, built.edge(edge).from);
  for (uint32_t edge : built.out(node))
    add(edge, built.edge(edge).to);
  return text.empty() ? "" : text + ")";
}

std::string GraphPrinter::clauses(const rdir::Graph &built,
                                  NodeIndex node) const {
  std::string text;
  auto add = [&](const char *clause, EdgeKind kind) {
    if (std::string values = list(built, node, kind); !values.empty())
      text += clause + values;
  };
  add(" reads", EdgeKind::Read);
  add(" discards", EdgeKind::Discard);
  add(" continues", EdgeKind::Continues);
  add(" writes", EdgeKind::Write);
  for (uint32_t edge : built.out(node))
    if (built.edge(edge).kind == EdgeKind::Reduce) {
      const std::string &name = operators[built.edge(edge).reduction];
      text += " reduces<" +
              (name == "atomic" ? symbol(name) : "\"" + name + "\"") + ">(" +
              names[built.edge(edge).to] + ")";
    }
  return text;
}

/// Finds, for each task of the program, the tasks with an edge to it.
void GraphPrinter::addOrder() {
  std::vector<std::vector<uint32_t>> instances(graph.tasks.size());
  for (uint32_t task = 0; task != origins.size(); ++task)
    instances[origins[task].first].push_back(task);
  before.resize(origins.size());
  for (const OrderEdge &edge : graph.order)
    for (uint32_t first : instances[edge.before])
      for (uint32_t second : instances[edge.after])
        if (!isPointwise(graph, edge) ||
            origins[first].second == origins[second].second)
          before[second].insert(first);
}

std::string GraphPrinter::after(uint32_t task) const {
  std::string text;
  for (uint32_t first : before[task])
    text += (text.empty() ? " after(" : ", ") + taskNames[first];
  return text.empty() ? "" : text + ")";
}

std::string GraphPrinter::print(const rdir::Graph &built, NodeIndex node) {
  const rdir::Node &described = built.node(node);
  std::string text = "  " + names[node] + " = ";
  if (described.kind == NodeKind::Region) {
    bool isWritten = std::any_of(
        built.in(node).begin(), built.in(node).end(), [&](uint32_t edge) {
          return built.edge(edge).kind == EdgeKind::Write ||
                 built.edge(edge).kind == EdgeKind::Reduce;
        });
    return text + "rdir.region " + declarations.name(described.region) +
           (isWritten ? "\n" : " initial\n");
  }
  if (tasks[node] == UINT32_MAX)
    return text +
           (described.kind == NodeKind::Open ? "rdir.open" : "rdir.close") +
           clauses(built, node) + "\n";
  auto [task, point] = origins[tasks[node]];
  const std::string &extents = declarations.extents(number, task);
  text += "rdir.task " + symbol(functions.of(graph.tasks[task].name));
  if (point < 0 && !extents.empty())
    text += " over " + extents;
  return text + clauses(built, node) + after(tasks[node]) + "\n";
}

std::string GraphPrinter::run() {
  for (uint32_t task = 0; task != graph.tasks.size(); ++task)
    addTasks(task);
  addOrder();
  program.forest = &declarations.regions();
  std::vector<NodeIndex> nodes;
  rdir::Graph built = rdir::buildGraph(program, &nodes);
  tasks.assign(built.numNodes(), UINT32_MAX);
  for (uint32_t task = 0; task != nodes.size(); ++task)
    tasks[nodes[task]] = task;
  nameNodes(built);
  std::string text = "rdir.graph " + symbol(graph.name) + " {\n";
  for (NodeIndex node = 0; node != built.numNodes(); ++node)
    text += print(built, node);
  return text + "}\n";
}

std::string regions::printRegions(const TaskSystem &system,
                                  const RegionCheck &check,
                                  const std::vector<std::string> &operators) {
  Declarations declarations(system, check);
  FunctionNames functions(system);
  std::string graphs;
  for (uint32_t graph = 0; graph != system.graphs.size(); ++graph)
    graphs +=
        GraphPrinter(system, check, operators, declarations, functions, graph)
            .run();
  std::string text;
  if (std::find(operators.begin(), operators.end(), "atomic") !=
      operators.end())
    text = "rdir.reduction @atomic : i8 identity 0 fold @atomic_fold\n";
  return text + declarations.text() + graphs;
}
