//===- HostAPI.cpp - The C entry points -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs cannot handle errors of the runtime: each error is printed and ends
// the process. These functions own the single runtime object.
//
//===----------------------------------------------------------------------===//

#include "HostAPI.h"

#include "../Execution/KernelCall.h"
#include "../RemoteGraphs/RankLink.h"
#include "HostRuntime.h"
#include "Registry.h"

#include "sluice-c/Runtime.h"
#include "sluice/Base/Text.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
#include <utility>

using namespace sluice;

static constinit std::atomic<Runtime *> theRuntime{nullptr};
static constinit std::mutex lifeMutex;
static constinit std::atomic<bool> wasForked{false};
static constinit std::atomic<bool> wasCleanedUp{false};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static constinit std::atomic<bool> isEnding{false};

void sluice::endProcess(const std::string &message) {
  std::fflush(stdout);
  std::fprintf(stderr, "sluice: error: %s\n", message.c_str());
  // Functions registered with atexit may call this again.
  if (isEnding.exchange(true))
    std::_Exit(1);
  std::exit(1);
}

bool sluice::endsByError() { return isEnding.load(std::memory_order_relaxed); }

[[noreturn, gnu::cold, gnu::noinline]] static void
endWith(const Status &status) {
  endProcess(status.message());
}

static void check(const Status &status) {
  if (!status.ok())
    endWith(status);
}

template <typename Value> static Value check(Result<Value> result) {
  check(result.status());
  return *result;
}

[[noreturn, gnu::cold, gnu::noinline]] static void
endWithoutRuntime(const char *call) {
  if (wasForked.load(std::memory_order_relaxed))
    endProcess(concat(call,
                      " in a forked process: the runtime's threads exist in "
                      "its parent only; call fork before init"));
  endProcess(concat(call, wasCleanedUp.load(std::memory_order_relaxed)
                              ? " after cleanup"
                              : " before init"));
}

Runtime &sluice::runtimeFor(const char *call) {
  Runtime *runtime = theRuntime.load(std::memory_order_acquire);
  if (!runtime || wasForked.load(std::memory_order_relaxed))
    endWithoutRuntime(call);
  return *runtime;
}

Runtime *sluice::runtimeIfAny(const char *call) {
  return theRuntime.load(std::memory_order_acquire) ? &runtimeFor(call)
                                                    : nullptr;
}

bool sluice::isInNode() {
  const Worker *worker = Worker::current();
  return worker && worker->insideKernel;
}

Runtime *sluice::runtimeOfHost() {
  if (wasForked.load(std::memory_order_relaxed) || isInNode())
    return nullptr;
  return theRuntime.load(std::memory_order_acquire);
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

static constinit RankLink *theRanks = nullptr;
/// The process that opened the ranks.
static constinit pid_t theProcess = 0;

/// A process that ends without cleanup, perhaps after an error, still writes
/// its trace.
void sluice::writeTraceAtExit(bool isAlone) {
  Runtime *runtime = theRuntime.load(std::memory_order_acquire);
  if (!runtime || wasForked.load(std::memory_order_relaxed))
    return;
  if (!isAlone && theRanks && runtime->hasJoinedTimeline())
    return;
  if (Status status = runtime->writeTraceAtExit(); !status.ok())
    std::fprintf(stderr, "sluice: warning: there is no trace: %s\n",
                 status.message().c_str());
}

static void markForked() {
  if (theRuntime.load(std::memory_order_relaxed))
    wasForked.store(true, std::memory_order_relaxed);
}

void sluice::setRanks(RankLink *ranks) {
  theRanks = ranks;
  theProcess = ::getpid();
}

/// Units that have started and not ended; and whether the program has called
/// init, too. Both belong to `lifeMutex`.
static constinit unsigned numUnits = 0;
static constinit bool isInitialized = false;

static void startRuntime() {
  // A forked child has no other ranks.
  if (!theRanks || ::getpid() != theProcess)
    return initRank(0, 0, /*isAlone=*/true);
  initRank(theRanks->rank(), theRanks->table().numProcessors);
  if (theRanks->rank() == 0)
    runtimeFor("init").useRanks(*theRanks);
}

/// A program calls init although one of its units has started the runtime.
static bool joinUnits() {
  std::lock_guard lock(lifeMutex);
  bool isSecond = isInitialized;
  isInitialized = true;
  return numUnits != 0 && !isSecond &&
         !wasForked.load(std::memory_order_relaxed);
}

void sluiceInit(void) {
  if (!joinUnits())
    startRuntime();
}

void sluiceStartUnit(void) {
  {
    std::lock_guard lock(lifeMutex);
    serveTeams();
    if (numUnits++ != 0 || theRuntime.load(std::memory_order_relaxed))
      return;
  }
  startRuntime();
}

void sluice::initRank(unsigned rank, unsigned numProcessors, bool isAlone) {
  serveTeams();
  std::lock_guard lock(lifeMutex);
  if (wasForked.load(std::memory_order_relaxed))
    runtimeFor("init");
  if (theRuntime.load(std::memory_order_relaxed))
    endProcess("init was called twice without cleanup between");
  static constinit std::atomic<bool> registered{false};
  if (!registered.exchange(true)) {
    std::atexit([] { writeTraceAtExit(); });
    pthread_atfork(nullptr, nullptr, markForked);
  }
  RuntimeOptions options =
      check(RuntimeOptions::fromEnvironment(numProcessors));
  if (!isAlone)
    options.leaveOutRecord(rank);
  // A separate timeline for each rank, unless they are joined.
  if (rank != 0 && !options.traceFile.empty())
    options.traceFile += concat(".rank", rank);
  theRuntime.store(new Runtime(options), std::memory_order_release);
}

void sluice::joinTraces(const SluiceCluster &cluster) {
  runtimeFor("init").joinTraces(cluster);
}

static void endRuntime() {
  Runtime &runtime = runtimeFor("cleanup");
  Status status = runtime.finish();
  if (status.code() == StatusCode::System)
    std::fprintf(stderr, "sluice: warning: there is no trace: %s\n",
                 status.message().c_str());
  else
    check(status);
  wasCleanedUp.store(true, std::memory_order_relaxed);
  theRuntime.store(nullptr, std::memory_order_release);
  delete &runtime;
}

void sluiceCleanup(void) {
  // Called from an exit handler of a program that is ending after an error,
  // perhaps in init.
  if (isEnding.load(std::memory_order_relaxed))
    std::_Exit(1);
  std::lock_guard lock(lifeMutex);
  if (!std::exchange(isInitialized, false) || numUnits == 0)
    endRuntime();
}

void sluice::restartRuntime() {
  {
    std::lock_guard lock(lifeMutex);
    if (theRuntime.load(std::memory_order_relaxed))
      endRuntime();
    isInitialized |= numUnits == 0;
  }
  startRuntime();
}

/// Leaves the runtime to threads that may use it until the process has ended.
static void leaveRuntime() {
  leaveTeams();
  writeTraceAtExit();
}

void sluiceEndUnit(void) {
  // In a node, and in a forked process, somebody else may hold the lock.
  if (isEnding.load(std::memory_order_relaxed) || isInNode() ||
      wasForked.load(std::memory_order_relaxed))
    return;
  std::lock_guard lock(lifeMutex);
  if (numUnits == 0 || --numUnits != 0 || isInitialized)
    return;
  Runtime *runtime = theRuntime.load(std::memory_order_relaxed);
  if (!runtime)
    return;
  if (!refuseTeams() || runtime->hasLaunches())
    return leaveRuntime();
  endRuntime();
  serveTeams();
}

int sluiceEndsTeams(void) {
  if (!runtimeOfHost())
    return 0;
  // No team is served from here on: nothing but cleanup follows.
  if (refuseTeams())
    return 1;
  leaveRuntime();
  return 0;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void *sluiceLaunch(const SluicePlan *plan, void *arguments,
                   const SluiceLayout *layout, int isStream) {
  return check(
      runtimeFor("launch").launch(plan, arguments, layout, isStream != 0));
}

static const SluicePlan *planOf(const void *root) {
  runtimeFor("launch");
  const SluicePlan *plan = findRegisteredPlan(root);
  if (!plan)
    endProcess(concat("launch: the function at ", root,
                      " is no root of a graph in this program"));
  return plan;
}

void *sluiceLaunchRoot(const void *root, void *arguments,
                       const SluiceLayout *layout, int isStream) {
  return sluiceLaunch(planOf(root), arguments, layout, isStream);
}

void *sluiceLaunchOrdered(const SluicePlan *plan, void *arguments,
                          const SluiceLayout *layout) {
  return check(runtimeFor("launch").launch(plan, arguments, layout,
                                           LaunchKind::Ordered));
}

void *sluiceLaunchRootOrdered(const void *root, void *arguments,
                              const SluiceLayout *layout) {
  return sluiceLaunchOrdered(planOf(root), arguments, layout);
}

void sluiceWait(void *graph) { check(runtimeFor("wait").wait(graph)); }

void sluicePush(void *graph, void *arguments, const SluiceLayout *layout) {
  Runtime &runtime = runtimeFor("push");
  if (!runtime.tryPush(graph, arguments, layout))
    check(runtime.push(graph, arguments, layout));
}

void *sluicePop(void *graph) {
  Runtime &runtime = runtimeFor("pop");
  void *result = runtime.tryPop(graph);
  return result ? result : check(runtime.pop(graph));
}

void sluiceSetStreamBound(void *graph, uint64_t bound) {
  check(runtimeFor("setting a stream's bound").setStreamBound(graph, bound));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void sluiceTrackMemory(void *pointer, size_t size) {
  check(runtimeFor("trackMemory").trackMemory(pointer, size));
}

void sluiceUntrackMemory(void *pointer) {
  check(runtimeFor("untrackMemory").untrackMemory(pointer));
}

void sluiceDropMemory(void *pointer) {
  check(runtimeFor("untrackMemory").dropMemory(pointer));
}

void *sluiceRequestMemory(void *pointer, size_t size) {
  return check(runtimeFor("requestMemory").requestMemory(pointer, size));
}

void sluiceRequestAnyMemory(void *pointer, size_t size) {
  check(runtimeFor("requestMemory").requestAnyMemory(pointer, size));
}

void llvm_hpvm_track_mem(void *pointer, size_t size) {
  sluiceTrackMemory(pointer, size);
}

void llvm_hpvm_untrack_mem(void *pointer) { sluiceUntrackMemory(pointer); }

void *llvm_hpvm_request_mem(void *pointer, size_t size) {
  return sluiceRequestMemory(pointer, size);
}
