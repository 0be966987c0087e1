//===- Passes.cpp - The checks and orders of rdir as passes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps the checks and orders as MLIR passes, which `sluice-opt` and the driver
// run.
//
//===----------------------------------------------------------------------===//

#include "sluice/RDIR/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "sluice/RDIR/CheckModule.h"
#include "sluice/RDIR/InferVersions.h"
#include "sluice/RDIR/Order.h"

using namespace mlir;
using namespace sluice::rdir;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Runs the checks that ordering the nodes depends on.
static bool isInOrder(const ImportedModule &imported) {
  ModuleCheck check = checkModule(imported, Checks::WellFormed | Checks::Races |
                                                Checks::Serializable);
  emitFindings(check, /*hasRemarks=*/false);
  return !check.hasErrors();
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

/// The nodes that an added edge leads to. Joins exist only in the order, so
/// they are followed to real nodes.
static void findTargets(NodeIndex node, size_t numNodes,
                        ArrayRef<std::vector<NodeIndex>> after,
                        std::vector<NodeIndex> &targets) {
  for (NodeIndex next : after[node]) {
    if (next >= numNodes)
      findTargets(next, numNodes, after, targets);
    else
      targets.push_back(next);
  }
}

/// Adds an edge from each operation of `first`, once, to the clause `after` of
/// a node.
static void addAfter(Operation *node, ArrayRef<Operation *> firsts) {
  auto interface = cast<NodeOpInterface>(node);
  constexpr EdgeCode code{EdgeKind::HappensBefore, /*isOutgoing=*/false};
  SmallVector<int8_t> kinds(interface.getKinds());
  ArrayAttr projections = interface.getProjectionsAttr();
  DenseI32ArrayAttr ports = interface.getPortsAttr();
  SmallVector<Attribute> newProjections;
  SmallVector<int32_t> newPorts;
  SmallVector<Value> operands(interface.getNodes());
  if (projections)
    newProjections.assign(projections.begin(), projections.end());
  if (ports)
    newPorts.assign(ports.asArrayRef().begin(), ports.asArrayRef().end());
  Builder builder(node->getContext());
  for (Operation *first : firsts) {
    operands.push_back(first->getResult(0));
    kinds.push_back(code.encode());
    newProjections.push_back(builder.getUnitAttr());
    newPorts.push_back(-1);
  }
  node->setOperands(operands);
  node->setAttr("kinds", builder.getDenseI8ArrayAttr(kinds));
  if (projections)
    node->setAttr("projections", builder.getArrayAttr(newProjections));
  if (ports)
    node->setAttr("ports", builder.getDenseI32ArrayAttr(newPorts));
}

static bool isOrderedBefore(const Graph &graph, NodeIndex from, NodeIndex to) {
  return llvm::any_of(graph.in(to), [&](uint32_t index) {
    const Edge &edge = graph.edge(index);
    return edge.from == from && edge.kind == EdgeKind::HappensBefore;
  });
}

static void addOrders(const ImportedGraph &imported) {
  const Graph &graph = imported.graph;
  SerializationEdges added = serializationEdges(graph);
  std::vector<std::vector<NodeIndex>> after(graph.numNodes() + added.numJoins);
  for (const AddedEdge &edge : added.edges)
    after[edge.from].push_back(edge.to);
  std::vector<std::vector<Operation *>> firsts(graph.numNodes());
  for (NodeIndex node = 0; node != graph.numNodes(); ++node) {
    std::vector<NodeIndex> targets;
    findTargets(node, graph.numNodes(), after, targets);
    llvm::sort(targets);
    targets.erase(llvm::unique(targets), targets.end());
    for (NodeIndex target : targets)
      if (target != node && !isOrderedBefore(graph, node, target))
        firsts[target].push_back(imported.operations[node]);
  }
  for (NodeIndex node = 0; node != graph.numNodes(); ++node)
    if (!firsts[node].empty())
      addAfter(imported.operations[node], firsts[node]);
  for (const auto &nested : imported.nested)
    addOrders(*nested);
}

LogicalResult sluice::rdir::addHappensBefore(ModuleOp module) {
  if (failed(inferVersions(module)))
    return failure();
  std::unique_ptr<ImportedModule> imported = importModule(module);
  if (!isInOrder(*imported))
    return failure();
  for (const auto &graph : imported->graphs)
    addOrders(*graph);
  return success();
}

static void serialize(const ImportedGraph &imported) {
  for (NodeIndex node : serialOrder(imported.graph)) {
    Operation *op = imported.operations[node];
    op->moveBefore(op->getBlock(), op->getBlock()->end());
  }
  for (const auto &nested : imported.nested)
    serialize(*nested);
}

LogicalResult sluice::rdir::serializeGraphs(ModuleOp module) {
  if (failed(inferVersions(module)))
    return failure();
  std::unique_ptr<ImportedModule> imported = importModule(module);
  if (!isInOrder(*imported))
    return failure();
  for (const auto &graph : imported->graphs)
    serialize(*graph);
  return success();
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
/// Wraps a function over a module as a pass.
class ModulePass : public PassWrapper<ModulePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ModulePass)

  using Function = std::function<LogicalResult(ModuleOp)>;

  ModulePass(StringRef argument, StringRef description, Function function)
      : argument(argument), description(description),
        function(std::move(function)) {}

  StringRef getArgument() const override { return argument; }
  StringRef getDescription() const override { return description; }

  void runOnOperation() override {
    if (failed(function(getOperation())))
      signalPassFailure();
  }

private:
  StringRef argument, description;
  Function function;
};
} // namespace

static void addPass(StringRef argument, StringRef description,
                    ModulePass::Function function) {
  registerPass([=]() -> std::unique_ptr<Pass> {
    return std::make_unique<ModulePass>(argument, description, function);
  });
}

static void addCheck(StringRef argument, StringRef description, Checks checks) {
  addPass(argument, description, [checks](ModuleOp module) {
    if (failed(inferVersions(module)))
      return failure();
    std::unique_ptr<ImportedModule> imported = importModule(module);
    ModuleCheck check = checkModule(*imported, checks);
    emitFindings(check, /*hasRemarks=*/true);
    return failure(check.hasErrors());
  });
}

void sluice::rdir::registerRDIRPasses() {
  addPass("rdir-explicit",
          "writes the versions, opens and closes of graphs that name regions",
          [](ModuleOp module) { return inferVersions(module); });
  addCheck("rdir-check", "all rules of graphs", Checks::All);
  addCheck("rdir-check-well-formed", "edges join what they may, without cycles",
           Checks::WellFormed);
  addCheck("rdir-check-kinds", "what tasks, opens and closes may touch",
           Checks::Kinds);
  addCheck("rdir-check-launches", "the points of a launch do not interfere",
           Checks::Launches);
  addCheck("rdir-check-races", "versions of what may alias are in order",
           Checks::Races);
  addCheck("rdir-check-serializable", "a serial order of the tasks exists",
           Checks::Serializable);
  addCheck("rdir-check-nested", "nodes name what their bodies touch",
           Checks::Nested);
  addPass("rdir-add-happens-before",
          "adds the orders that a serial program needs as 'after'",
          [](ModuleOp module) { return addHappensBefore(module); });
  addPass("rdir-serialize", "puts nodes into the order of a serial program",
          [](ModuleOp module) { return serializeGraphs(module); });
}
