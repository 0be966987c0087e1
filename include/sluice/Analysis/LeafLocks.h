//===- LeafLocks.h - Calls by which instances take turns --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises the locks of the system's libraries (those of C++ use them), and
// the guards of function-local statics.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFLOCKS_H
#define SLUICE_ANALYSIS_LEAFLOCKS_H

#include "llvm/IR/InstrTypes.h"

namespace sluice {

enum class LockCall {
  None,
  Lock,       ///< waits for the lock that the first argument points to
  LockShared, ///< the same, together with others that only read
  TryLock,    ///< zero: the caller has the lock
  Unlock,     ///< gives it back
  OnceBegin,  ///< not zero: the caller is the one that initialises
  OnceEnd,    ///< it has done so, or given up
  Wait,       ///< waits or wakes; has what locks it had when it returns
};

LockCall lockCallOf(const llvm::Value &value);

/// True if `leaf`, or a function that it calls by name, uses a lock or such a
/// guard.
bool takesTurns(const llvm::Function &leaf);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFLOCKS_H
