//===- OpenMPAPI.cpp - What programs in OpenMP ask ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a program asks before each loop whether Sluice may run it. It may not
// in a process that was forked, before init, after cleanup, or in a node, where
// LLVM's library of OpenMP runs what there is.
//
//===----------------------------------------------------------------------===//

#include "HostAPI.h"
#include "Runtime.h"

#include "sluice-c/Runtime.h"

#include <atomic>
#include <cstdlib>
#include <pthread.h>

using namespace sluice;

int sluiceServeOpenMP(void) {
  RuntimeOptions::servesOpenMP = true;
  for (const char *name : {"KMP_BLOCKTIME", "OMP_WAIT_POLICY", "KMP_LIBRARY"})
    if (const char *value = std::getenv(name); value && *value)
      return 0;
  return 1;
}

//===----------------------------------------------------------------------===//
// Threads with teams
//===----------------------------------------------------------------------===//

/// The thread that has asked for teams; several: `manyThreads`.
static constinit std::atomic<pthread_t> askingThread{0};
static constexpr pthread_t manyThreads = ~pthread_t(0);
static constinit std::atomic<bool> areRefused{false};

/// A thread says that it comes and then looks whether it is refused, and who
/// refuses says so and then looks who has come: at least one of them sees the
/// other.
static bool mayServe() {
  pthread_t own = ::pthread_self();
  pthread_t seen = askingThread.load(std::memory_order_relaxed);
  if (seen != own && seen != manyThreads &&
      (seen != 0 || !askingThread.compare_exchange_strong(seen, own)))
    askingThread.store(manyThreads);
  return !areRefused.load();
}

bool sluice::refuseTeams() {
  areRefused.store(true);
  pthread_t seen = askingThread.load();
  return seen == 0 || seen == ::pthread_self();
}

void sluice::serveTeams() { areRefused.store(false); }

int sluiceServesTeam(int numThreads) {
  if (isInNode() || !mayServe())
    return 0;
  Runtime *runtime = runtimeOfHost();
  return runtime && runtime->servesTeam(numThreads);
}
