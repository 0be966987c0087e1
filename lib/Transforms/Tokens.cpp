//===- Tokens.cpp - Orders between nodes that carry no value --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds, finds and removes the token results of nodes.
//
//===----------------------------------------------------------------------===//

#include "Tokens.h"
#include "NodeOrder.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::GraphOp;
using dfg::NodeOp;
using dfg::TokenType;

NodeOp transforms::replaceResults(NodeOp node, ArrayRef<unsigned> ports,
                                  bool hasToken) {
  OpBuilder builder(node);
  SmallVector<Type> types;
  for (unsigned port : ports)
    types.push_back(node.getResult(port).getType());
  if (hasToken)
    types.push_back(TokenType::get(node.getContext()));
  OperationState state(node.getLoc(), NodeOp::getOperationName());
  state.addOperands(node->getOperands());
  state.addTypes(types);
  state.attributes = node->getDiscardableAttrDictionary();
  state.useProperties(node.getProperties());
  auto copy = cast<NodeOp>(builder.create(state));
  for (auto [index, port] : llvm::enumerate(ports))
    node.getResult(port).replaceAllUsesWith(copy.getResult(index));
  if (Value token = tokenOf(node); token && hasToken)
    token.replaceAllUsesWith(tokenOf(copy));
  node.erase();
  return copy;
}

Value transforms::tokenOf(NodeOp node) {
  unsigned numPorts = node.getNumPorts();
  return node.getNumResults() == numPorts ? Value() : node.getResult(numPorts);
}

static SmallVector<unsigned> allPorts(NodeOp node) {
  return llvm::to_vector(llvm::seq(node.getNumPorts()));
}

void transforms::addTokens(GraphOp graph) {
  for (NodeOp node :
       llvm::make_early_inc_range(graph.getBody().front().getOps<NodeOp>()))
    if (!tokenOf(node))
      replaceResults(node, allPorts(node), /*hasToken=*/true);
}

void transforms::dropUnusedTokens(GraphOp graph) {
  for (NodeOp node :
       llvm::make_early_inc_range(graph.getBody().front().getOps<NodeOp>()))
    if (Value token = tokenOf(node); token && token.use_empty())
      replaceResults(node, allPorts(node), /*hasToken=*/false);
}

void transforms::addOrder(NodeOp node, NodeOp source) {
  if (orderBetween(source, node) == NodeOrder::Full)
    return;
  node.getDependenciesMutable().append(tokenOf(source));
}
