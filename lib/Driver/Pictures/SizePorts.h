//===- SizePorts.h - Ports that only carry byte counts ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each pointer is followed by its size (H31 of docs/hpvm-rules.md). An edge
// between nodes that passes only such a size shows an order; pictures show the
// order and leave out the ports.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_PICTURES_SIZEPORTS_H
#define SLUICE_LIB_DRIVER_PICTURES_SIZEPORTS_H

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "sluice/DFG/DFG.h"

namespace sluice::driver {

/// Whether an input or output of these types is the size of the pointer before
/// it.
inline bool isSizeBehindPointer(mlir::TypeRange types, unsigned port) {
  return port > 0 && types[port].isInteger(64) &&
         mlir::isa<mlir::LLVM::LLVMPointerType>(types[port - 1]);
}

/// Whether an output of a node is used only as the size of pointers.
inline bool isSizeOutput(dfg::NodeOp node, unsigned port) {
  mlir::Value value = node.getResult(port);
  if (!value.getType().isInteger(64) || value.use_empty())
    return false;
  return llvm::all_of(value.getUses(), [](mlir::OpOperand &use) {
    auto reader = mlir::dyn_cast<dfg::NodeOp>(use.getOwner());
    if (!reader)
      return false;
    // Operands include both extents and inputs.
    mlir::OperandRange inputs = reader.getInputs();
    const unsigned first = inputs.getBeginOperandIndex();
    const unsigned number = use.getOperandNumber();
    return number >= first && number < first + inputs.size() &&
           isSizeBehindPointer(inputs.getTypes(), number - first);
  });
}

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_PICTURES_SIZEPORTS_H
