//===- ThreadLocals.h - Thread-local variables of leaves --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instances share a worker's thread, and in what order, depends on the
// number of workers and on how a leaf is compiled. So each instance behaves
// like a separate thread of C: its thread-local variables start from their
// initial values, and no other instance sees them.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TRANSFORMS_THREADLOCALS_H
#define SLUICE_TRANSFORMS_THREADLOCALS_H

#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Module.h"

#include <string>
#include <vector>

namespace sluice::transforms {

/// A message about a thread-local variable of a leaf.
struct ThreadLocalFinding {
  /// The variable cannot be made private to each instance; otherwise a remark.
  bool isError = true;
  std::string message;
  /// A use of the variable; unknown without debug information.
  llvm::DebugLoc place;
  const llvm::Function *function = nullptr;
};

/// Gives each run of one of `leaves`, functions of `code`, private copies of
/// thread-local variables. The variables become local to the function, and
/// called functions receive their addresses as arguments (in copies of these
/// functions, so that the host continues to use its own variables). `errno`
/// starts from 0 and is kept across barriers. Leaves with an error are not
/// changed. `kind`, "node" or "task", is the word for a leaf in messages.
std::vector<ThreadLocalFinding>
privatizeThreadLocals(llvm::Module &code,
                      llvm::ArrayRef<llvm::Function *> leaves,
                      llvm::StringRef kind);

} // namespace sluice::transforms

#endif // SLUICE_TRANSFORMS_THREADLOCALS_H
