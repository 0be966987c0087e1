//===- PlanMemory.cpp - Memory accesses of nodes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime orders launches and items of streams by the accesses of nodes.
// Ports of internal nodes are declared for the host and are less precise, so
// the accesses are collected from the leaves below. The same holds for globals
// and datasets, which no port shows.
//
//===----------------------------------------------------------------------===//

#include "PlanMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::codegen;
using dfg::Access;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

static Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<int32_t>(a) | static_cast<int32_t>(b));
}

const LeafFacts &PlanMemory::factsOf(KernelOp kernel) {
  auto [found, isNew] = facts.try_emplace(kernel);
  const llvm::Function *leaf = leaves.getFunction(kernel.getCodeName());
  if (isNew && leaf && !leaf->isDeclaration())
    found->second = {parametersWrittenBy(*leaf), globalsUsedBy(*leaf)};
  return found->second;
}

Access PlanMemory::accessOf(NodeOp node, unsigned input) {
  Operation *callee = node.resolveCallee();
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    Access access = kernel.getInputAccess(input);
    const std::vector<bool> &written = factsOf(kernel).writtenParameters;
    return input < written.size() && written[input] ? access | Access::Out
                                                    : access;
  }
  auto graph = cast<GraphOp>(callee);
  auto [found, isNew] = known.try_emplace({graph, input}, Access::None);
  if (!isNew)
    return found->second;
  Access access = Access::None;
  if (isa<LLVM::LLVMPointerType>(graph.getInputTypes()[input]))
    for (NodeOp child : graph.getBody().front().getOps<NodeOp>())
      for (auto [number, value] : llvm::enumerate(child.getInputs()))
        if (value == graph.getInput(input))
          access = access | accessOf(child, number);
  return known[{graph, input}] = access;
}

void PlanMemory::collectUses(NodeOp node,
                             llvm::MapVector<StringRef, Access> &uses) {
  auto add = [&](StringRef memory, Access access) {
    auto [found, isNew] = uses.insert({memory, access});
    found->second = found->second | access;
  };
  for (auto [number, value] : llvm::enumerate(node.getInputs()))
    if (auto use = value.getDefiningOp<dfg::UseDatasetOp>();
        use && value == use.getAddress())
      add(use.getDataset(), accessOf(node, number));
  Operation *callee = node.resolveCallee();
  if (auto kernel = dyn_cast<KernelOp>(callee)) {
    for (const auto &[name, kinds] : factsOf(kernel).globals)
      if (kinds.isRead || kinds.isWritten)
        add(name, (kinds.isRead ? Access::In : Access::None) |
                      (kinds.isWritten ? Access::Out : Access::None));
    return;
  }
  for (NodeOp child : cast<GraphOp>(callee).getBody().front().getOps<NodeOp>())
    collectUses(child, uses);
}

void PlanMemory::addUses(FlatNode &flat, PlanModel &model) {
  llvm::MapVector<StringRef, Access> uses;
  collectUses(flat.op, uses);
  for (const auto &[name, access] : uses) {
    if (access == Access::None)
      continue;
    auto found = llvm::find(model.memories, name);
    unsigned index = found - model.memories.begin();
    if (found == model.memories.end())
      model.memories.push_back(name.str());
    flat.uses.push_back({index, access});
  }
}
