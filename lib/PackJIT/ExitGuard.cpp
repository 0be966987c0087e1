//===- ExitGuard.cpp - No compiling while the process ends ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExitGuard.h"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <pthread.h>

using namespace sluice::pack;
using namespace sluice::pack::jit;

/// The maximum wait. Compiling a layout takes less; a thread that was stopped
/// must not keep the process from ending.
static constexpr std::chrono::seconds maxWait{10};

static ExitGuard *theGuard = nullptr;
/// Number of scopes that this thread is in: code that runs while compiling may
/// call `exit`.
static thread_local int depth = 0;

ExitGuard::ExitGuard() {
  theGuard = this;
  ::pthread_atfork([] { theGuard->mutex.lock(); },
                   [] { theGuard->mutex.unlock(); },
                   [] {
                     // None of the threads that compile is in the child.
                     theGuard->inside = depth;
                     theGuard->mutex.unlock();
                   });
}

void ExitGuard::arm() { std::atexit(endAll); }

void ExitGuard::endAll() { theGuard->end(); }

bool ExitGuard::enter() {
  std::lock_guard lock(mutex);
  if (isEnding)
    return false;
  ++inside;
  ++depth;
  return true;
}

void ExitGuard::leave() {
  std::lock_guard lock(mutex);
  --depth;
  if (--inside == 0)
    allLeft.notify_all();
  // LLVM makes some of its static objects when they are first needed. Handlers
  // run in the reverse order, so one has to be registered after those.
  if (std::has_single_bit(++uses) && !isEnding)
    std::atexit(endAll);
}

void ExitGuard::end() {
  std::unique_lock lock(mutex);
  isEnding = true;
  allLeft.wait_for(lock, maxWait, [&] { return inside <= depth; });
}
