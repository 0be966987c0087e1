//===- Signals.cpp - Tasks that crash -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that crashes or calls abort ends the process, as in a program of its
// own. Before that, the runtime names the task and removes the files that the
// task has begun. If a debugger or the program itself has installed a handler
// for a signal, the runtime leaves the signal to that handler.
//
// Ctrl-C ends a run between two tasks, so the output of each task is complete.
//
//===----------------------------------------------------------------------===//

#include "../Execution/Crashes.h"
#include "Ranks/TaskRanks.h"
#include "Run.h"

#include "sluice/Base/Temporary.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace sluice;
using namespace sluice::tasks;

/// Only calls that a handler of signals may make.
static void print(const char *text) {
  if (text)
    (void)!::write(STDERR_FILENO, text, std::strlen(text));
}

static void printTask(const RunningTask &running) {
  const SluiceTaskRecord &task = running.record();
  print("sluice: error: task '");
  print(task.name);
  print("' (");
  print(task.kernel);
  if (task.location && *task.location) {
    print(" at ");
    print(task.location);
  }
  print(")");
  print(running.run->rankText.c_str());
  print(": ");
}

static void onSignal(int signal, siginfo_t *info, void *) {
  static constinit std::atomic<bool> isSaid{false};
  RunningTask *task = Run::crashedTask();
  bool isOther = !task;
  if (isOther)
    task = Run::onlyTask();
  if (task && !isSaid.exchange(true)) {
    printTask(*task);
    if (*task->pendingMessage()) { // what a check found
      print(task->pendingMessage());
      print("; then ");
    }
    if (isFromOutside(*info)) {
      print("while it ran, another process sent a signal: ");
      print(::sigdescr_np(signal));
      print("\n");
    } else if (signal == SIGABRT) {
      print(isOther ? "while it ran, another thread called abort\n"
                    : "it called abort\n");
    } else {
      print(isOther ? "while it ran, another thread was ended by a signal: "
                    : "it was ended by a signal: ");
      print(::sigdescr_np(signal));
      print("\n");
    }
    task->removeNewFiles();
  }
  // The action is the default one again.
  ::raise(signal);
}

/// Another rank has failed, and MPI ends this one.
static void onTermination(int signal, siginfo_t *, void *) {
  Run::removeAllNewFiles();
  ::raise(signal);
}

static void watch(int signal, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction known = {}, action = {};
  ::sigaction(signal, nullptr, &known);
  // On a rank, MPI has handlers, which know of no task.
  if (((known.sa_flags & SA_SIGINFO) || known.sa_handler != SIG_DFL) &&
      !taskRanks())
    return;
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_ONSTACK;
  ::sigaction(signal, &action, nullptr);
}

void sluice::tasks::watchForSignals() {
  static const bool isWatching = [] {
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
      watch(signal, onSignal);
    if (taskRanks())
      watch(SIGTERM, onTermination);
    return true;
  }();
  (void)isWatching;
}

//===----------------------------------------------------------------------===//
// Signals that end runs
//===----------------------------------------------------------------------===//

namespace {
struct StopSignal {
  int signal;
  struct sigaction before = {};
  bool isOurs = false;
};
/// What handlers and the threads of runs know.
struct Stops {
  std::mutex mutex; ///< not for handlers
  std::atomic<unsigned> numRuns{0};
  /// That runs: a process that it forks has the handlers, but no run.
  std::atomic<pid_t> process{0};
  StopSignal signals[2] = {{SIGINT}, {SIGTERM}};
};
} // namespace

static Stops &allStops() {
  static Stops &stops = *new Stops;
  return stops;
}

static constinit std::atomic<int> theStop{0};

void sluice::tasks::stopRuns(int signal) {
  theStop.store(signal, std::memory_order_release);
}

void sluice::tasks::withdrawStop(int signal) {
  Stops &stops = allStops();
  std::lock_guard lock(stops.mutex);
  if (stops.numRuns.load() == 0 || stops.process.load() != ::getpid())
    theStop.compare_exchange_strong(signal, 0);
}

int sluice::tasks::stoppingSignal() {
  return theStop.load(std::memory_order_acquire);
}

/// The first signal waits for the tasks that run, the second one for nothing.
static void onStop(int signal) {
  const int error = errno;
  Stops &stops = allStops();
  // Whoever kept the handler may have restored it when the run had ended.
  const bool isOther =
      stops.process.load() != ::getpid() || stops.numRuns.load() == 0;
  if (!isOther && theStop.exchange(signal) == 0) {
    print("sluice: note: the run ends after the tasks that are running; "
          "another signal ends it at once\n");
    errno = error;
    return;
  }
  if (!isOther)
    Run::removeAllNewFiles();
  for (const StopSignal &each : stops.signals)
    if (each.signal == signal)
      ::sigaction(signal, &each.before, nullptr);
  // For any thread: this one blocks it until the handler returns.
  ::kill(::getpid(), signal);
  errno = error;
}

static bool isOnStop(const struct sigaction &action) {
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == onStop;
}

/// Whether the signal ends the process, if only after temporary files are
/// removed.
static bool endsProcess(const struct sigaction &action) {
  return !(action.sa_flags & SA_SIGINFO) &&
         (action.sa_handler == SIG_DFL ||
          isTemporariesHandler(action.sa_handler));
}

StoppedBySignals::StoppedBySignals() {
  Stops &stops = allStops();
  std::lock_guard lock(stops.mutex);
  // A process that was forked during a run has none of its own.
  const pid_t process = ::getpid();
  if (stops.process.exchange(process) != process) {
    for (StopSignal &each : stops.signals)
      each.isOurs = false;
    if (stops.numRuns.exchange(0) != 0)
      theStop.store(0);
  }
  if (stops.numRuns++ != 0)
    return;
  for (StopSignal &each : stops.signals) {
    struct sigaction known = {};
    each.isOurs = false;
    if (taskRanks() || ::sigaction(each.signal, nullptr, &known) != 0)
      continue;
    if (isOnStop(known)) { // of an earlier run, or one of the parent's
      each.isOurs = true;
      continue;
    }
    if (!endsProcess(known))
      continue;
    each.before = known;
    each.isOurs = true;
    struct sigaction action = {};
    action.sa_handler = onStop;
    action.sa_flags = SA_RESTART;
    ::sigaction(each.signal, &action, nullptr);
  }
}

StoppedBySignals::~StoppedBySignals() {
  Stops &stops = allStops();
  std::lock_guard lock(stops.mutex);
  // A task that forked a process may end there, with the run of its parent.
  if (stops.process.load() != ::getpid() || --stops.numRuns != 0)
    return;
  // What comes before the handlers are gone counts for this run, and what comes
  // later ends the process itself.
  for (const StopSignal &each : stops.signals)
    if (struct sigaction known = {};
        each.isOurs && ::sigaction(each.signal, nullptr, &known) == 0 &&
        isOnStop(known))
      ::sigaction(each.signal, &each.before, nullptr);
  const int signal = theStop.exchange(0);
  bool isOurs = false;
  for (StopSignal &each : stops.signals)
    isOurs |= std::exchange(each.isOurs, false) && each.signal == signal;
  if (!isOurs)
    return;
  // As if nobody had waited for it.
  std::fflush(stdout);
  ::kill(::getpid(), signal);
}

namespace {
/// Where the handler runs when the thread's own stack has overflowed.
struct SignalStack {
  SignalStack() {
    stack_t known = {};
    if (::sigaltstack(nullptr, &known) != 0 || !(known.ss_flags & SS_DISABLE))
      return;
    memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return;
    stack_t stack = {};
    stack.ss_sp = memory;
    stack.ss_size = size;
    ::sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    if (memory == MAP_FAILED)
      return;
    stack_t stack = {};
    stack.ss_flags = SS_DISABLE;
    ::sigaltstack(&stack, nullptr);
    ::munmap(memory, size);
  }

  static constexpr size_t size = 64 << 10;
  void *memory = MAP_FAILED;
};
} // namespace

void sluice::tasks::prepareSignalStack() {
  static thread_local SignalStack stack;
  (void)stack;
}
