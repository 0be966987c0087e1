//===- ExitGuard.cpp - No compilations at the process's end ---------------===//
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

/// The maximum wait. Compiling a layout takes less; a stopped thread must not
/// prevent the process from ending.
static constexpr std::chrono::seconds maxWait{10};

static ExitGuard *theGuard = nullptr;
/// The number of scopes that this thread has entered: code that runs during
/// compilation may call `exit`.
static thread_local int depth = 0;

ExitGuard::ExitGuard() {
  theGuard = this;
  ::pthread_atfork([] { theGuard->mutex.lock(); },
                   [] { theGuard->mutex.unlock(); },
                   [] {
                     // The compiling threads do not exist in the child.
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
  // LLVM creates some of its static objects lazily. Handlers run in reverse
  // order, so one must be registered after these objects.
  if (std::has_single_bit(++uses) && !isEnding)
    std::atexit(endAll);
}

void ExitGuard::end() {
  std::unique_lock lock(mutex);
  isEnding = true;
  allLeft.wait_for(lock, maxWait, [&] { return inside <= depth; });
}
