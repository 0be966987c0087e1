//===- HalideModule.h - Compiled generators in a module -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide's own runtime is also an op, with the generator "halide.runtime".
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEMODULE_H
#define SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEMODULE_H

#include "HalideCode.h"
#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"

namespace sluice::driver {

/// Adds an op for compiled code to the start of the module.
void addHalideKernel(mlir::ModuleOp module, const HalideCode &code);
void addHalideRuntime(mlir::ModuleOp module, const std::string &object);

/// The op of a generator with these parameters; null if there is none.
dfg::HalideKernelOp findHalideKernel(mlir::ModuleOp module,
                                     llvm::StringRef generator,
                                     const halide::Parameters &parameters);
dfg::HalideKernelOp findHalideRuntime(mlir::ModuleOp module);

/// Reads the code of an op whose object is in `folder`; false after an error.
bool readHalideKernel(dfg::HalideKernelOp kernel, llvm::StringRef folder,
                      HalideCode &code);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_HALIDE_HALIDEMODULE_H
