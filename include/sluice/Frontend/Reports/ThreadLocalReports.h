//===- ThreadLocalReports.h - Thread-locals of leaves, in words -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dataflow graphs and programs over regions handle thread-local variables in
// the same way, and report the same messages about unsupported ones.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_REPORTS_THREADLOCALREPORTS_H
#define SLUICE_FRONTEND_REPORTS_THREADLOCALREPORTS_H

#include "sluice/Diagnostics/Diagnostics.h"

#include "llvm/IR/Module.h"

namespace sluice::driver {

/// Calls transforms::privatizeThreadLocals; returns false after errors.
bool giveThreadLocals(llvm::Module &code,
                      llvm::ArrayRef<llvm::Function *> leaves,
                      llvm::StringRef kind, bool hasRemarks,
                      Diagnostics &diagnostics);

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_REPORTS_THREADLOCALREPORTS_H
