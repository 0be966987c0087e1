//===- RootNames.cpp - Names of graphs that are launched ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/DFG/RootNames.h"
#include "mlir/IR/BuiltinOps.h"

using namespace sluice;

std::string dfg::uniqueRootName(GraphOp root) {
  std::string name = displayName(root.getSymName());
  unsigned count = 0;
  for (GraphOp graph :
       root->getParentOfType<mlir::ModuleOp>().getOps<GraphOp>())
    count += displayName(graph.getSymName()) == name;
  return count == 1 ? name : root.getSymName().str();
}
