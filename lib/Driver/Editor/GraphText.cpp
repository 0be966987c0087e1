//===- GraphText.cpp - Descriptions of graphs -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphText.h"
#include "../Pictures/ExtentText.h"
#include "sluice/DFG/Folds.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

static StringRef wordsOf(dfg::Target target) {
  switch (target) {
  case dfg::Target::None:
    return "none";
  case dfg::Target::Cpu:
    return "CPU";
  case dfg::Target::Gpu:
    return "GPU";
  case dfg::Target::CpuOrGpu:
    return "CPU or GPU";
  }
  return "none";
}

static dfg::Target targetOf(mlir::Operation *callable) {
  if (auto kernel = dyn_cast<KernelOp>(callable))
    return kernel.getTarget();
  return cast<GraphOp>(callable).getTarget();
}

static std::string nameOf(mlir::Operation *callable) {
  return dfg::displayName(mlir::SymbolTable::getSymbolName(callable));
}

/// Describes the source of an input: an output of another node, or an input of
/// the graph.
static std::string sourceOf(mlir::Value value) {
  if (auto argument = dyn_cast<mlir::BlockArgument>(value)) {
    auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
    return "input `" + graph.getInputName(argument.getArgNumber()) +
           "` of the graph";
  }
  auto node = value.getDefiningOp<NodeOp>();
  if (!node)
    return "a value of the graph";
  unsigned port = cast<mlir::OpResult>(value).getResultNumber();
  return "output " + std::to_string(port) + " of `" +
         node.getDisplayName().str() + "`";
}

static std::string sourceOf(NodeOp node, unsigned input) {
  std::string text = sourceOf(node.getInputs()[input]);
  if (node.isOneToOne(input))
    text += ", instance by instance";
  if (node.isStream(input))
    text += ", one for each item";
  return text;
}

template <typename OpT>
static void describePorts(OpT op, NodeOp node, raw_ostream &os) {
  for (auto [index, type] : enumerate(op.getInputTypes())) {
    os << "- input " << index << " `" << op.getInputName(index) << "`: `"
       << type << '`';
    if (std::string access = dfg::describeAccess(op, index); !access.empty())
      os << ", " << access;
    if (node)
      os << ", from " << sourceOf(node, index);
    os << '\n';
  }
  for (auto [index, type] : enumerate(op.getOutputTypes()))
    os << "- output " << index << " `" << op.getOutputName(index) << "`: `"
       << type << "`\n";
}

static void describePorts(mlir::Operation *callable, NodeOp node,
                          raw_ostream &os) {
  if (auto kernel = dyn_cast<KernelOp>(callable))
    describePorts(kernel, node, os);
  else
    describePorts(cast<GraphOp>(callable), node, os);
}

static void describeTarget(mlir::Operation *callable, raw_ostream &os) {
  if (dfg::Target target = targetOf(callable); target != dfg::Target::None)
    os << "target: " << wordsOf(target) << "\n\n";
}

std::string driver::describeNode(NodeOp node) {
  std::string text;
  raw_string_ostream os(text);
  mlir::Operation *callee = node.resolveCallee();
  auto graph = node->getParentOfType<GraphOp>();
  os << "**node `" << node.getDisplayName() << "`**";
  if (graph)
    os << " of graph `" << nameOf(graph) << '`';
  os << "\n\n";
  std::string extents = spellExtents(node);
  os << "extents: " << (extents.empty() ? "one instance" : extents) << "\n\n";
  if (!callee || !isa<KernelOp, GraphOp>(callee))
    return text;
  os << (isa<KernelOp>(callee) ? "leaf" : "graph") << ": `" << nameOf(callee)
     << "`\n\n";
  describeTarget(callee, os);
  describePorts(callee, node, os);
  return text;
}

std::string driver::describeCallable(mlir::Operation *callable,
                                     ArrayRef<NodeOp> nodes) {
  std::string text;
  raw_string_ostream os(text);
  bool isLeaf = isa<KernelOp>(callable);
  os << "**" << (isLeaf ? "leaf" : "graph") << " `" << nameOf(callable)
     << "`**\n\n";
  describeTarget(callable, os);
  for (NodeOp node : nodes) {
    os << "node `" << node.getDisplayName() << '`';
    if (auto graph = node->getParentOfType<GraphOp>())
      os << " of `" << nameOf(graph) << '`';
    std::string extents = spellExtents(node);
    os << ": " << (extents.empty() ? "one instance" : extents) << "\n\n";
  }
  describePorts(callable, nullptr, os);
  return text;
}

NodesByCallee driver::nodesByCallee(mlir::ModuleOp module) {
  NodesByCallee nodes;
  mlir::SymbolTableCollection tables;
  module.walk([&](NodeOp node) {
    if (mlir::Operation *callee = node.resolveCallee(tables))
      nodes[callee].push_back(node);
  });
  return nodes;
}
