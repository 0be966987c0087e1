//===- ReachedMemory.h - Leaves that reach other memory ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node may reach memory that none of its pointer inputs points to: through an
// address that it loads, through a variable of the program, or in unknown code.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_LEAF_REACHEDMEMORY_H
#define SLUICE_LIB_CODEGEN_DEVICE_LEAF_REACHEDMEMORY_H

#include "mlir/IR/Operation.h"
#include "llvm/IR/Module.h"

namespace sluice::codegen {

/// True if the leaves at and below `callee`, a kernel or a graph, are known to
/// use only the memory of their pointer inputs, constants, and memory that
/// belongs to an instance or a launch. False in doubt.
bool reachesInputsOnly(mlir::Operation *callee, const llvm::Module &module);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_LEAF_REACHEDMEMORY_H
