//===- Optimize.h - Clean-up of neutral device kernels ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device back ends optimise less than LLVM's host back ends. So kernels are
// optimised once beforehand, for all formats.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_OPTIMIZE_H
#define SLUICE_LIB_CODEGEN_DEVICE_OPTIMIZE_H

#include "llvm/IR/Function.h"

namespace sluice::codegen {

/// Promotes variables to registers and folds constants; leaves loops alone.
void cleanUp(llvm::Function &function);

/// Moves constant data of the program to tables in global memory.
void moveConstantsToGlobalMemory(llvm::Function &kernel);

/// Optimises a kernel whose leaves are inlined: addresses get the space of the
/// memory they point to, and the code takes the form that back ends handle
/// well. `fuses`: how `a * b + c` may be computed, see DeviceOptions.
void optimizeKernel(llvm::Function &kernel, bool fuses);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_OPTIMIZE_H
