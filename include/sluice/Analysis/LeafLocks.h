//===- LeafLocks.h - Calls by which instances take turns --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises the locks of system libraries, which C++ locks also use, and the
// guards of function-local statics.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_LEAFLOCKS_H
#define SLUICE_ANALYSIS_LEAFLOCKS_H

#include "llvm/IR/InstrTypes.h"

namespace sluice {

enum class LockCall {
  None,
  Lock,       ///< waits for the lock that the first argument points to
  LockShared, ///< the same, shared with other readers
  TryLock,    ///< if it returns zero, the caller has the lock
  Unlock,     ///< releases the lock
  OnceBegin,  ///< if it returns nonzero, the caller initialises
  OnceEnd,    ///< the initialisation has ended or failed
  Wait,       ///< waits or wakes; holds the same locks when it returns
};

LockCall lockCallOf(const llvm::Value &value);

/// True if `leaf`, or a function that it calls by name, uses a lock or such a
/// guard.
bool takesTurns(const llvm::Function &leaf);

} // namespace sluice

#endif // SLUICE_ANALYSIS_LEAFLOCKS_H
