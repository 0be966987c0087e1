//===- Interpreter.h - CPython on a thread of its own -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All Python tasks of a process run on one thread, whichever worker asks for
// them: libraries that belong to a thread (PETSc, MPI, SQLite, event loops)
// then behave the same in every run. The GIL is held only while a task runs.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHON_INTERPRETER_H
#define SLUICE_LIB_PYTHON_INTERPRETER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sluice::python {

class Interpreter {
public:
  /// The only one; never destroyed.
  static Interpreter &get();

  /// Runs `body` under the GIL and waits for its end. Starts Python the first
  /// time. Empty, or why `body` was not run.
  std::string run(const std::function<void()> &body);
  /// Runs `body` under the GIL after what was asked for before, and does not
  /// wait. Nothing happens without a started Python.
  void post(std::function<void()> body);

  /// The module sluice_tasks; to be used under the GIL.
  PyObject *getHelper() const { return helper; }

  /// Around a run on this thread: lets go of the GIL if this thread has it.
  PyThreadState *suspend();
  void resume(PyThreadState *state);

private:
  enum class Outcome { None, Done, Refused };
  struct Job {
    std::function<void()> body; ///< null: ends Python
    Outcome *outcome;           ///< null if nobody waits
  };

  bool start(std::unique_lock<std::mutex> &lock);
  void serve();
  Outcome perform(Job &job);
  std::string initialize();
  void finish();
  static void finishAtExit();
  bool isOwnThread() const {
    return std::this_thread::get_id() == thread.get_id();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::thread thread;
  /// Why Python cannot be used; a new attempt would fail the same way.
  std::string problem;
  enum class State { Idle, Starting, Ready, Failed, Ended } state = State::Idle;
  bool isTaskRunning = false;
  /// A task on the own thread runs a graph itself.
  std::atomic<int> nestedRuns{0};
  bool isOwner = false; ///< Python was started here, not by the host
  PyObject *helper = nullptr;
};

} // namespace sluice::python

#endif // SLUICE_LIB_PYTHON_INTERPRETER_H
