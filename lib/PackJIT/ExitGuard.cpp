//===- ExitGuard.cpp - No compiling while the process ends ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExitGuard.h"

#include <chrono>
#include <cstdlib>
#include <unistd.h>

using namespace sluice::pack;

/// Longer than any layout takes; a thread that was stopped must not keep the
/// process from ending.
static constexpr std::chrono::seconds longestWait{10};

static ExitGuard *theGuard = nullptr;
/// How deep this thread is inside: `exit` may be called by code that is run
/// while compiling.
static thread_local int depth = 0;

ExitGuard::ExitGuard() : process(::getpid()) {
  theGuard = this;
  std::atexit(endAll);
}

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
}

void ExitGuard::end() {
  // A forked child has none of the threads that were compiling.
  if (::getpid() != process)
    return;
  std::unique_lock lock(mutex);
  isEnding = true;
  allLeft.wait_for(lock, longestWait, [&] { return inside <= depth; });
}
