//===- LowerTasks.cpp - Task graphs to graphs of nodes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/Tasks.h"

using namespace llvm;
using namespace sluice;

mlir::LogicalResult codegen::lowerTaskGraph(const TaskOrder &,
                                            ArrayRef<ResolvedTask>,
                                            mlir::ModuleOp module, Module &) {
  return module.emitError("code for task graphs is not generated");
}

void codegen::addTaskMain(Module &) {}
