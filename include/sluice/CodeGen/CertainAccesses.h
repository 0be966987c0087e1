//===- CertainAccesses.h - What tasks certainly access ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds accesses in the code of tasks that are certainly wrong, before any run.
// What the code does not show stays for SLUICE_CHECK=1.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_CODEGEN_CERTAINACCESSES_H
#define SLUICE_CODEGEN_CERTAINACCESSES_H

#include "sluice/CodeGen/RegionModel.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

namespace sluice::codegen {

struct CertainFault {
  const RegionStatement *statement;
  llvm::DebugLoc place;
  /// "'shift' reads ..."
  std::string message;
};

/// Loads and stores that every call of a task with elements makes, and that are
/// outside of its part or change what it only reads. Fields that two arguments
/// name are not checked.
std::vector<CertainFault> findCertainFaults(const RegionModel &program,
                                            const llvm::Module &code);

} // namespace sluice::codegen

#endif // SLUICE_CODEGEN_CERTAINACCESSES_H
