//===- GraphStreams.cpp - Graphs that run once per item -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the nodes from roots with streaming binds down to all graphs below.
//
//===----------------------------------------------------------------------===//

#include "GraphStreams.h"

using namespace mlir;
using namespace sluice;
using dfg::GraphOp;
using dfg::NodeOp;

static bool hasStreams(GraphOp graph) {
  auto isSet = [](bool flag) { return flag; };
  return llvm::any_of(graph.getOutputOp().getStream(), isSet) ||
         llvm::any_of(graph.getBody().front().getOps<NodeOp>(),
                      [&](NodeOp node) {
                        return llvm::any_of(node.getStream(), isSet);
                      });
}

llvm::DenseSet<Operation *> transforms::findStreamingGraphs(ModuleOp graphs) {
  llvm::DenseSet<Operation *> streaming;
  SmallVector<GraphOp> work;
  SymbolTableCollection tables;
  for (GraphOp graph : graphs.getOps<GraphOp>())
    if (hasStreams(graph))
      work.push_back(graph);
  while (!work.empty()) {
    GraphOp graph = work.pop_back_val();
    if (!streaming.insert(graph).second)
      continue;
    for (NodeOp node : graph.getBody().front().getOps<NodeOp>())
      if (auto callee = dyn_cast_or_null<GraphOp>(node.resolveCallee(tables)))
        work.push_back(callee);
  }
  return streaming;
}
