//===- PTXMath.h - Math functions on PTX -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVPTX selects arithmetic, square roots and rounding, but no other functions.
// Those come from CUDA's math library if it is installed, otherwise from
// Sluice's own.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_PTXMATH_H
#define SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_PTXMATH_H

#include "Lowering.h"

namespace sluice::codegen::lowering {

/// Gives every called math function a body, or rejects the kernels that call
/// it.
llvm::Error lowerMathForPTX(llvm::Module &module,
                            const DeviceLoweringOptions &options,
                            std::vector<Refusal> &refusals);

} // namespace sluice::codegen::lowering

#endif // SLUICE_LIB_CODEGEN_DEVICE_TARGETS_LOWERING_PTXMATH_H
