//===- Interpreter.cpp - CPython on a dedicated thread --------------------===//
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

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <unistd.h>

using namespace sluice::python;

Interpreter &Interpreter::get() {
  static auto *interpreter = new Interpreter;
  return *interpreter;
}

bool Interpreter::start(std::unique_lock<std::mutex> &lock) {
  if (state == State::Idle) {
    state = State::Starting;
    try {
      process = getpid();
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

static PyObject *finishFromPython(PyObject *, PyObject *) {
  Py_BEGIN_ALLOW_THREADS;
  Interpreter::get().finishBeforeHost();
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

/// Tells the helper that the host started Python, and makes the host call
/// finishFromPython before it ends.
static bool beGuest(PyObject *helper, std::string &error) {
  static PyMethodDef method = {"finish_sluice", finishFromPython, METH_NOARGS,
                               nullptr};
  PyObject *told = PyObject_CallMethod(helper, "be_guest", nullptr);
  PyObject *module = told ? PyImport_ImportModule("atexit") : nullptr;
  PyObject *function = module ? PyCFunction_New(&method, nullptr) : nullptr;
  PyObject *result =
      function ? PyObject_CallMethod(module, "register", "O", function)
               : nullptr;
  if (!result)
    error = "cannot register what ends Python's tasks: " + takeException();
  Py_XDECREF(result);
  Py_XDECREF(function);
  Py_XDECREF(module);
  Py_XDECREF(told);
  return error.empty();
}

std::string Interpreter::initialize() {
  isOwner = !Py_IsInitialized();
  if (!isOwner)
    PyGILState_Ensure();
  else if (std::string error = startPython(); !error.empty())
    return error;
  std::string error;
  helper = importHelper(error);
  if (!isOwner && helper && !beGuest(helper, error))
    helper = nullptr;
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
  if (nestedRuns > 0) // Python's thread waits for this run
    return runHere(body);
  std::unique_lock<std::mutex> lock(mutex);
  if (!start(lock))
    return state == State::Failed ? problem : "Python has ended already";
  Outcome outcome = Outcome::None;
  jobs.push_back({body, &outcome});
  changed.notify_all();
  changed.wait(lock,
               [&] { return outcome != Outcome::None || nestedRuns > 0; });
  // All workers may be here while Python's thread waits for one of them.
  if (outcome == Outcome::None && takeBack(&outcome)) {
    lock.unlock();
    return runHere(body);
  }
  changed.wait(lock, [&] { return outcome != Outcome::None; });
  return outcome == Outcome::Done ? "" : "Python has ended already";
}

/// Returns true if the job had not begun; then no other thread will start it.
bool Interpreter::takeBack(const Outcome *outcome) {
  auto job = std::find_if(jobs.begin(), jobs.end(), [&](const Job &one) {
    return one.outcome == outcome;
  });
  if (job == jobs.end())
    return false;
  jobs.erase(job);
  return true;
}

std::string Interpreter::runHere(const std::function<void()> &body) {
  PyGILState_STATE gil = PyGILState_Ensure();
  body();
  PyGILState_Release(gil);
  return "";
}

void Interpreter::post(std::function<void()> body) {
  std::lock_guard<std::mutex> lock(mutex);
  if (state != State::Ready)
    return;
  jobs.push_back({std::move(body), nullptr});
  changed.notify_all();
}

/// A host may have released the GIL itself, so the GIL does not tell whether
/// this is Python's thread.
Interpreter::Suspended Interpreter::suspend() {
  if (!Py_IsInitialized())
    return {nullptr, false};
  const bool isNested = isOwnThread();
  if (isNested) {
    std::lock_guard<std::mutex> lock(mutex);
    ++nestedRuns;
    changed.notify_all();
  }
  PyThreadState *own = PyGILState_GetThisThreadState();
  const bool hasGIL = own && own == _PyThreadState_UncheckedGet();
  return {hasGIL ? PyEval_SaveThread() : nullptr, isNested};
}

void Interpreter::resume(const Suspended &suspended) {
  if (suspended.state)
    PyEval_RestoreThread(suspended.state);
  if (suspended.isNested)
    --nestedRuns;
}

/// Runs on Python's thread, as its last job.
void Interpreter::finish() {
  if (!isOwner || !Py_IsInitialized())
    return;
  PyGILState_Ensure();
  if (Views::isAnyKept()) // The memory of kept views may be gone; their task
                          // has failed.
    return;
  Py_FinalizeEx(); // runs atexit functions, flushes; prints its own problems
}

/// Ends Python, unless a task is running: in this case another task has called
/// exit(), and the running one might take arbitrarily long.
void Interpreter::endThread() {
  std::unique_lock<std::mutex> lock(mutex);
  if (state != State::Ready || isTaskRunning || isOwnThread()) {
    state = State::Ended;
    changed.notify_all();
    return;
  }
  Outcome outcome = Outcome::None;
  jobs.push_back({nullptr, &outcome});
  changed.notify_all();
  changed.wait(lock, [&] { return outcome != Outcome::None; });
  state = State::Ended;
  changed.notify_all();
  lock.unlock();
  thread.join();
}

void Interpreter::finishAtExit() {
  if (getpid() == get().process)
    get().endThread();
}

void Interpreter::finishBeforeHost() {
  if (getpid() == process)
    endThread();
}
