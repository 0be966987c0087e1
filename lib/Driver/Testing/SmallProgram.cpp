//===- SmallProgram.cpp - Small region modules that run -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallProgram.h"
#include "RandomGraphs.h"
#include "sluice/RDIR/CheckModule.h"

#include "mlir/Parser/Parser.h"

#include <algorithm>

using namespace sluice::rdir;
using namespace sluice::rdir::oracle;

void oracle::setParameter(SmallBody &body, int64_t count) {
  for (SmallNode &node : body.nodes) {
    if (node.count < 0)
      node.iterations = count;
    if (node.body)
      setParameter(*node.body, count);
  }
}

SmallProgram::SmallProgram(const SmallForest &forest, uint64_t seed,
                           const SmallKinds &kinds)
    : forest(forest) {
  Random random(seed);
  graph = randomSmallGraph(random, forest, kinds);
  count = random.pick(4);
  setParameter(graph, count);
}

bool SmallProgram::lower(mlir::MLIRContext &context) {
  mlir::ScopedDiagnosticHandler quiet(&context,
                                      [&](mlir::Diagnostic &diagnostic) {
                                        if (refusal.empty())
                                          refusal = diagnostic.str();
                                      });
  module =
      mlir::parseSourceString<mlir::ModuleOp>(textOf(forest, graph), &context);
  if (!module)
    return false;
  std::unique_ptr<ImportedModule> imported = importModule(*module);
  isAccepted = !checkModule(*imported).hasErrors();
  if (!isAccepted)
    return false;
  mlir::FailureOr<codegen::RegionModel> lowered =
      codegen::lowerRegionProgram(*module);
  if (mlir::failed(lowered))
    return false;
  program = std::move(*lowered);
  return true;
}

std::vector<int64_t> SmallProgram::expected() const {
  return SmallMeaning(forest, graph).finalNumbers();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static bool isAccess(EdgeKind kind) {
  return kind == EdgeKind::Read || kind == EdgeKind::Write ||
         kind == EdgeKind::Reduce;
}

/// By edge: its port. A read and a change of the same elements of a region
/// share the lower of their two ports.
static std::vector<uint32_t> portsOf(const SmallForest &forest,
                                     const SmallBody &body,
                                     const SmallNode &task,
                                     NodeOpInterface op) {
  llvm::SmallVector<uint32_t> given = edgePorts(op);
  std::vector<uint32_t> ports(given.begin(), given.begin() + task.edges.size());
  auto isChanged = [&](uint32_t port) {
    for (size_t e = 0; e < ports.size(); ++e)
      if (ports[e] == port && (task.edges[e].kind == EdgeKind::Write ||
                               task.edges[e].kind == EdgeKind::Reduce))
        return true;
    return false;
  };
  for (size_t r = 0; r < ports.size(); ++r)
    for (size_t c = 0; c < ports.size(); ++c) {
      const SmallEdge &read = task.edges[r], &change = task.edges[c];
      const SmallNode &a = body.nodes[read.data], &b = body.nodes[change.data];
      if (read.kind != EdgeKind::Read || ports[r] == ports[c] ||
          isChanged(ports[r]) || !isChanged(ports[c]) ||
          forest.regions[a.region].isScalar || a.region != b.region ||
          a.fields != b.fields || read.map != change.map)
        continue;
      uint32_t from = std::max(ports[r], ports[c]);
      uint32_t to = std::min(ports[r], ports[c]);
      std::replace(ports.begin(), ports.end(), from, to);
    }
  return ports;
}

/// The arguments of a task, for the ports that pass something to it.
LeafFunction SmallProgram::makeFunction(const SmallBody &body,
                                        const SmallNode &task,
                                        NodeOpInterface op,
                                        std::vector<int> path,
                                        std::vector<int64_t> iterations) const {
  std::vector<uint32_t> ports = portsOf(forest, body, task, op);
  std::map<uint32_t, LeafArgument> arguments;
  for (size_t e = 0; e < task.edges.size(); ++e) {
    const SmallNode &data = body.nodes[task.edges[e].data];
    if (!isAccess(task.edges[e].kind))
      continue;
    LeafArgument &argument = arguments[ports[e]];
    argument.isScalar = forest.regions[data.region].isScalar;
    argument.numSlots = argument.isScalar ? 2 : __builtin_popcount(data.fields);
  }
  uint32_t numSlots = 0;
  for (auto &[port, argument] : arguments) {
    argument.firstSlot = numSlots;
    numSlots += argument.numSlots;
  }
  std::vector<std::vector<int64_t>> points = pointsOf(task.over);
  std::vector<LeafEdge> edges;
  for (size_t e = 0; e < task.edges.size(); ++e) {
    const SmallEdge &edge = task.edges[e];
    const SmallNode &data = body.nodes[edge.data];
    if (!isAccess(edge.kind))
      continue;
    LeafArgument &argument = arguments[ports[e]];
    bool isRead = edge.kind == EdgeKind::Read;
    char kind = isRead                         ? 'r'
                : edge.kind == EdgeKind::Write ? 'w'
                : edge.reduction == 0          ? '+'
                                               : 'm';
    LeafEdge &made = edges.emplace_back(LeafEdge{kind, uint32_t(e), {}});
    argument.elements.resize(points.size());
    for (size_t p = 0; p < points.size(); ++p) {
      auto &places = made.byPoint.emplace_back();
      for (uint32_t place : forest.placesAt(data, edge, task, points[p])) {
        uint32_t field = place % SmallForest::numFields;
        int64_t index =
            place / SmallForest::numFields - forest.rootOf(place).firstElement;
        uint32_t slot =
            argument.isScalar
                ? !isRead
                : __builtin_popcount(data.fields & ((1u << field) - 1));
        places.push_back({argument.firstSlot + slot, index, place});
        argument.elements[p].insert(index);
      }
    }
  }
  LeafFunction function;
  function.leaf = std::make_unique<Leaf>(Instance(path.begin(), path.end()),
                                         std::move(iterations), points.size(),
                                         std::move(edges));
  for (auto &[port, argument] : arguments)
    function.arguments.push_back(std::move(argument));
  return function;
}

void SmallProgram::addFunctions(
    const SmallBody &body, const ImportedGraph &imported, std::vector<int> path,
    std::vector<int64_t> iterations,
    std::map<std::string, LeafFunction> &functions) const {
  path.push_back(0);
  iterations.push_back(0);
  size_t nested = 0;
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    const SmallNode &node = body.nodes[n];
    path.back() = n;
    if (node.kind == NodeKind::Task) {
      std::vector<int64_t> around(iterations.begin(), iterations.end() - 1);
      functions.emplace(
          functionName(path),
          makeFunction(body, node,
                       mlir::cast<NodeOpInterface>(imported.operations[n]),
                       path, std::move(around)));
    }
    if (!node.body)
      continue;
    iterations.back() = node.kind == NodeKind::MustEpoch ? 1 : node.iterations;
    addFunctions(*node.body, *imported.nested[nested++], path, iterations,
                 functions);
  }
}

std::map<std::string, LeafFunction> SmallProgram::functions() const {
  std::unique_ptr<ImportedModule> imported = importModule(*module);
  std::map<std::string, LeafFunction> result;
  addFunctions(graph, *imported->graphs[0], {}, {}, result);
  return result;
}
