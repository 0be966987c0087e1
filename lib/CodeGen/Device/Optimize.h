//===- Optimize.h - Clean-up of neutral device kernels ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Back ends for devices know less than LLVM's for hosts. Kernels are optimised
// once before, for all formats together.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_OPTIMIZE_H
#define SLUICE_LIB_CODEGEN_DEVICE_OPTIMIZE_H

#include "llvm/IR/Function.h"

namespace sluice::codegen {

/// Variables to registers, and what is known to constants; no loops.
void cleanUp(llvm::Function &function);

/// Constant data of the program as tables in global memory.
void moveConstantsToGlobalMemory(llvm::Function &kernel);

/// Optimises a kernel whose leaves are inlined: addresses get the space of the
/// memory they point to, and code is as back ends like it. `fuses`: what
/// `a * b + c` may be, see DeviceOptions.
void optimizeKernel(llvm::Function &kernel, bool fuses);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_DEVICE_OPTIMIZE_H
