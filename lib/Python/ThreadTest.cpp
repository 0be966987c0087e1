//===- ThreadTest.cpp - Python concurrently with other tasks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python tasks while C tasks run, in hosts that hold the GIL, and graphs run by
// tasks.
//
//===----------------------------------------------------------------------===//

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "PythonTest.h"

#include <thread>

using namespace sluice::python::test;

namespace {
class ThreadTest : public PythonTest {};
} // namespace

static SluicePythonArgument cell(int32_t &value) {
  return {SLUICE_PYTHON_ARRAY,        SLUICE_ELEMENT_INT, 32, 0, &value,
          {0, 4, 0, nullptr, nullptr}};
}

// Each side waits for the other, so neither may block the other.
TEST_F(ThreadTest, OtherTasksRunBesidePython) {
  write("flags", R"(
def flags(mine, other):
    mine[()] = 1
    while other[()] == 0:
        pass
)");
  int32_t python = 0, c = 0;
  std::thread task([&] {
    while (!__atomic_load_n(&python, __ATOMIC_ACQUIRE))
      std::this_thread::yield();
    __atomic_store_n(&c, 1, __ATOMIC_RELEASE);
  });
  EXPECT_EQ(call("flags", "flags", {cell(python), cell(c)}), "");
  task.join();
  EXPECT_EQ(python, 1);
}

TEST_F(ThreadTest, TasksOfManyWorkersTakeTurns) {
  write("turns", R"(
import time
running = 0
def turn(state):
    global running
    assert running == 0
    running = 1
    time.sleep(0) # lets go of the GIL
    running = 0
    state["n"] = state.get("n", 0) + 1
def total(state): assert state["n"] == 400, state["n"]
)");
  Object state;
  SluicePythonArgument argument = state.argument();
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] {
      for (int k = 0; k < 100; ++k)
        EXPECT_EQ(call("turns", "turn", {argument}), "");
    });
  for (std::thread &worker : workers)
    worker.join();
  EXPECT_EQ(call("turns", "total", {argument}), "");
}

// A host that holds the GIL while it runs a graph must not wait for itself.
/// Functions that no module has, which the program of the graph knows.
TEST_F(ThreadTest, FunctionsOfThisProcess) {
  write("here", "calls = []\ndef here(): calls.append(1)\n"
                "def check(): assert calls == [1]\n");
  EXPECT_EQ(call("here", "check"), call("here", "check")); // Python has started
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *module = PyImport_ImportModule("here");
  PyObject *function = PyObject_GetAttrString(module, "here");
  PyGILState_Release(gil);
  EXPECT_EQ(call(SLUICE_PYTHON_HERE, "here"),
            "the function exists in the process only that described the graph");
  currentFunction = function;
  EXPECT_EQ(call(SLUICE_PYTHON_HERE, "here"), "");
  currentFunction = nullptr;
  EXPECT_EQ(call("here", "check"), "");
  gil = PyGILState_Ensure();
  Py_DECREF(function);
  Py_DECREF(module);
  PyGILState_Release(gil);
}

TEST_F(ThreadTest, RunOfAHostThatHoldsTheGIL) {
  drain();
  write("hosted", "def hosted(): pass\n");
  PyGILState_STATE gil = PyGILState_Ensure();
  void *state = hooks->begin(&run);
  EXPECT_NE(state, nullptr);
  EXPECT_EQ(call("hosted", "hosted"), "");
  hooks->end(&run, state);
  EXPECT_TRUE(PyGILState_Check());
  PyGILState_Release(gil);
  EXPECT_EQ(hooks->begin(&run), nullptr);
}

static ThreadTest *current;

static PyObject *runNested(PyObject *, PyObject *) {
  void *state = hooks->begin(&current->run);
  std::string error;
  std::thread worker([&] { error = current->call("nested", "inner"); });
  worker.join();
  hooks->end(&current->run, state);
  return PyUnicode_FromString(error.c_str());
}

// A task that runs a graph with Python tasks itself.
TEST_F(ThreadTest, GraphInsideATask) {
  write("nested", R"(
called = []
def inner(): called.append(1)
def outer():
    import builtins
    assert builtins.run_nested() == ""
    assert called == [1]
)");
  drain();
  static PyMethodDef method{"run_nested", runNested, METH_NOARGS, nullptr};
  PyGILState_STATE gil = PyGILState_Ensure();
  PyObject *function = PyCFunction_New(&method, nullptr);
  PyObject *builtins = PyImport_ImportModule("builtins");
  PyObject_SetAttrString(builtins, "run_nested", function);
  Py_DECREF(builtins);
  Py_DECREF(function);
  PyGILState_Release(gil);
  current = this;
  EXPECT_EQ(call("nested", "outer"), "");
}
