//===- PipelineEdges.cpp - Edges that run chunk by chunk ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelining lets the sink of an edge use a chunk of data while the chunk is
// still in the cache. But counting chunks has a cost, so each edge is decided
// individually.
//
//===----------------------------------------------------------------------===//

#include "NodeOrder.h"
#include "TransformFunctions.h"

#include "mlir/IR/Builders.h"
#include "sluice/Analysis/LeafReductions.h"
#include "sluice/DFG/Tiling.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::GraphOp;
using dfg::NodeOp;

namespace {
/// Decides how each one-to-one edge between replicated nodes runs. If it is
/// *pipelined*, both nodes are split into the same chunks of instances, and a
/// chunk of the sink starts when the same chunk of the source has ended.
/// Otherwise the sink starts when all of the source has ended, as on other
/// edges.
///
/// 1. Below a replicated internal node, children run one after another in each
///    instance: nothing is pipelined there.
/// 2. If the sink waits for all of the source anyway, the edge is not
///    pipelined.
/// 3. A node with reductions has its own chunks: its edges are not pipelined.
/// 4. Nodes that run strip by strip (see TileNodes.cpp) have other pieces.
/// 5. Edges between grids that are not provably equal are always pipelined,
///    since the runtime only compares the grids of pipelined edges.
class EdgePipeliner {
public:
  EdgePipeliner(ModuleOp graphs, const llvm::Module &leaves, bool all)
      : graphs(graphs), leaves(leaves), all(all) {}

  void run();

private:
  void findCompound(GraphOp graph, bool isBelow);
  void mark(NodeOp node, bool wanted);

  bool reduces(NodeOp node);

  ModuleOp graphs;
  const llvm::Module &leaves;
  bool all;
  SymbolTableCollection tables;
  llvm::DenseSet<Operation *> compound;
};
} // namespace

/// Collects `graph` and the graphs below it whose nodes are children of a
/// replicated internal node.
void EdgePipeliner::findCompound(GraphOp graph, bool isBelow) {
  if (isBelow && !compound.insert(graph).second)
    return;
  for (NodeOp node : graph.getBody().front().getOps<NodeOp>())
    if (auto callee = dyn_cast_or_null<GraphOp>(node.resolveCallee(tables)))
      if (isBelow || !node.getExtents().empty())
        findCompound(callee, true);
}

bool EdgePipeliner::reduces(NodeOp node) {
  mlir::Operation *callee = node.resolveCallee(tables);
  if (auto kernel = dyn_cast_or_null<dfg::KernelOp>(callee)) {
    const llvm::Function *leaf = leaves.getFunction(kernel.getCodeName());
    return leaf && hasReductions(*leaf);
  }
  auto graph = dyn_cast_or_null<GraphOp>(callee);
  return graph && llvm::any_of(graph.getBody().front().getOps<NodeOp>(),
                               [&](NodeOp child) { return reduces(child); });
}

/// Marks the edges into `node`: edges between equal grids if `wanted`, all
/// others always.
void EdgePipeliner::mark(NodeOp node, bool wanted) {
  llvm::SmallPtrSet<Operation *, 4> waitsForAll;
  for (NodeSource source : sourcesOf(node))
    if (!source.isOneToOne)
      waitsForAll.insert(source.node);
  SmallVector<bool> marks;
  for (auto [index, value] : llvm::enumerate(node.getInputs())) {
    auto source = value.getDefiningOp<NodeOp>();
    bool isCandidate =
        source && node.isOneToOne(index) && !node.getExtents().empty();
    bool isUseful = isCandidate && wanted && !waitsForAll.contains(source) &&
                    !reduces(node) && !reduces(source) &&
                    !dfg::isInTile(node) && !dfg::isInTile(source);
    marks.push_back(isCandidate && (isUseful || !haveEqualGrids(source, node)));
  }
  node.setPipelined(marks);
}

void EdgePipeliner::run() {
  for (GraphOp graph : graphs.getOps<GraphOp>())
    findCompound(graph, false);
  for (GraphOp graph : graphs.getOps<GraphOp>())
    for (NodeOp node : graph.getBody().front().getOps<NodeOp>())
      mark(node, all && !compound.contains(graph));
}

void transforms::pipelineEdges(ModuleOp graphs, const llvm::Module &leaves,
                               bool all) {
  EdgePipeliner(graphs, leaves, all).run();
}
