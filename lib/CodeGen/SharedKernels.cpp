//===- SharedKernels.cpp - Sharing one kernel between nodes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel depends on its leaf, and on the positions of its node's values in
// the frame. Unused values get no position: otherwise kernels would differ
// between nodes.
//
//===----------------------------------------------------------------------===//

#include "SharedKernels.h"

#include "KernelEmitter.h"
#include "ReductionNodes.h"

#include "sluice/DFG/Inputs.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using sluice::dfg::GraphOp;
using sluice::dfg::KernelOp;
using sluice::dfg::NodeOp;

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

/// True if the only use of the value is in its function's return value.
static bool isOnlyReturned(const Value &value) {
  return all_of(value.users(), [](const User *user) {
    return isa<ReturnInst>(user) ||
           (isa<InsertValueInst, ExtractValueInst>(user) &&
            isOnlyReturned(*user));
  });
}

namespace {
/// Asks how leaves use a value.
struct UseQuestion {
  const Module &leaves;
  /// Whether a parameter of a leaf is used.
  function_ref<bool(const Argument &)> uses;
  /// Whether an input of a node is used, whatever its leaves do.
  function_ref<bool(NodeOp, unsigned)> needs;

  bool ask(mlir::Operation *callee, unsigned index) const;
  /// True if the value is used other than as an input of a node.
  bool ask(mlir::Value value) const;
};
} // namespace

bool UseQuestion::ask(mlir::Operation *callee, unsigned index) const {
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    const Function *leaf = leaves.getFunction(kernel.getCodeName());
    return !leaf || uses(*leaf->getArg(index));
  }
  return ask(cast<GraphOp>(callee).getInput(index));
}

bool UseQuestion::ask(mlir::Value value) const {
  return any_of(value.getUses(), [&](mlir::OpOperand &use) {
    std::optional<unsigned> input = dfg::inputNumber(use);
    if (!input)
      return true;
    auto node = cast<NodeOp>(use.getOwner());
    return needs(node, *input) || ask(node.resolveCallee(), *input);
  });
}

bool codegen::usesInput(mlir::Operation *callee, unsigned index,
                        const Module &leaves) {
  auto isUsed = [](const Argument &parameter) {
    return !isOnlyReturned(parameter);
  };
  auto never = [](NodeOp, unsigned) { return false; };
  UseQuestion question = {leaves, isUsed, never};
  return question.ask(callee, index);
}

/// True if the size of the pointer's memory comes from the root's arguments.
static bool hasStatedSize(const PlanModel &model, mlir::Value pointer) {
  auto argument = dyn_cast<mlir::BlockArgument>(pointer);
  return argument && argument.getOwner()->getParentOp() == model.root &&
         model.arguments[argument.getArgNumber()].sizeArgument !=
             SLUICE_NO_INDEX;
}

bool codegen::isOutputRead(const PlanModel &model, const FlatNode &node,
                           unsigned index, const Module &leaves) {
  // Devices need the sizes of memory that they access.
  auto isSize = [&](NodeOp user, unsigned input) {
    if (input == 0)
      return false;
    mlir::Value before = user.getInputs()[input - 1];
    return isa<mlir::LLVM::LLVMPointerType>(before.getType()) &&
           !hasStatedSize(model, before);
  };
  auto isUsed = [](const Argument &parameter) {
    return !parameter.use_empty();
  };
  UseQuestion question = {leaves, isUsed, isSize};
  NodeOp op = node.op;
  return question.ask(op->getResult(index));
}

//===----------------------------------------------------------------------===//
// Nodes that are alike
//===----------------------------------------------------------------------===//

/// The extents that the kernel knows, as numbers; -1 if known at launch.
static void addExtents(const FlatNode &node, KernelKey &key) {
  for (const Level &level : node.levels) {
    NodeOp op = level.node;
    key.push_back(op.getExtents().size());
    for (mlir::Value extent : op.getExtents())
      key.push_back(dfg::constantExtent(extent).value_or(-1));
  }
}

static void addOperand(const PlanModel &model, const FlatOperand &operand,
                       const Argument &parameter, KernelKey &key) {
  const Source &source = operand.source;
  const bool isShared = source.instanceLevel < 0;
  key.push_back(uint64_t(source.kind));
  key.push_back(uint64_t(source.instanceLevel));
  switch (source.kind) {
  case Source::Kind::Argument:
    key.push_back(source.index);
    return;
  case Source::Kind::Output:
    if (isShared && parameter.use_empty() &&
        !parameter.getType()->isPointerTy()) {
      key.push_back(SLUICE_NO_OFFSET);
      return;
    }
    key.push_back(frameOffsetOf(model, source));
    key.push_back(reinterpret_cast<uintptr_t>(typeOf(model, source)));
    return;
  case Source::Kind::DatasetAddress:
  case Source::Kind::DatasetSize: {
    dfg::DatasetOp dataset = source.dataset;
    key.push_back(reinterpret_cast<uintptr_t>(dataset.getOperation()));
    return;
  }
  }
}

std::optional<KernelKey> codegen::kernelKeyOf(const PlanModel &model,
                                              const FlatNode &node,
                                              const Module &leaves) {
  KernelOp kernel = node.getKernel();
  const Function *leaf =
      kernel ? leaves.getFunction(kernel.getCodeName()) : nullptr;
  // The way in which atomic updates are collected depends on the surrounding
  // nodes.
  if (!leaf || node.op != node.body || isReduction(node) || usesAtomics(*leaf))
    return std::nullopt;
  KernelKey key = {reinterpret_cast<uintptr_t>(kernel.getOperation()),
                   node.levels.size(), node.numIndexLevels, node.numUnitLevels,
                   node.orderedDims};
  addExtents(node, key);
  for (const auto &[index, operand] : enumerate(node.operands))
    addOperand(model, operand, *leaf->getArg(index), key);
  for (const auto &[index, output] : enumerate(node.outputs)) {
    key.push_back(output.arrayLevels);
    key.push_back(output.arrayOffset);
    key.push_back(isOutputRead(model, node, index, leaves) ? output.frameOffset
                                                           : SLUICE_NO_OFFSET);
  }
  return key;
}
