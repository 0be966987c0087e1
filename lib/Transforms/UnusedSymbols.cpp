//===- UnusedSymbols.cpp - Kernels and graphs that lost their nodes -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares which symbols are used before and after a transform.
//
//===----------------------------------------------------------------------===//

#include "UnusedSymbols.h"

#include "ComposeLeaves.h"

using namespace mlir;
using namespace sluice;
using namespace sluice::transforms;
using dfg::GraphOp;
using dfg::KernelOp;
using dfg::NodeOp;

static StringRef symbolOf(Operation &op) {
  if (!isa<GraphOp, KernelOp>(op))
    return "";
  return SymbolTable::getSymbolName(&op).getValue();
}

/// The symbols that nodes use, in all graphs.
llvm::StringSet<> UnusedSymbols::findUsed() {
  llvm::StringSet<> used;
  graphs.walk([&](NodeOp node) { used.insert(node.getCallee()); });
  return used;
}

UnusedSymbols::UnusedSymbols(ModuleOp graphs, llvm::Module &leaves)
    : graphs(graphs), leaves(leaves) {
  llvm::StringSet<> used = findUsed();
  for (Operation &op : *graphs.getBody())
    if (StringRef name = symbolOf(op); !name.empty() && !used.contains(name))
      kept.insert(name);
}

void UnusedSymbols::erase() {
  // An erased graph may have held the last nodes of another one.
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    llvm::StringSet<> used = findUsed();
    for (Operation &op : llvm::make_early_inc_range(*graphs.getBody())) {
      StringRef name = symbolOf(op);
      if (name.empty() || used.contains(name) || kept.contains(name))
        continue;
      op.erase();
      hasChanged = true;
    }
  }
  llvm::StringSet<> codes;
  for (KernelOp kernel : graphs.getOps<KernelOp>())
    codes.insert(kernel.getCodeName());
  for (llvm::Function &leaf : llvm::make_early_inc_range(leaves))
    if (isComposed(leaf) && leaf.use_empty() && !codes.contains(leaf.getName()))
      leaf.eraseFromParent();
}

std::string transforms::freeSymbol(ModuleOp graphs, const llvm::Module &leaves,
                                   const std::string &name) {
  std::string symbol = name;
  for (unsigned number = 2; SymbolTable::lookupSymbolIn(graphs, symbol) ||
                            leaves.getNamedValue(symbol);
       ++number)
    symbol = name + "." + std::to_string(number);
  return symbol;
}
