//===- Interpreter.h - CPython on a dedicated thread ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All Python tasks of a process run on one thread, whichever worker runs the
// node. Libraries that depend on the thread (PETSc, MPI, SQLite, event loops)
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
  /// The one interpreter of the process; never destroyed.
  static Interpreter &get();

  /// Runs `body` on Python's thread, holding the GIL, and waits until it ends.
  /// The first call starts Python. Returns "", or the reason why `body` was not
  /// run.
  std::string run(const std::function<void()> &body);
  /// Runs `body` after the jobs posted before, holding the GIL, and does not
  /// wait. Does nothing if Python was not started.
  void post(std::function<void()> body);

  /// The module sluice_tasks; the caller must hold the GIL.
  PyObject *getHelper() const { return helper; }

  /// The state that a thread gives up during a run.
  struct Suspended {
    PyThreadState *state; ///< Null if the thread did not hold the GIL.
    bool isNested;        ///< it is Python's thread
  };
  /// Releases the GIL if this thread holds it.
  Suspended suspend();
  void resume(const Suspended &suspended);

  /// Ends the thread before a host that has started Python ends Python: Python
  /// then stops all threads that wait for the GIL, wherever they are.
  void finishBeforeHost();

private:
  enum class Outcome { None, Done, Refused };
  struct Job {
    std::function<void()> body; ///< null: ends Python
    Outcome *outcome;           ///< null if nobody waits
  };

  bool start(std::unique_lock<std::mutex> &lock);
  void serve();
  Outcome perform(Job &job);
  bool takeBack(const Outcome *outcome);
  std::string runHere(const std::function<void()> &body);
  std::string initialize();
  void finish();
  static void finishAtExit();
  void endThread();
  bool isOwnThread() const {
    return std::this_thread::get_id() == thread.get_id();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::thread thread;
  /// The reason why Python cannot be used. Python is not started again, since
  /// that would fail in the same way.
  std::string problem;
  enum class State { Idle, Starting, Ready, Failed, Ended } state = State::Idle;
  bool isTaskRunning = false;
  /// The number of graph runs that tasks on Python's thread have started.
  std::atomic<int> nestedRuns{0};
  bool isOwner = false; ///< True if Python was started here, not by the host.
  /// Forked children have no thread to end.
  int process = 0;
  PyObject *helper = nullptr;
};

} // namespace sluice::python

#endif // SLUICE_LIB_PYTHON_INTERPRETER_H
