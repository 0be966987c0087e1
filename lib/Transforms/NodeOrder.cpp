//===- NodeOrder.cpp - Orders between nodes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the edges between two nodes, for a limited number of steps.
//
//===----------------------------------------------------------------------===//

#include "NodeOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::NodeOp;

/// Maximum number of nodes that a search visits, so that large graphs take
/// linear time.
static constexpr unsigned maxVisited = 1024;

SmallVector<NodeSource> transforms::sourcesOf(NodeOp node) {
  SmallVector<NodeSource> sources;
  for (auto [index, value] : llvm::enumerate(node.getInputs()))
    if (auto source = value.getDefiningOp<NodeOp>())
      sources.push_back(
          {source, node.isOneToOne(index) && !node.getExtents().empty()});
  for (Value value : node.getDependencies())
    if (auto source = value.getDefiningOp<NodeOp>())
      sources.push_back({source, false});
  return sources;
}

NodeOrder transforms::orderBetween(NodeOp before, NodeOp after) {
  // A node may be reached both by a path of one-to-one edges only and by
  // another path.
  llvm::SmallPtrSet<Operation *, 16> partial, full;
  SmallVector<NodeSource> work{{after, true}};
  bool isPartial = false;
  while (!work.empty()) {
    NodeSource current = work.pop_back_val();
    for (NodeSource source : sourcesOf(current.node)) {
      source.isOneToOne &= current.isOneToOne;
      if (source.node == before) {
        if (!source.isOneToOne)
          return NodeOrder::Full;
        isPartial = true;
        continue;
      }
      if (source.node->isBeforeInBlock(before) ||
          !(source.isOneToOne ? partial : full).insert(source.node).second)
        continue;
      if (partial.size() + full.size() > maxVisited)
        return NodeOrder::None;
      work.push_back(source);
    }
  }
  return isPartial ? NodeOrder::Partial : NodeOrder::None;
}

bool transforms::areEqualValues(Value first, Value second) {
  if (first == second)
    return true;
  std::optional<int64_t> a = dfg::constantExtent(first);
  std::optional<int64_t> b = dfg::constantExtent(second);
  if (a || b)
    return a == b && first.getType() == second.getType();
  Operation *one = first.getDefiningOp(), *two = second.getDefiningOp();
  return one && two &&
         (isa<arith::ArithDialect>(one->getDialect()) ||
          isa<LLVM::ExtractValueOp>(one)) &&
         one->getName() == two->getName() &&
         one->getAttrDictionary() == two->getAttrDictionary() &&
         one->getNumOperands() == two->getNumOperands() &&
         llvm::all_of(
             llvm::zip(one->getOperands(), two->getOperands()), [](auto pair) {
               return areEqualValues(std::get<0>(pair), std::get<1>(pair));
             });
}

bool transforms::haveEqualGrids(NodeOp first, NodeOp second) {
  return first.getExtents().size() == second.getExtents().size() &&
         llvm::all_of(
             llvm::zip(first.getExtents(), second.getExtents()), [](auto pair) {
               return areEqualValues(std::get<0>(pair), std::get<1>(pair));
             });
}
