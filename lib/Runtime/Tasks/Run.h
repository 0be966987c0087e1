//===- Run.h - Runs of a task graph ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object behind SluiceTaskRun: the datasets, the state of each task, and
// the errors.
//
//
// Room: task programs. Datasets, files, checks and messages of tasks, whose
// graph is an ordinary plan. May include Base, Pack, Scheduling, Plan,
// Execution, Engine and Host.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RUNTIME_TASKS_RUN_H
#define SLUICE_RUNTIME_TASKS_RUN_H

#include "Datasets.h"
#include "WrittenFiles.h"

#include "../Host/HostRuntime.h"
#include "../Scheduling/CodeOwner.h"
#include "Checks/ArgumentCheck.h"

#include <mutex>
#include <string>
#include <unistd.h>

namespace sluice::tasks {

class RankedRun;
class Run;
struct TaskRanks;
class Tuning;

/// A task of a run. The one that runs on a thread is known to it, for errors
/// of code that does not know who called it.
class RunningTask final : public CodeOwner {
public:
  Run *run = nullptr;
  uint32_t index = 0;

  /// Nothing else owns code.
  static RunningTask *current() {
    return static_cast<RunningTask *>(CodeOwner::current());
  }

  const SluiceTaskRecord &record() const;
  /// "task 'blur' (halide_blur at blur.cpp:12:3)"
  std::string text() const override;
  void failed(const Status &status) override;
  /// Keeps the first message until the task's end.
  void addMessage(const char *text) override;
  std::string takeMessage();
  /// The first message, for handlers of signals.
  const char *pendingMessage() const { return message.c_str(); }
  /// Memory to be freed when the task ends, unless it is dropped before.
  void keepMemory(void *memory);
  void dropMemory(void *memory);
  /// Removes files that were not there when the task began; for handlers of
  /// signals.
  void removeNewFiles() const { files.removeNew(); }

private:
  friend class Run;
  /// What ran on this thread before.
  RunningTask *outer = nullptr;
  std::atomic<bool> isRunning{false};
  /// That began it.
  unsigned worker = 0;
  /// When it began, and the nanoseconds that it took; only on several ranks.
  uint64_t startTime = 0, time = 0;
  WrittenFiles files;
  std::mutex mutex;
  std::string message;
  std::vector<void *> memory;
};

class Run {
public:
  /// Checks the tables. `ranks` has its tasks run on all of them; null: here.
  static Result<std::unique_ptr<Run>> create(const SluiceTaskProgram &program,
                                             const SluiceTaskRunOptions &,
                                             const TaskRanks *ranks);
  ~Run();

  const SluiceTaskProgram &program;
  /// Null: it runs alone.
  const TaskRanks *const ranks;
  /// " on rank 2" for messages; empty if there is one.
  const std::string rankText;
  Datasets datasets;
  /// What C code knows this by.
  SluiceTaskRun *handle = nullptr;

  /// What Python tasks call that name no module: by task, null for others.
  std::vector<void *> functions;

  /// Runs all tasks, with `tuning` one after another and each in all its
  /// variants.
  Status execute(Tuning *tuning = nullptr);
  /// True while a thread executes it.
  bool isExecuting() const { return isBusy.load(std::memory_order_relaxed); }
  /// A dataset that was kept by the last run; null if that failed.
  const void *keptData(uint32_t data) const {
    return succeeded && options.keepsData && data < program.numData &&
                   datasets.isInUse(data)
               ? datasets.address(data)
               : nullptr;
  }

  /// What leaves of tasks call; they throw KernelFailure. See
  /// sluice-c/TaskProgram.h.
  int32_t begin(uint32_t task);
  int32_t end(uint32_t task, int32_t status);
  void enter(uint32_t task);
  void leave(uint32_t task);

  /// The exception that is being handled left `task`, which runs on this
  /// thread, and says `status`.
  void failed(RunningTask &task, const Status &status);
  /// Removes the files that tasks that have begun are writing; the process
  /// ends.
  static void removeAllPartialFiles();
  /// The same of files that were not there before, for handlers of signals.
  static void removeAllNewFiles();
  /// A graph that is a task and has begun, of any run; null if there is none.
  static RunningTask *enteredTask();
  /// The task that this thread runs, as far as a handler of signals may find
  /// out.
  static RunningTask *crashedTask();
  /// The task that runs, if it is the only one of the process: a thread that
  /// crashed may be one of its own. For handlers of signals.
  static RunningTask *onlyTask();

  Runtime &getRuntime() { return runtime; }
  /// Null unless tasks are checked, which are not tuned then.
  ArgumentCheck *getCheck() const { return tuning ? nullptr : check.get(); }

private:
  Run(const SluiceTaskProgram &program, const SluiceTaskRunOptions &options,
      const TaskRanks *ranks, Runtime &runtime);
  Status executeOnce();
  bool isSerial() const;
  Result<bool> shareAmongRanks();
  void keepTaskTimes() const;
  bool sharesFiles() const;
  Status launch();
  Status result(Status launched);
  void prepareProgram();
  void beginTask(RunningTask &task, bool isOnThread);
  void endTask(RunningTask &task);
  void stop(RunningTask &task, bool keepsFiles);
  [[noreturn]] void fail(RunningTask &task, const std::string &what);
  void recordError(uint32_t task, std::string text);
  Status print() const;

  const SluiceTaskRunOptions options;
  Runtime &runtime;
  std::unique_ptr<RunningTask[]> tasks;
  /// The tasks of this rank, if not all run here.
  std::unique_ptr<RankedRun> ranked;
  Tuning *tuning = nullptr;
  /// If tasks are checked.
  std::unique_ptr<ArgumentCheck> check;
  bool succeeded = false;
  /// Its threads exist there only.
  const pid_t process = ::getpid();
  std::atomic<bool> isBusy{false};
  std::atomic<bool> hasFailed{false};
  std::mutex errorMutex;
  /// The first task in their order that failed, and its error.
  uint32_t failedTask = 0;
  std::string error;
};

/// Refuses tables of other versions, and such as make no sense.
Status checkProgram(const SluiceTaskProgram &program);
/// The runtime of task graphs for a number of workers (0: the environment
/// says); lives until the process ends.
Result<Runtime *> runtimeForTasks(unsigned numWorkers);
/// Writes what has been recorded so far.
Status writeTraceCopy(const char *path);
/// One of them, or null.
Runtime *anyRuntimeForTasks();
/// See sluiceParallelFor.
int32_t parallelFor(LoopBody body, void *context, int64_t begin, int64_t count);
/// Registers the handler that names the task which called `exit`.
void watchForExit();
/// Registers the handlers that name the task which crashed.
void watchForSignals();
/// While one exists, SIGINT and SIGTERM end runs between two tasks; where that
/// is their default action, they then end the process, and at once if they come
/// again. Not on several ranks, where the launcher ends all.
class StoppedBySignals {
public:
  StoppedBySignals();
  ~StoppedBySignals();
  StoppedBySignals(const StoppedBySignals &) = delete;
  StoppedBySignals &operator=(const StoppedBySignals &) = delete;
};
/// See sluiceTaskStop.
void stopRuns(int signal);
/// See sluiceTaskWithdrawStop.
void withdrawStop(int signal);
/// The signal that ends the runs that are going on; 0: none.
int stoppingSignal();
/// Gives this thread a stack for signal handlers, so that a stack overflow is
/// reported, too.
void prepareSignalStack();

} // namespace sluice::tasks

struct SluiceTaskRun {
  std::unique_ptr<sluice::tasks::Run> run;
  /// The message of the last call that failed.
  std::string error;
};

#endif // SLUICE_RUNTIME_TASKS_RUN_H
