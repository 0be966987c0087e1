//===- TaskOps.cpp - Task graphs, their tasks and data --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "sluice/DFG/DFG.h"

using namespace mlir;
using namespace sluice::dfg;

static bool isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF32() || type.isF64();
}

LogicalResult
TaskArgAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                    FlatSymbolRefAttr data, Access access, PassBy passBy,
                    llvm::ArrayRef<int64_t> offsets,
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> steps) {
  if (offsets.size() != sizes.size() || steps.size() != sizes.size())
    return emitError() << "a part needs an offset, a size and a step for each "
                          "dimension";
  if (passBy == PassBy::Value && (access != Access::In || !sizes.empty()))
    return emitError() << data << " is passed by value, so it is only read, "
                       << "and has no parts";
  return success();
}

LogicalResult ScalarOp::verify() {
  if (!isNumber(getType()))
    return emitOpError("has type ")
           << getType() << ", expected 8, 16, 32 or 64 bits, f32 or f64";
  if (getValue() && isa<FloatType>(getType()) != isa<FloatAttr>(*getValue()))
    return emitOpError("of type ") << getType() << " has the value "
                                   << *getValue() << " of another type";
  return success();
}

LogicalResult HalideKernelOp::verify() {
  for (Attribute argument : getArguments()) {
    auto entry = dyn_cast<DictionaryAttr>(argument);
    if (!entry || !entry.getAs<StringAttr>("name") ||
        !entry.getAs<StringAttr>("kind") || !entry.getAs<TypeAttr>("type"))
      return emitOpError("has the argument ")
             << argument << ", expected name, kind and type";
  }
  return success();
}

LogicalResult TaskGraphOp::verify() {
  for (Operation &op : getBody().front())
    if (!isa<TaskOp>(op))
      return op.emitOpError("stands in a task graph, which holds tasks only");
  return success();
}

std::string TaskOp::getDisplayName() {
  if (getTaskName())
    return getTaskName()->str();
  return getOf() ? (*getOf() + "." + getCallee()).str() : getCallee().str();
}

void TaskOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  std::string name = getTaskName() ? getTaskName()->str() : getCallee().str();
  setName(getEnd(), name);
}

Operation *TaskOp::resolve(TaskArgAttr argument) {
  return SymbolTable::lookupNearestSymbolFrom(
      getOperation()->getParentOp()->getParentOp(), argument.getData());
}

LogicalResult TaskOp::verify() {
  for (Attribute argument : getArgs())
    if (!isa<TaskArgAttr>(argument))
      return emitOpError("has the argument ") << argument
                                              << ", expected #dfg.arg<...>";
  if (getExtents() && (getExtents()->empty() || getExtents()->size() > 3))
    return emitOpError("has a grid of ")
           << getExtents()->size() << " dimensions, expected one to three";
  return success();
}

LogicalResult TaskOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *module = getOperation()->getParentOp()->getParentOp();
  for (TaskArgAttr argument : getTaskArgs()) {
    Operation *data =
        tables.lookupNearestSymbolFrom(module, argument.getData());
    if (!isa_and_nonnull<DatasetOp, ScalarOp, ObjectOp>(data))
      return emitOpError("names ")
             << argument.getData()
             << ", which is no dataset, scalar or object of the module";
    if (argument.getPassBy() == PassBy::Value && !isa<ScalarOp>(data))
      return emitOpError("passes ") << argument.getData()
                                    << " by value, which only scalars are";
    auto dataset = dyn_cast<DatasetOp>(data);
    if (!argument.isPart())
      continue;
    if (!dataset || dataset.getShape().size() != argument.getSizes().size())
      return emitOpError("takes a part of ")
             << argument.getData() << " with " << argument.getSizes().size()
             << " ranges, which does not have as many dimensions";
    for (auto [dimension, extent] : llvm::enumerate(dataset.getShape())) {
      int64_t size = argument.getSizes()[dimension];
      int64_t last = argument.getOffsets()[dimension] +
                     (size - 1) * argument.getSteps()[dimension];
      if (size > 0 && last >= extent)
        return emitOpError("takes a part of ")
               << argument.getData() << " up to element " << last
               << " of dimension " << dimension << ", which has " << extent;
    }
  }
  return success();
}
