//===- Ranks.cpp - A host program and the ranks that serve it -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler has `main` begin with a call of sluiceServe. It returns on rank
// 0, and in a program that runs alone.
//
//===----------------------------------------------------------------------===//

#include "../Cluster/Failures.h"
#include "../Cluster/OpenCluster.h"
#include "../RemoteGraphs/ServeRank.h"
#include "HostAPI.h"
#include "Runtime.h"

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

/// How this process ends, unless by a signal.
static void endAtExit(int status, void *) {
  // A child that was forked has nothing to say to the ranks.
  if (!theLink || ::getpid() != theLinkProcess)
    return;
  Runtime *runtime = runtimeIfAny("exit");
  const auto end = [&]() -> Status {
    // What runs behind this, such as destructors of global variables, still
    // finds the program's memory. Variables of `main` are no more, and this
    // function may stand where they were.
    if (runtime)
      if (Status status = runtime->leaveRanks(ownStack()); !status.ok())
        return status;
    if (runtime)
      if (Status status = runtime->writeJoinedTimeline(); !status.ok())
        std::fprintf(stderr, "sluice: warning: there is no trace: %s\n",
                     status.message().c_str());
    return tellRanks(*theLink, OrderKind::End);
  };
  // Nobody could end well where ranks wait for what a node would have done, or
  // where this one should still serve.
  if (theLink->rank() != 0 || (isInNode() && runtime->areRanksBusy())) {
    writeTraceAtExit(/*isAlone=*/true);
    endAllRanks(theLink->table(), status, endsByError());
  }
  std::fflush(nullptr);
  // A launch that is under way is waited for.
  if (!end().ok())
    endAllRanks(theLink->table(), status, endsByError());
  setRanks(nullptr);
  const SluiceCluster &cluster = theLink->table();
  delete std::exchange(theLink, nullptr);
  closeCluster(cluster);
}

/// A Hetero-C++ program has begun the runtime before `main`, when nobody knew
/// how many ranks share the machine.
static void startAgain() {
  Runtime *runtime = runtimeIfAny("main");
  const bool isFresh = runtime && runtime->getTracker().isEmpty();
  if (isFresh)
    sluiceCleanup();
  if (isFresh || (!runtime && theLink->rank() != 0))
    sluiceInit();
  else if (runtime && theLink->rank() == 0)
    runtime->useRanks(*theLink);
}

static Result<const PlanInfo *> infoOf(const SluicePlan &plan) {
  return runtimeFor("launch").findPlan(plan);
}

/// Whether something that ran before `main` has begun MPI for itself.
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
  // Nothing of the host program ends here, since nothing of it began.
  std::_Exit(0);
}
