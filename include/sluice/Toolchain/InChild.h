//===- InChild.h - Work that may crash, in a process of its own -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of LLVM trust object files and their debug information more than
// files deserve. What ends a child process is an error here.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TOOLCHAIN_INCHILD_H
#define SLUICE_TOOLCHAIN_INCHILD_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace sluice::driver {

struct ChildResult {
  /// What `work` wrote, up to where it ended.
  std::string text;
  /// `work` returned.
  bool isComplete = false;
};

/// Calls `work` in a child process that ends after `seconds` at the latest. An
/// error only if no process can be started.
llvm::Expected<ChildResult>
runInChild(llvm::function_ref<void(llvm::raw_ostream &)> work,
           unsigned seconds);

} // namespace sluice::driver

#endif // SLUICE_TOOLCHAIN_INCHILD_H
