//===- Interpreter.cpp - CPython on a thread of its own -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts Python on its thread, passes jobs to it, and ends both when the
// process ends.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "Startup.h"
#include "Views.h"

#include <cstdlib>
#include <system_error>

using namespace sluice::python;

Interpreter &Interpreter::get() {
  static auto *interpreter = new Interpreter;
  return *interpreter;
}

bool Interpreter::start(std::unique_lock<std::mutex> &lock) {
  if (state == State::Idle) {
    state = State::Starting;
    try {
      thread = std::thread([this] { serve(); });
    } catch (const std::system_error &error) {
      problem = std::string("cannot start the thread of Python: ") +
                error.code().message();
      state = State::Failed;
      return false;
    }
    // Registered after libpython was loaded, so Python ends before the
    // destructors of its library run.
    std::atexit(finishAtExit);
  }
  changed.wait(lock, [this] { return state != State::Starting; });
  return state == State::Ready;
}

std::string Interpreter::initialize() {
  isOwner = !Py_IsInitialized();
  if (!isOwner)
    PyGILState_Ensure();
  else if (std::string error = startPython(); !error.empty())
    return error;
  std::string error;
  helper = importHelper(error);
  // The thread state is kept: a later PyGILState_Ensure uses it.
  PyEval_SaveThread();
  return error;
}

Interpreter::Outcome Interpreter::perform(Job &job) {
  if (!job.body) {
    finish();
    return Outcome::Done;
  }
  if (!Py_IsInitialized())
    return Outcome::Refused;
  PyGILState_STATE gil = PyGILState_Ensure();
  job.body();
  job.body = nullptr;
  PyGILState_Release(gil);
  return Outcome::Done;
}

void Interpreter::serve() {
  std::string error = initialize();
  std::unique_lock<std::mutex> lock(mutex);
  problem = error;
  state = error.empty() ? State::Ready : State::Failed;
  changed.notify_all();
  while (state == State::Ready) {
    changed.wait(lock,
                 [this] { return !jobs.empty() || state != State::Ready; });
    if (jobs.empty())
      break;
    Job job = std::move(jobs.front());
    jobs.pop_front();
    isTaskRunning = job.body && job.outcome;
    lock.unlock();
    Outcome outcome = perform(job);
    lock.lock();
    isTaskRunning = false;
    if (job.outcome)
      *job.outcome = outcome;
    changed.notify_all();
  }
}

std::string Interpreter::run(const std::function<void()> &body) {
  if (nestedRuns > 0) { // Python's thread waits for this run
    PyGILState_STATE gil = PyGILState_Ensure();
    body();
    PyGILState_Release(gil);
    return "";
  }
  std::unique_lock<std::mutex> lock(mutex);
  if (!start(lock))
    return state == State::Failed ? problem : "Python has ended already";
  Outcome outcome = Outcome::None;
  jobs.push_back({body, &outcome});
  changed.notify_all();
  changed.wait(lock, [&] { return outcome != Outcome::None; });
  return outcome == Outcome::Done ? "" : "Python has ended already";
}

void Interpreter::post(std::function<void()> body) {
  std::lock_guard<std::mutex> lock(mutex);
  if (state != State::Ready)
    return;
  jobs.push_back({std::move(body), nullptr});
  changed.notify_all();
}

PyThreadState *Interpreter::suspend() {
  if (!Py_IsInitialized())
    return nullptr;
  PyThreadState *own = PyGILState_GetThisThreadState();
  if (!own || own != _PyThreadState_UncheckedGet())
    return nullptr;
  if (isOwnThread())
    ++nestedRuns;
  return PyEval_SaveThread();
}

void Interpreter::resume(PyThreadState *saved) {
  if (!saved)
    return;
  PyEval_RestoreThread(saved);
  if (isOwnThread())
    --nestedRuns;
}

/// Runs on Python's thread, as its last job.
void Interpreter::finish() {
  if (!isOwner || !Py_IsInitialized())
    return;
  PyGILState_Ensure();
  if (Views::isAnyKept()) // of memory that may be gone; its task has failed
    return;
  Py_FinalizeEx(); // runs atexit functions, flushes; prints its own problems
}

/// Ends Python, unless a task is running: then another task has called exit(),
/// and the running one might take any time.
void Interpreter::finishAtExit() {
  Interpreter &self = get();
  std::unique_lock<std::mutex> lock(self.mutex);
  if (self.state != State::Ready || self.isTaskRunning || self.isOwnThread()) {
    self.state = State::Ended;
    self.changed.notify_all();
    return;
  }
  Outcome outcome = Outcome::None;
  self.jobs.push_back({nullptr, &outcome});
  self.changed.notify_all();
  self.changed.wait(lock, [&] { return outcome != Outcome::None; });
  self.state = State::Ended;
  self.changed.notify_all();
  lock.unlock();
  self.thread.join();
}
