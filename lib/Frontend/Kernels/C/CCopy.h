//===- CCopy.h - A C kernel specialised for one task ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with constant extents are much faster if the kernel is compiled for
// them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CCOPY_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CCOPY_H

#include "CMatch.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace sluice::driver {

/// A module with only an optimised copy of `kernel`: the extents and strides of
/// `task` are constants, and its calls are inlined, unless they are too large.
/// The kernel keeps its name. If it never returns, only a declaration is left.
std::unique_ptr<llvm::Module> copyForTask(const llvm::Function &kernel,
                                          dfg::TaskOp task,
                                          const codegen::CSignature &signature,
                                          llvm::ArrayRef<CSlot> slots);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CCOPY_H
