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
#include "HostRuntime.h"

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

/// The thread that has asked for teams, if there is one; see below for more.
static constinit std::atomic<pthread_t> askingThread{0};
static constexpr pthread_t manyThreads = ~pthread_t(0);
/// No thread may have a team. Only the state in which no thread but the
/// refusing one has asked leads here: a thread that had teams never falls back
/// to LLVM's library while the program, and that library with it, is ending.
static constexpr pthread_t noThread = manyThreads - 1;

static bool mayServe() {
  pthread_t own = ::pthread_self();
  pthread_t seen = askingThread.load();
  while (seen != own && seen != manyThreads && seen != noThread)
    if (askingThread.compare_exchange_weak(seen, seen ? manyThreads : own))
      return true;
  return seen != noThread;
}

bool sluice::refuseTeams() {
  pthread_t seen = askingThread.load();
  while (seen == 0 || seen == noThread || seen == ::pthread_self())
    if (askingThread.compare_exchange_weak(seen, noThread))
      return true;
  return false;
}

/// The process is ending, and the runtime stays for threads that have teams.
static constinit std::atomic<bool> isLeft{false};

void sluice::serveTeams() {
  isLeft.store(false);
  pthread_t refused = noThread;
  askingThread.compare_exchange_strong(refused, 0);
}

void sluice::leaveTeams() {
  serveTeams();
  isLeft.store(true);
}

int sluiceServesTeam(int numThreads, int (*isInTeam)(void),
                     int (*maxThreads)(void)) {
  if (isInNode())
    return 0;
  if (isLeft.load(std::memory_order_relaxed))
    return runtimeOfHost() && mayServe();
  if (isInTeam() || !mayServe())
    return 0;
  Runtime *runtime = runtimeOfHost();
  return runtime && runtime->servesTeam(maxThreads ? maxThreads() : numThreads);
}
