//===- CCopy.h - A C kernel as one task calls it ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with constant extents are much faster when the kernel is compiled for
// them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CCOPY_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CCOPY_H

#include "CMatch.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace sluice::driver {

/// A module with a copy of `kernel` alone, optimised: the extents and strides
/// of `task` are constants, and what it calls is inlined, unless that is too
/// much. The kernel has its name there; a declaration is left of one that never
/// returns.
std::unique_ptr<llvm::Module> copyForTask(const llvm::Function &kernel,
                                          dfg::TaskOp task,
                                          const codegen::CSignature &signature,
                                          llvm::ArrayRef<CSlot> slots);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CCOPY_H
