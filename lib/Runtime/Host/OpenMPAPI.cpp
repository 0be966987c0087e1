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

/// Whether threads of OpenMP's library sleep unless they are told otherwise.
static constinit std::atomic<bool> doThreadsSleep{false};

int sluiceServeOpenMP(void) {
  RuntimeOptions::servesOpenMP = true;
  bool isSet = false;
  for (const char *name : {"KMP_BLOCKTIME", "OMP_WAIT_POLICY", "KMP_LIBRARY"})
    if (const char *value = std::getenv(name))
      isSet |= *value != '\0';
  doThreadsSleep.store(!isSet);
  return !isSet;
}

//===----------------------------------------------------------------------===//
// Threads of OpenMP's library between regions
//===----------------------------------------------------------------------===//

/// What its threads do after a region.
enum RestOfThreads : int { Unknown, Sleep, LookForWork };

/// The library's own default, in milliseconds.
static constexpr int usualBlocktime = 200;

/// The region that ended last, unless a loop of ours has begun since.
static thread_local constinit int *lastTeam = nullptr;

static void noteNext(RestOfThreads rest) {
  if (lastTeam)
    std::atomic_ref(*lastTeam).store(rest, std::memory_order_relaxed);
  lastTeam = nullptr;
}

void sluiceStartsTeam(int *state, int (*isInTeam)(void),
                      void (*setBlocktime)(int)) {
  if (!doThreadsSleep.load(std::memory_order_relaxed) || isInNode() ||
      isInTeam())
    return;
  noteNext(LookForWork);
  int unknown = Unknown;
  std::atomic_ref(*state).compare_exchange_strong(unknown, Sleep);
  setBlocktime(usualBlocktime);
}

void sluiceEndsThread(int *state, void (*setBlocktime)(int)) {
  if (std::atomic_ref(*state).load(std::memory_order_relaxed) == Sleep)
    setBlocktime(0);
}

void sluiceEndsTeam(int *state, int (*isInTeam)(void),
                    void (*setBlocktime)(int)) {
  if (!doThreadsSleep.load(std::memory_order_relaxed) || isInNode() ||
      isInTeam())
    return;
  setBlocktime(0);
  lastTeam = state;
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
  noteNext(Sleep);
  if (isLeft.load(std::memory_order_relaxed))
    return runtimeOfHost() && mayServe();
  if (isInTeam() || !mayServe())
    return 0;
  Runtime *runtime = runtimeOfHost();
  return runtime && runtime->servesTeam(maxThreads ? maxThreads() : numThreads);
}
