//===- ThreadLocals.h - Thread-local variables of leaves --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instances share a worker's thread, and in what order, depends on the
// number of workers and on how a leaf is compiled. So an instance is given a
// thread of its own in the sense of C: its thread-local variables start from
// their initial values, and nobody else sees them.
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
  /// The variable cannot be given to each instance; otherwise a remark.
  bool isError = true;
  std::string message;
  /// A use of the variable; unknown without debug information.
  llvm::DebugLoc place;
  const llvm::Function *function = nullptr;
};

/// Gives each run of one of `leaves`, functions of `code`, thread-local
/// variables of its own: they become variables of the function, and functions
/// that it calls get their addresses as arguments (in copies, so that the host
/// goes on with its own). `errno` starts from 0 and is kept across barriers.
/// Leaves with an error stay as they are. `kind`, "node" or "task", is what
/// messages call a leaf.
std::vector<ThreadLocalFinding>
privatizeThreadLocals(llvm::Module &code,
                      llvm::ArrayRef<llvm::Function *> leaves,
                      llvm::StringRef kind);

} // namespace sluice::transforms

#endif // SLUICE_TRANSFORMS_THREADLOCALS_H
