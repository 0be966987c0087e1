//===- LeafLocks.cpp - Calls that lock and unlock -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses under one lock are no race, and a pointer may change while an
// instance waits for a lock. This file recognises calls that lock and unlock by
// name.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafLocks.h"
#include "sluice/Analysis/ReachedCode.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace sluice {

LockCall lockCallOf(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || call->arg_empty())
    return LockCall::None;
  return StringSwitch<LockCall>(callee->getName())
      .Cases({"pthread_mutex_lock", "pthread_spin_lock", "mtx_lock",
              "pthread_rwlock_wrlock"},
             LockCall::Lock)
      .Case("pthread_rwlock_rdlock", LockCall::LockShared)
      .Cases({"pthread_mutex_trylock", "pthread_spin_trylock", "mtx_trylock",
              "pthread_rwlock_trywrlock"},
             LockCall::TryLock)
      .Cases({"pthread_mutex_unlock", "pthread_spin_unlock", "mtx_unlock",
              "pthread_rwlock_unlock"},
             LockCall::Unlock)
      .Case("__cxa_guard_acquire", LockCall::OnceBegin)
      .Cases({"__cxa_guard_release", "__cxa_guard_abort"}, LockCall::OnceEnd)
      .Cases({"pthread_cond_wait", "pthread_cond_signal",
              "pthread_cond_broadcast", "cnd_wait", "cnd_signal",
              "cnd_broadcast", "sem_wait", "sem_trywait", "sem_post",
              "pthread_barrier_wait"},
             LockCall::Wait)
      .Default(LockCall::None);
}

bool takesTurns(const Function &leaf) {
  auto isLock = [](const Instruction &instruction) {
    return lockCallOf(instruction) != LockCall::None;
  };
  return anyReached(leaf, isLock, ReachedBy::Name);
}

} // namespace sluice
