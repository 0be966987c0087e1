//===- TaskOps.cpp - Queries on tasks -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queries on tasks that other libraries use: names, and the data that
// arguments refer to.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "sluice-c/TaskProgram.h"
#include "sluice/DFG/DFG.h"

using namespace mlir;
using namespace sluice::dfg;

std::string TaskOp::getDisplayName() {
  if (getTaskName())
    return getTaskName()->str();
  bool hasModule = getOf() && *getOf() != SLUICE_PYTHON_HERE;
  return hasModule ? (*getOf() + "." + getCallee()).str() : getCallee().str();
}

void TaskOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  std::string name = getTaskName() ? getTaskName()->str() : getCallee().str();
  setName(getEnd(), name);
}

Operation *TaskOp::resolve(TaskArgAttr argument) {
  return SymbolTable::lookupNearestSymbolFrom(
      getOperation()->getParentOp()->getParentOp(), argument.getData());
}
