//===- ExtentEmitter.h - Extents as LLVM code -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of extents is evaluated in the functions of plans that compute
// extents, in kernels of compound nodes, and before launches on devices.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_EXTENTEMITTER_H
#define SLUICE_LIB_CODEGEN_EXTENTEMITTER_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace sluice::codegen {

/// Emits the arithmetic of `extent`; `leaf` gives the values it starts from.
llvm::Value *emitExtent(mlir::Value extent, llvm::IRBuilderBase &builder,
                        llvm::function_ref<llvm::Value *(mlir::Value)> leaf);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_EXTENTEMITTER_H
