//===- SelectTasks.cpp - Selecting a task graph ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module may hold several task graphs. Commands work on the named one, or on
// the only one.
//
//===----------------------------------------------------------------------===//

#include "TaskCompilation.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

static std::string listGraphs(mlir::ModuleOp module) {
  std::string names;
  for (dfg::TaskGraphOp graph : module.getOps<dfg::TaskGraphOp>())
    names += (names.empty() ? "'" : ", '") + graph.getSymName().str() + "'";
  return names;
}

static dfg::TaskGraphOp findTaskGraph(mlir::ModuleOp module, StringRef root) {
  auto graphs = module.getOps<dfg::TaskGraphOp>();
  if (graphs.empty()) {
    module.emitError("the module has no task graph");
    return nullptr;
  }
  if (root.empty() && hasSingleElement(graphs))
    return *graphs.begin();
  for (dfg::TaskGraphOp graph : graphs)
    if (graph.getSymName() == root)
      return graph;
  if (root.empty())
    module.emitError("the module has the task graphs ")
        << listGraphs(module) << "; --root=NAME takes one of them";
  else
    module.emitError("the module has no task graph '")
        << root << "', but " << listGraphs(module);
  return nullptr;
}

static DenseSet<mlir::Attribute> dataOf(dfg::TaskGraphOp graph) {
  DenseSet<mlir::Attribute> data;
  for (dfg::TaskOp task : graph.getBody().front().getOps<dfg::TaskOp>())
    for (dfg::TaskArgAttr argument : task.getTaskArgs())
      data.insert(argument.getData().getAttr());
  return data;
}

dfg::TaskGraphOp driver::selectTaskGraph(mlir::ModuleOp module,
                                         StringRef root) {
  dfg::TaskGraphOp selected = findTaskGraph(module, root);
  if (!selected)
    return nullptr;
  DenseSet<mlir::Attribute> kept = dataOf(selected), others;
  for (dfg::TaskGraphOp graph :
       make_early_inc_range(module.getOps<dfg::TaskGraphOp>())) {
    if (graph == selected)
      continue;
    for (mlir::Attribute data : dataOf(graph))
      if (!kept.contains(data))
        others.insert(data);
    graph.erase();
  }
  for (mlir::Operation &op : make_early_inc_range(*module.getBody()))
    if (isa<dfg::DatasetOp, dfg::ScalarOp, dfg::ObjectOp>(op) &&
        others.contains(mlir::SymbolTable::getSymbolName(&op)))
      op.erase();
  return selected;
}
