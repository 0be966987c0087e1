//===- ReductionNodes.cpp - Nodes whose instances fold into memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions on a graph around a leaf with reductions. Front ends have
// checked the leaves of their programs; leaves of `dfg` text are checked here
// first.
//
//===----------------------------------------------------------------------===//

#include "ReductionNodes.h"
#include "KernelEmitter.h"
#include "sluice/Analysis/LeafReductions.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

bool codegen::hasReductions(Operation *callee, const llvm::Module &leaves) {
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    const llvm::Function *leaf = leaves.getFunction(kernel.getCodeName());
    return leaf && sluice::hasReductions(*leaf);
  }
  return llvm::any_of(cast<GraphOp>(callee).getBody().front().getOps<NodeOp>(),
                      [&](NodeOp child) {
                        return hasReductions(child.resolveCallee(), leaves);
                      });
}

/// Whether units are the instances of the leaf's own node, in one dimension:
/// the nodes around it have one instance.
static bool hasOneDimension(const FlatNode &node) {
  return node.numUnitLevels == node.levels.size() &&
         NodeOp(node.levels.back().node).getExtents().size() == 1 &&
         llvm::all_of(ArrayRef(node.levels).drop_back(),
                      [](const Level &level) {
                        return NodeOp(level.node).getExtents().empty();
                      });
}

LogicalResult codegen::checkReductions(const FlatNode &node,
                                       const llvm::Module &leaves) {
  NodeOp op = node.op;
  llvm::StringRef name = op.getDisplayName();
  KernelOp kernel = node.getKernel();
  for (auto [index, value] : llvm::enumerate(op.getInputs())) {
    auto source = value.getDefiningOp<NodeOp>();
    if (source && op.isPipelined(index) &&
        (hasReductions(op.resolveCallee(), leaves) ||
         hasReductions(source.resolveCallee(), leaves)))
      return emitError(node.location)
             << "a one-to-one edge joins '" << source.getDisplayName()
             << "' and '" << name
             << "', one of which has a reduction, but their grids cannot be "
                "shown to be equal; give both the same extents";
  }
  if (!kernel)
    return !hasReductions(op.resolveCallee(), leaves)
               ? success()
               : emitError(node.location)
                     << "below the replicated node '" << name
                     << "' a leaf has a reduction beside other nodes; make it "
                        "a node of a graph that has one instance";
  const llvm::Function &leaf = *leaves.getFunction(kernel.getCodeName());
  llvm::SmallVector<LeafReduction> reductions = reductionsOf(leaf);
  if (reductions.empty())
    return success();
  const auto *scan = llvm::find_if(reductions, isScan);
  if (scan != reductions.end() && !hasOneDimension(node))
    return emitError(node.location)
           << "'" << name << "' scans input '"
           << kernel.getInputName(scan->memory->getArgNo())
           << "', so it must have one dimension, stand in a graph with one "
              "instance and not wait at barriers";
  for (const FlatOutput &output : node.outputs)
    if (output.arrayOffset != SLUICE_NO_OFFSET &&
        output.arrayLevels != copiesMark)
      return emitError(node.location)
             << "'" << name << "' has a reduction, and a one-to-one edge takes "
             << "its output '" << output.name
             << "'; store the values to memory, or reduce in a node of its own";
  for (unsigned index = 0; index != NodeOp(node.body).getInputs().size();
       ++index) {
    Source source = sourceOfInput(node, index);
    bool matters = llvm::any_of(reductions, [&](const LeafReduction &one) {
      return one.memory->getArgNo() == index || usesArgument(*one.bytes, index);
    });
    if (matters && source.instanceLevel >= 0)
      return emitError(node.location)
             << "input '" << kernel.getInputName(index) << "' of '" << name
             << "' is part of a reduction, but a one-to-one edge gives each "
                "instance another value; use an all-to-all edge";
  }
  return success();
}
