//===- TemporaryMemory.cpp - Memory that only one graph uses --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute, its verification, and the places where it allows a window.
//
//===----------------------------------------------------------------------===//

#include "sluice/DFG/TemporaryMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Builders.h"
#include "sluice/DFG/Tiling.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::dfg;

static ArrayRef<int64_t> temporariesOf(GraphOp graph) {
  auto inputs = graph->getAttrOfType<DenseI64ArrayAttr>(temporaryName);
  return inputs ? inputs.asArrayRef() : ArrayRef<int64_t>();
}

bool dfg::isTemporary(GraphOp graph, unsigned input) {
  return llvm::is_contained(temporariesOf(graph), int64_t(input));
}

void dfg::setTemporaries(GraphOp graph, ArrayRef<int64_t> inputs) {
  if (inputs.empty())
    graph->removeAttr(temporaryName);
  else
    graph->setAttr(temporaryName,
                   DenseI64ArrayAttr::get(graph.getContext(), inputs));
}

LogicalResult dfg::verifyTemporary(Operation *op, Attribute value) {
  auto graph = dyn_cast<GraphOp>(op);
  auto inputs = dyn_cast<DenseI64ArrayAttr>(value);
  if (!graph || !inputs)
    return op->emitOpError("attribute '")
           << temporaryName << "' needs the numbers of inputs of a 'dfg.graph'";
  int64_t before = -1;
  for (int64_t input : inputs.asArrayRef()) {
    if (input <= before || input >= int64_t(graph.getInputTypes().size()))
      return op->emitOpError("attribute '")
             << temporaryName << "' needs numbers of its "
             << graph.getInputTypes().size() << " inputs, in their order";
    if (!isa<LLVM::LLVMPointerType>(graph.getInputTypes()[input]))
      return op->emitOpError("input '")
             << graph.getInputName(input)
             << "' is marked 'temporary', but its type "
             << graph.getInputTypes()[input] << " is not a pointer";
    before = input;
  }
  return success();
}

/// The first node of the group of nodes that runs row by row together with
/// `node`.
static NodeOp firstOfTile(NodeOp node) {
  while (tilingOf(node)) {
    Operation *before = node->getPrevNode();
    while (!isa<NodeOp>(before))
      before = before->getPrevNode();
    node = cast<NodeOp>(before);
  }
  return node;
}

bool dfg::isWindow(GraphOp graph, unsigned input) {
  if (!isTemporary(graph, input))
    return false;
  NodeOp first;
  for (Operation *user : graph.getInput(input).getUsers()) {
    auto node = dyn_cast<NodeOp>(user);
    if (!node || !isInTile(node) || (first && first != firstOfTile(node)))
      return false;
    first = firstOfTile(node);
  }
  return first != nullptr;
}

static bool writesInput(NodeOp node, unsigned index) {
  Operation *callee = node.resolveCallee();
  if (auto kernel = dyn_cast_or_null<KernelOp>(callee))
    return writes(kernel.getInputAccess(index));
  auto graph = dyn_cast_or_null<GraphOp>(callee);
  return graph && writes(graph.getInputAccess(index));
}

SmallVector<unsigned> dfg::windowsWrittenBy(NodeOp node) {
  SmallVector<unsigned> windows;
  auto graph = cast<GraphOp>(node->getParentOp());
  for (auto [index, value] : llvm::enumerate(node.getInputs()))
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && isWindow(graph, argument.getArgNumber()) &&
        writesInput(node, index) &&
        !llvm::is_contained(windows, argument.getArgNumber()))
      windows.push_back(argument.getArgNumber());
  return windows;
}
