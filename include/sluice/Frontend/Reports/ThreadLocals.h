//===- ThreadLocals.h - Thread-locals of leaves, in words -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dataflow graphs and programs over regions treat thread-local variables
// alike, and say the same about those that they cannot treat.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_REPORTS_THREADLOCALS_H
#define SLUICE_FRONTEND_REPORTS_THREADLOCALS_H

#include "sluice/Diagnostics/Diagnostics.h"

#include "llvm/IR/Module.h"

namespace sluice::driver {

/// transforms::privatizeThreadLocals; false after errors.
bool giveThreadLocals(llvm::Module &code,
                      llvm::ArrayRef<llvm::Function *> leaves,
                      llvm::StringRef kind, bool hasRemarks,
                      Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_REPORTS_THREADLOCALS_H
