//===- CAccess.h - What C kernels do with their arguments -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks are ordered by what they say they access. A kernel that does something
// else would make a wrong order, so its code is compared with what the task
// says where the code is known.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_FRONTEND_KERNELS_C_CACCESS_H
#define SLUICE_LIB_FRONTEND_KERNELS_C_CACCESS_H

#include "sluice/CodeGen/Tasks.h"
#include "llvm/IR/Function.h"

namespace sluice::driver {

/// Checks that `kernel`, whose code is known, uses the arguments of `task` as
/// the task says: nothing that is `in` is written, nothing that is `out` is
/// read first. False after errors; remarks say what is not known.
bool checkAccesses(dfg::TaskOp task, const llvm::Function &kernel,
                   const codegen::CSignature &signature, bool hasRemarks);

} // namespace sluice::driver

#endif // SLUICE_LIB_FRONTEND_KERNELS_C_CACCESS_H
