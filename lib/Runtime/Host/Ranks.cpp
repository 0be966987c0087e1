//===- Ranks.cpp - A host program and the ranks that serve it -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler makes `main` begin with a call of sluiceServe. The call returns
// on rank 0, and in a program that runs alone.
//
//===----------------------------------------------------------------------===//

#include "../Cluster/Failures.h"
#include "../Cluster/OpenCluster.h"
#include "../RemoteGraphs/ServeRank.h"
#include "HostAPI.h"
#include "HostRuntime.h"

#include "sluice-c/Runtime.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
#include <utility>

using namespace sluice;

/// The ranks, from the start of `main` to the end of the process.
static constinit RankLink *theLink = nullptr;
static constinit pid_t theLinkProcess = 0;

/// The stack of this thread.
static ByteRange ownStack() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0)
    return {};
  void *start = nullptr;
  size_t size = 0;
  ::pthread_attr_getstack(&attributes, &start, &size);
  ::pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<uintptr_t>(start);
  return {begin, begin + size};
}

/// Handles the end of this process, unless a signal ends it.
static void endAtExit(int status, void *) {
  // A forked child must not communicate with the ranks.
  if (!theLink || ::getpid() != theLinkProcess)
    return;
  Runtime *runtime = runtimeIfAny("exit");
  const auto end = [&]() -> Status {
    // Code that runs later, such as destructors of global variables, still
    // finds the program's memory. Variables of `main` no longer exist, and this
    // function may use their stack memory.
    if (runtime)
      if (Status status = runtime->leaveRanks(ownStack()); !status.ok())
        return status;
    if (runtime)
      if (Status status = runtime->writeJoinedTimeline(); !status.ok())
        std::fprintf(stderr, "sluice: warning: there is no trace: %s\n",
                     status.message().c_str());
    return tellRanks(*theLink, OrderKind::End);
  };
  // No orderly end is possible if ranks wait for a result of a node, or if this
  // rank should still serve.
  if (theLink->rank() != 0 || (isInNode() && runtime->areRanksBusy())) {
    writeTraceAtExit(/*isAlone=*/true);
    endAllRanks(theLink->table(), status, endsByError());
  }
  std::fflush(nullptr);
  // Waits for a launch in progress.
  if (!end().ok())
    endAllRanks(theLink->table(), status, endsByError());
  setRanks(nullptr);
  const SluiceCluster &cluster = theLink->table();
  delete std::exchange(theLink, nullptr);
  closeCluster(cluster);
}

/// A Hetero-C++ program has started the runtime before `main`, when the number
/// of ranks on this machine was not known yet.
static void startAgain() {
  Runtime *runtime = runtimeIfAny("main");
  const bool isFresh = runtime && runtime->getTracker().isEmpty();
  if (isFresh || (!runtime && theLink->rank() != 0))
    restartRuntime();
  else if (runtime && theLink->rank() == 0)
    runtime->useRanks(*theLink);
}

static Result<const PlanInfo *> infoOf(const SluicePlan &plan) {
  return runtimeFor("launch").findPlan(plan);
}

/// Whether code before `main` has initialized MPI.
static bool usesMPI() {
  auto ask = reinterpret_cast<int (*)(int *)>(
      ::dlsym(RTLD_DEFAULT, "MPI_Initialized"));
  int isBegun = 0;
  return ask && ask(&isBegun) == 0 && isBegun;
}

void sluiceServe(void) {
  if (theLink || usesMPI())
    return;
  Result<const SluiceCluster *> cluster = openCluster();
  if (!cluster.ok())
    endProcess(cluster.status().message());
  if (!*cluster)
    return;
  theLinkProcess = ::getpid();
  theLink = new RankLink(**cluster);
  setRanks(theLink);
  on_exit(endAtExit, nullptr);
  startAgain();
  if (theLink->rank() == 0)
    return;
  Runtime &runtime = runtimeFor("launch");
  const RankServices services = {infoOf,
                                 [&] { runtime.joinTimelines(*theLink); },
                                 [&] { (void)runtime.writeJoinedTimeline(); }};
  Status status = serveRank(*theLink, runtime.getExecutor(), services);
  if (!status.ok())
    endProcess(status.message());
  std::fflush(nullptr);
  writeTraceAtExit(/*isAlone=*/true);
  closeCluster(**cluster);
  // No exit handlers of the host program run here, since it never began.
  std::_Exit(0);
}
