//===- WrittenLeaves.cpp - Leaf code written as llvm.func -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses MLIR's translations between the LLVM dialect and LLVM IR.
//
//===----------------------------------------------------------------------===//

#include "WrittenLeaves.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/Import.h"

using namespace mlir;
using namespace sluice::transforms;

static bool isCode(Operation &op) {
  return isa<LLVM::LLVMDialect>(op.getDialect());
}

static std::string namesOf(const llvm::Module &module) {
  std::string names;
  for (const llvm::Function &function : module)
    names += (function.getName() + "\n").str();
  return names;
}

WrittenLeaves::WrittenLeaves(ModuleOp graphs) : graphs(graphs) {
  OwningOpRef<ModuleOp> code = ModuleOp::create(graphs.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(code->getBody());
  for (Operation &op : *graphs.getBody())
    if (isCode(op))
      builder.clone(op);
  module = translateModuleToLLVMIR(*code, context);
  if (module)
    namesBefore = namesOf(*module);
}

LogicalResult WrittenLeaves::writeBack() {
  if (namesOf(*module) == namesBefore)
    return success();
  OwningOpRef<ModuleOp> code =
      translateLLVMIRToModule(std::move(module), graphs.getContext(),
                              /*emitExpensiveWarnings=*/false);
  if (!code)
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*graphs.getBody()))
    if (isCode(op))
      op.erase();
  for (Operation &op : llvm::make_early_inc_range(*code->getBody()))
    if (isCode(op))
      op.moveBefore(graphs.getBody(), graphs.getBody()->end());
  return success();
}
