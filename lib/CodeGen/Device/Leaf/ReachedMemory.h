//===- ReachedMemory.h - Memory that leaves reach besides -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node may reach memory that none of its pointer inputs points to: by an
// address that it loads, by a variable of the program, or in code that is not
// known.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_LEAF_REACHEDMEMORY_H
#define SLUICE_LIB_CODEGEN_DEVICE_LEAF_REACHEDMEMORY_H

#include "mlir/IR/Operation.h"
#include "llvm/IR/Module.h"

namespace sluice::codegen {

/// True if the leaves at and below `callee`, a kernel or a graph, are known to
/// use no memory but what their pointer inputs point to, constants, and what
/// belongs to an instance or a launch. In doubt, false.
bool reachesInputsOnly(mlir::Operation *callee, const llvm::Module &module);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_LEAF_REACHEDMEMORY_H
