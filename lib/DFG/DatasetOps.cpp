//===- DatasetOps.cpp - dfg.code, dfg.dataset and dfg.use_dataset ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the operations that name memory and embedded code.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OpImplementation.h"
#include "sluice/DFG/DFG.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sluice::dfg;

LogicalResult CodeOp::verify() {
  if (getBitcode().has_value() == getFile().has_value())
    return emitOpError("needs either 'bitcode' or 'file'");
  if (getFile() && !getHash())
    return emitOpError("needs the 'hash' (SHA-256) of file '")
           << *getFile() << "'";
  return success();
}

LogicalResult DatasetOp::verify() {
  Type type = getElementType();
  if (!isa<IntegerType, FloatType, LLVM::LLVMStructType>(type))
    return emitOpError("has elements of type ")
           << type << ", expected an integer, floating-point or struct type";
  int64_t count = 1;
  for (int64_t extent : getShape()) {
    if (extent < 0)
      return emitOpError("has the negative extent ") << extent;
    if (llvm::MulOverflow(count, extent, count))
      return emitOpError("has more elements than 64 bits can count");
  }
  if (type.isIntOrFloat() &&
      llvm::MulOverflow(count, int64_t(type.getIntOrFloatBitWidth() + 7) / 8,
                        count))
    return emitOpError("has more bytes than 64 bits can count");
  if (!getInitial())
    return success();
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(*getInitial()))
    return emitOpError("starts from ")
           << *getInitial() << ", expected dense<...> or dense_resource<...>";
  ShapedType initial = getInitial()->getShapedType();
  if (initial.getShape() != getShape() || initial.getElementType() != type)
    return emitOpError("starts from ")
           << initial << ", which is not its element type and shape";
  return success();
}

LogicalResult UseDatasetOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto graph = (*this)->getParentOfType<GraphOp>();
  if (!graph || !tables.lookupNearestSymbolFrom<DatasetOp>(graph->getParentOp(),
                                                           getDatasetAttr()))
    return emitOpError("names ")
           << getDatasetAttr() << ", which is not a dataset of the module";
  if (!isa<LLVM::LLVMPointerType>(getAddress().getType()))
    return emitOpError("gives the address the type ")
           << getAddress().getType() << ", expected !llvm.ptr";
  return success();
}
