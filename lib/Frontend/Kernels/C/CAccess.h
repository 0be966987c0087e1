//===- CAccess.h - Accesses of C kernels to their arguments -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks are ordered by their declared accesses. A kernel with other accesses
// would make this order wrong, so its code, if known, is compared with the
// task's declarations.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CACCESS_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CACCESS_H

#include "sluice/CodeGen/TaskNodes.h"
#include "llvm/IR/Function.h"

namespace sluice::driver {

/// Checks that `kernel`, whose code is known, uses the arguments of `task` as
/// declared: it writes no `in` argument, and reads no `out` argument first.
/// Returns false after errors; remarks report what is unknown.
bool checkAccesses(dfg::TaskOp task, const llvm::Function &kernel,
                   const codegen::CSignature &signature, bool hasRemarks);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CACCESS_H
