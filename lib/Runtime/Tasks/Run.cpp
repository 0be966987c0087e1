//===- Run.cpp - Runs of a task graph -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each run is one launch of the plan. Errors of tasks are kept here in the
// order of the tasks, so that the first of them is reported.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "../Execution/KernelCall.h"
#include "../Scheduling/Clock.h"
#include "PrintDatasets.h"
#include "Ranks/RankedRun.h"
#include "Ranks/TaskRanks.h"
#include "Tuning.h"

#include "sluice/Base/TaskRecord.h"
#include "sluice/Base/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

using namespace sluice;
using namespace sluice::tasks;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

const SluiceTaskRecord &RunningTask::record() const {
  return run->program.tasks[index];
}

std::string RunningTask::text() const {
  const SluiceTaskRecord &task = record();
  std::string place = task.location && *task.location
                          ? concat(" at ", task.location)
                          : std::string();
  return concat("task ", quoted(task.name), " (", task.kernel, place, ")",
                run->rankText);
}

void RunningTask::failed(const Status &status) { run->failed(*this, status); }

void RunningTask::addMessage(const char *text) {
  std::lock_guard lock(mutex);
  if (message.empty())
    message = text && *text ? text : "it failed";
}

std::string RunningTask::takeMessage() {
  std::lock_guard lock(mutex);
  return std::exchange(message, {});
}

void RunningTask::keepMemory(void *block) {
  std::lock_guard lock(mutex);
  memory.push_back(block);
}

void RunningTask::dropMemory(void *block) {
  std::lock_guard lock(mutex);
  std::erase(memory, block);
}

//===----------------------------------------------------------------------===//
// All runs of the process
//===----------------------------------------------------------------------===//

namespace {
/// Never destroyed: the process may end while runs go on.
struct AllRuns {
  std::mutex mutex;
  std::vector<Run *> runs;
  std::map<const SluiceTaskProgram *, unsigned> prepared;

  static AllRuns &get() {
    static AllRuns &all = *new AllRuns;
    return all;
  }
};
} // namespace

/// Notes on standard error which violations are not found in a program that was
/// not compiled to be checked.
static void noteUnchecked(const SluiceTaskProgram &program) {
  if (program.flags & SLUICE_TASK_PROGRAM_CHECKED)
    return;
  for (uint32_t i = 0; i < program.numTasks; ++i)
    if (program.tasks[i].kind == SLUICE_TASK_C ||
        program.tasks[i].kind == SLUICE_TASK_HPVM) {
      std::fprintf(stderr,
                   "sluice: note: SLUICE_CHECK=1 only compares datasets before "
                   "and after each task here, since the program was built "
                   "without --check; with it, and in runs, it follows each "
                   "access of C kernels\n");
      return;
    }
}

Result<std::unique_ptr<Run>> Run::create(const SluiceTaskProgram &program,
                                         const SluiceTaskRunOptions &options,
                                         const TaskRanks *ranks) {
  if (Status status = checkProgram(program); !status.ok())
    return status;
  Result<Runtime *> runtime = runtimeForTasks(options.numWorkers);
  if (!runtime.ok())
    return runtime.takeStatus();
  std::unique_ptr<Run> run(new Run(program, options, ranks, **runtime));
  bool isChecked = wantsArgumentCheck(program);
  if (Status status = run->datasets.allocate(/*hasMargins=*/isChecked);
      !status.ok())
    return status;
  if (isChecked) {
    noteUnchecked(program);
    run->check = std::make_unique<ArgumentCheck>(program, run->datasets);
  }
  if (Status status = (*runtime)->prepare(*program.plan); !status.ok())
    return status;
  AllRuns &all = AllRuns::get();
  std::lock_guard lock(all.mutex);
  all.runs.push_back(run.get());
  return run;
}

Run::Run(const SluiceTaskProgram &program, const SluiceTaskRunOptions &options,
         const TaskRanks *ranks, Runtime &runtime)
    : program(program), ranks(ranks),
      rankText(ranks ? concat(" on rank ", ranks->cluster.rank)
                     : std::string()),
      datasets({program.data, program.numData}, options.keepsData != 0,
               runtime.getRecorder() != nullptr),
      functions(program.numTasks), options(options), runtime(runtime),
      tasks(new RunningTask[program.numTasks]) {
  for (uint32_t i = 0; i < program.numTasks; ++i) {
    tasks[i].run = this;
    tasks[i].index = i;
  }
}

Run::~Run() {
  AllRuns &all = AllRuns::get();
  std::lock_guard lock(all.mutex);
  std::erase(all.runs, this);
  // Another program may be loaded at this address later.
  auto found = all.prepared.find(&program);
  if (found != all.prepared.end() &&
      std::none_of(all.runs.begin(), all.runs.end(), [this](const Run *run) {
        return &run->program == &program;
      }))
    all.prepared.erase(found);
}

void Run::prepareProgram() {
  AllRuns &all = AllRuns::get();
  std::lock_guard lock(all.mutex);
  if (!program.prepare || all.prepared[&program]++ != 0)
    return;
  program.prepare();
}

void Run::removeAllPartialFiles() {
  AllRuns &all = AllRuns::get();
  std::lock_guard lock(all.mutex);
  for (Run *run : all.runs)
    for (uint32_t i = 0; i < run->program.numTasks; ++i) {
      RunningTask &task = run->tasks[i];
      std::lock_guard taskLock(task.mutex);
      if (task.isRunning.load(std::memory_order_acquire))
        task.files.removeChanged();
    }
}

/// The process ends, and lists of files stay.
static constinit std::atomic<bool> isRemovingNewFiles{false};

void Run::removeAllNewFiles() {
  isRemovingNewFiles.store(true);
  AllRuns &all = AllRuns::get();
  if (!all.mutex.try_lock()) // the thread may hold it
    return;
  for (Run *run : all.runs)
    for (uint32_t i = 0; i < run->program.numTasks; ++i)
      if (run->tasks[i].isRunning.load())
        run->tasks[i].removeNewFiles();
  all.mutex.unlock();
}

RunningTask *Run::enteredTask() {
  AllRuns &all = AllRuns::get();
  std::lock_guard lock(all.mutex);
  for (Run *run : all.runs)
    for (uint32_t i = 0; i < run->program.numTasks; ++i)
      if (run->program.tasks[i].kind == SLUICE_TASK_HPVM &&
          run->tasks[i].isRunning.load(std::memory_order_acquire))
        return &run->tasks[i];
  return nullptr;
}

RunningTask *Run::crashedTask() {
  if (RunningTask *task = RunningTask::current())
    return task;
  const Worker *worker = Worker::current();
  AllRuns &all = AllRuns::get();
  // try_lock, since this thread may already hold the lock.
  if (!worker || !worker->insideKernel || !all.mutex.try_lock())
    return nullptr;
  RunningTask *found = nullptr;
  for (Run *run : all.runs)
    for (uint32_t i = 0; i < run->program.numTasks; ++i)
      if (!found && run->program.tasks[i].kind == SLUICE_TASK_HPVM &&
          run->tasks[i].isRunning.load(std::memory_order_acquire))
        found = &run->tasks[i];
  all.mutex.unlock();
  return found;
}

RunningTask *Run::onlyTask() {
  AllRuns &all = AllRuns::get();
  if (!all.mutex.try_lock()) // the thread may hold it
    return nullptr;
  RunningTask *found = nullptr;
  unsigned count = 0;
  for (Run *run : all.runs)
    for (uint32_t i = 0; i < run->program.numTasks; ++i)
      if (run->tasks[i].isRunning.load(std::memory_order_acquire)) {
        found = &run->tasks[i];
        ++count;
      }
  all.mutex.unlock();
  return count == 1 ? found : nullptr;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// Resets a variable when the scope is left.
template <typename Variable, typename Value> class Resetting {
public:
  Resetting(Variable &variable, Value value)
      : variable(variable), value(value) {}
  ~Resetting() { variable = value; }

private:
  Variable &variable;
  Value value;
};
} // namespace

Status Run::execute(Tuning *tuning) {
  if (process != ::getpid())
    return Status::misuse(
        concat("graph ", quoted(program.name),
               " in a forked process: its threads exist in the parent only; "
               "run graphs in one of the two"));
  if (isBusy.exchange(true, std::memory_order_acquire))
    return Status::misuse(
        concat("the run of graph ", quoted(program.name),
               " is going on: one object runs it once at a time; create "
               "another one to run it beside"));
  Resetting resetBusy(isBusy, false);
  this->tuning = tuning;
  if (Status status = checkApart(program, datasets.getBindings()); !status.ok())
    return status;
  return executeOnce();
}

Status Run::executeOnce() {
  succeeded = false;
  hasFailed.store(false, std::memory_order_relaxed);
  error.clear();
  if (ranks) {
    Result<bool> isShared = shareAmongRanks();
    if (!isShared.ok())
      return isShared.takeStatus();
    if (!*isShared && ranks->cluster.rank != 0)
      return {}; // all tasks run on rank 0
  }
  datasets.beginRun(ranked ? ranked->numUses() : std::span<const uint32_t>());
  prepareProgram();
  watchForExit();
  watchForSignals();
  const SluicePythonHooks *hooks = pythonHooks();
  void *state = hooks && hooks->begin ? hooks->begin(handle) : nullptr;
  Status status;
  {
    StoppedBySignals stopped;
    status = result(launch());
    if (int signal = stoppingSignal(); signal != 0 && !status.ok())
      status = Status::error(
          StatusCode::NodeFailed,
          concat("the run of graph ", quoted(program.name),
                 " was ended by a signal: ", ::sigdescr_np(signal)));
    datasets.endRun(status.ok());
    if (hooks && hooks->end)
      hooks->end(handle, state);
  }
  succeeded = status.ok();
  if (succeeded) {
    if (ranked)
      keepTaskTimes();
    status = print();
    datasets.endPrinting();
  }
  return status;
}

/// One task after another, as they stand.
bool Run::isSerial() const {
  return options.isSerial || tuning || check || sharesFiles();
}

/// False: rank 0 runs all tasks.
Result<bool> Run::shareAmongRanks() {
  const SluiceCluster &cluster = ranks->cluster;
  if (TaskRecord *all = theTaskRecord.load(std::memory_order_relaxed))
    for (uint32_t i = 0; i < program.numTasks; ++i)
      all->addName(program.tasks[i].name);
  Result<TaskMap> map = TaskMap::of(program);
  std::vector<uint32_t> places;
  Result<bool> isShared = agreeOnPlaces(
      *ranks, program, map, runtime.numWorkers(), isSerial(), places);
  if (isShared.ok() && *isShared)
    ranked = std::make_unique<RankedRun>(program, datasets, runtime, cluster,
                                         std::move(*map), std::move(places));
  return isShared;
}

/// What each task took where it ran.
void Run::keepTaskTimes() const {
  std::vector<uint64_t> times;
  for (uint32_t i = 0; i < program.numTasks; ++i)
    times.push_back(tasks[i].time);
  keepTimes(ranks->cluster, program, std::move(times));
}

/// True if a file that a task writes has another name elsewhere: a link, or a
/// path from another folder. The plan orders files by their names.
bool Run::sharesFiles() const {
  std::map<std::string, std::string> names; // by what they name
  std::set<std::string> written, shared;
  auto note = [&](const char *const *files, uint32_t count, bool isWritten) {
    for (uint32_t i = 0; i < count; ++i) {
      std::string file = fileIdentity(files[i]);
      if (isWritten)
        written.insert(file);
      std::string &first = names.try_emplace(file, files[i]).first->second;
      if (first != files[i])
        shared.insert(std::move(file));
    }
  };
  for (uint32_t i = 0; i < program.numTasks; ++i) {
    const SluiceTaskRecord &task = program.tasks[i];
    note(task.writtenFiles, task.numWrittenFiles, true);
    note(task.readFiles, task.numReadFiles, false);
  }
  return std::any_of(shared.begin(), shared.end(), [&](const auto &file) {
    return written.count(file) != 0;
  });
}

/// The arguments of the plan: see SluiceTaskProgram::plan.
Status Run::launch() {
  std::vector<uint64_t> arguments;
  arguments.reserve(2 * program.numData + 2);
  for (uint32_t i = 0; i < program.numData; ++i) {
    arguments.push_back(reinterpret_cast<uintptr_t>(datasets.address(i)));
    arguments.push_back(program.data[i].size);
  }
  arguments.push_back(reinterpret_cast<uintptr_t>(handle));
  arguments.push_back(0);
  if (ranked)
    return ranked->execute(arguments.data());
  if (Recorder *recorder = runtime.getRecorder())
    for (uint32_t i = 0; i < program.numData; ++i)
      if (program.data[i].kind == SLUICE_DATA_PYOBJ)
        recorder->leaveOut(
            datasets.address(i),
            concat("dataset ", quoted(program.data[i].name),
                   " is a Python object, which is not recorded"));
  Result<void *> graph =
      runtime.launch(program.plan, arguments.data(), nullptr,
                     isSerial() ? LaunchKind::Serial : LaunchKind::Tasks);
  return graph.ok() ? runtime.wait(*graph) : graph.takeStatus();
}

/// The result of the launch. A graph that is a task has nodes which do not know
/// its name.
Status Run::result(Status launched) {
  for (uint32_t i = 0; i < program.numTasks; ++i) {
    if (!tasks[i].isRunning.load(std::memory_order_acquire))
      continue;
    std::string message = tasks[i].takeMessage();
    if (!launched.ok())
      recordError(i, concat(tasks[i].text(), ": ",
                            message.empty() ? launched.message() : message));
    stop(tasks[i], launched.ok());
  }
  std::lock_guard lock(errorMutex);
  if (!error.empty())
    return Status::error(StatusCode::NodeFailed, error);
  return launched;
}

void Run::recordError(uint32_t task, std::string text) {
  std::lock_guard lock(errorMutex);
  if (error.empty() || task < failedTask) {
    error = std::move(text);
    failedTask = task;
  }
  hasFailed.store(true, std::memory_order_release);
}

/// What cannot be written is an error, as for all that prints its results.
Status Run::print() const {
  if (ranks && ranks->cluster.rank != 0)
    return {};
  for (uint32_t i = 0; i < program.numData; ++i) {
    if (!(program.data[i].flags & SLUICE_DATA_PRINT))
      continue;
    std::string text = textOf(program.data[i], datasets.address(i));
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0)
      return Status::error(StatusCode::System,
                           concat("cannot print ", quoted(program.data[i].name),
                                  ": ", systemErrorText(errno)));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// What leaves call
//===----------------------------------------------------------------------===//

void Run::beginTask(RunningTask &task, bool isOnThread) {
  if (hasFailed.load(std::memory_order_acquire) || stoppingSignal() != 0)
    throw KernelFailure{concat(task.text(), " was not begun")};
  const SluiceTaskRecord &record = program.tasks[task.index];
  for (uint32_t i = 0; i < record.numUses; ++i)
    datasets.beginUse(record.uses[i].data, record.uses[i].access);
  if (Recorder *recorder = runtime.getRecorder())
    for (uint32_t i = 0; i < record.numUses; ++i)
      recorder->firstUse(datasets.address(record.uses[i].data),
                         program.data[record.uses[i].data].size);
  if (record.numWrittenFiles) {
    std::lock_guard lock(task.mutex);
    task.files.begin(record.writtenFiles, record.numWrittenFiles);
  }
  if (ArgumentCheck *checking = getCheck())
    checking->begin(task, record);
  if (ranked)
    task.startTime = clockNanoseconds();
  Worker *worker = Worker::current();
  if (TaskRecord *all = theTaskRecord.load(std::memory_order_relaxed);
      all && worker) {
    task.worker = worker->index;
    all->begin(task.worker, record.name, 0, nullptr);
  }
  task.isRunning.store(true, std::memory_order_release);
  if (!isOnThread)
    return;
  prepareSignalStack();
  task.outer = RunningTask::current();
  RunningTask::setCurrent(&task);
}

/// Called when the task has ended.
void Run::stop(RunningTask &task, bool keepsFiles) {
  if (check)
    check->cancel();
  if (RunningTask::current() == &task)
    RunningTask::setCurrent(task.outer);
  if (TaskRecord *all = theTaskRecord.load(std::memory_order_relaxed))
    all->end(task.worker);
  {
    std::lock_guard lock(task.mutex);
    if (!keepsFiles)
      task.files.removeChanged();
    // Handlers of signals walk the files of tasks that run.
    task.isRunning.store(false);
    if (!isRemovingNewFiles.load())
      task.files.clear();
    // Memory of parts that were packed when the kernel threw.
    for (void *block : task.memory)
      std::free(block);
    task.memory.clear();
  }
}

void Run::endTask(RunningTask &task) {
  if (ArgumentCheck *checking = getCheck()) {
    // Violations of graphs and grids; those of calls were reported before.
    std::string found = task.takeMessage();
    if (found.empty())
      found = checking->end(task.index);
    if (!found.empty())
      fail(task, found);
  }
  stop(task, true);
  if (ranked)
    task.time = std::max<uint64_t>(1, clockNanoseconds() - task.startTime);
  const SluiceTaskRecord &record = program.tasks[task.index];
  for (uint32_t i = 0; i < record.numUses; ++i)
    datasets.endUse(record.uses[i].data);
}

void Run::fail(RunningTask &task, const std::string &what) {
  std::string text = concat(task.text(), ": ", what);
  recordError(task.index, text);
  stop(task, false);
  throw KernelFailure{std::move(text)};
}

void Run::failed(RunningTask &task, const Status &status) {
  std::string message = task.takeMessage();
  // A violation that a check found is reported before its consequences.
  recordError(task.index, getCheck() && !message.empty()
                              ? concat(task.text(), ": ", message)
                              : status.message());
  stop(task, false);
}

int32_t Run::begin(uint32_t index) {
  beginTask(tasks[index], true);
  return tuning ? tuning->begin(index) : 0;
}

int32_t Run::end(uint32_t index, int32_t status) {
  RunningTask &task = tasks[index];
  std::string message = task.takeMessage();
  if (status && message.empty())
    message = concat("the kernel returned ", status);
  if (tuning) {
    int32_t next = tuning->end(index, message);
    if (next >= 0)
      return next;
  }
  if (!message.empty())
    fail(task, message);
  endTask(task);
  return -1;
}

void Run::enter(uint32_t index) { beginTask(tasks[index], false); }
void Run::leave(uint32_t index) { endTask(tasks[index]); }
