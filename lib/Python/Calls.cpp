//===- Calls.cpp - Python and finite-element tasks ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that generated code calls. The Python side, sluice_tasks.py,
// finds and calls the user's function and returns None, or an error as text.
//
//===----------------------------------------------------------------------===//

#include "Calls.h"
#include "Startup.h"
#include "sluice/Base/Store.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>
#include <unistd.h>

using namespace sluice;
using namespace sluice::python;

namespace {
/// One call of the helper on Python's thread.
struct PythonCall {
  const char *method; ///< of sluice_tasks
  SluiceTaskRun *run;
  const char *module, *function;
  const char *generator; ///< null for Python tasks
  const SluicePythonArgument *arguments;
  uint32_t count;
  PyObject *callable = nullptr; ///< Replaces the module's function.
};
} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

template <typename T> static T valueAt(const void *memory) {
  T value;
  memcpy(&value, memory, sizeof value);
  return value;
}

static PyObject *signedNumber(const SluicePythonArgument &argument) {
  switch (argument.elementBits) {
  case 8:
    return PyLong_FromLong(valueAt<int8_t>(argument.memory));
  case 16:
    return PyLong_FromLong(valueAt<int16_t>(argument.memory));
  case 32:
    return PyLong_FromLong(valueAt<int32_t>(argument.memory));
  default:
    return PyLong_FromLongLong(valueAt<int64_t>(argument.memory));
  }
}

static PyObject *unsignedNumber(const SluicePythonArgument &argument) {
  switch (argument.elementBits) {
  case 8:
    return PyLong_FromLong(valueAt<uint8_t>(argument.memory));
  case 16:
    return PyLong_FromLong(valueAt<uint16_t>(argument.memory));
  case 32:
    return PyLong_FromUnsignedLong(valueAt<uint32_t>(argument.memory));
  default:
    return PyLong_FromUnsignedLongLong(valueAt<uint64_t>(argument.memory));
  }
}

PyObject *python::numberOf(const SluicePythonArgument &argument) {
  if (argument.elementKind == SLUICE_ELEMENT_INT)
    return signedNumber(argument);
  if (argument.elementKind == SLUICE_ELEMENT_UINT)
    return unsignedNumber(argument);
  return PyFloat_FromDouble(argument.elementBits == 32
                                ? valueAt<float>(argument.memory)
                                : valueAt<double>(argument.memory));
}

/// The dictionary in a dataset's cell, made at its first use. Tasks that only
/// read it may run in any order; they cannot add or replace entries.
static PyObject *dictionary(const SluicePythonArgument &argument) {
  auto *cell = static_cast<PyObject **>(argument.memory);
  if (!*cell)
    *cell = PyDict_New();
  if (*cell && argument.isReadOnly)
    return PyDictProxy_New(*cell);
  Py_XINCREF(*cell);
  return *cell;
}

/// Returns a tuple, or null with an exception set.
static PyObject *argumentsOf(const PythonCall &call, Views &views) {
  PyObject *tuple = PyTuple_New(call.count);
  for (uint32_t i = 0; tuple && i < call.count; ++i) {
    const SluicePythonArgument &argument = call.arguments[i];
    PyObject *value = argument.kind == SLUICE_PYTHON_OBJECT
                          ? dictionary(argument)
                      : argument.kind == SLUICE_PYTHON_ARRAY
                          ? views.create(argument, static_cast<int>(i))
                          : numberOf(argument);
    if (!value)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, value);
  }
  return tuple;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Folder of compiled forms; empty if there is no cache.
static std::string formFolder() {
  Store store(StoreKind::Forms);
  return store.prepare().ok() ? store.getFolder() : "";
}

std::string python::modulePath(const char *folders) {
  namespace fs = std::filesystem;
  std::error_code failed, ignored;
  fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  std::string path;
  std::istringstream list(folders ? folders : "");
  for (std::string folder; std::getline(list, folder, ':');) {
    if (!failed && !fs::is_directory(folder, ignored)) {
      fs::path end;
      fs::path rest = fs::path(folder).lexically_normal();
      fs::path found = program;
      // Tries the longest common trailing path first.
      for (; rest.has_relative_path(); rest = rest.parent_path()) {
        end = end.empty() ? rest.filename() : rest.filename() / end;
        if (fs::is_directory(program / end, ignored))
          found = program / end;
      }
      folder = found.string();
    }
    path += path.empty() ? folder : ":" + folder;
  }
  return path;
}

/// Calls the helper. Returns None or a text; null with an exception set.
static PyObject *callHelper(const PythonCall &call, PyObject *arguments) {
  PyObject *helper = Interpreter::get().getHelper();
  if (call.callable)
    return PyObject_CallMethod(helper, call.method, "OO", call.callable,
                               arguments);
  std::string path = modulePath(sluiceTaskRunProgram(call.run)->pythonPath);
  PyObject *run = PyLong_FromVoidPtr(call.run);
  PyObject *result =
      call.generator
          ? PyObject_CallMethod(helper, call.method, "sNssss(N)", path.c_str(),
                                run, call.module, call.generator, call.function,
                                formFolder().c_str(),
                                PySequence_GetItem(arguments, 0))
          : PyObject_CallMethod(helper, call.method, "sNssO", path.c_str(), run,
                                call.module, call.function, arguments);
  return result;
}

std::string python::textOf(PyObject *result) {
  if (!result)
    return takeException();
  const char *text =
      result == Py_None ? "" : PyUnicode_AsUTF8(result); // escaped by helper
  return text ? text : takeException();
}

static std::string complainKept(int argument) {
  return "the function kept a view of argument " +
         std::to_string(argument + 1) +
         " beyond its end, such as a NumPy array made from it; keep a copy "
         "instead: numpy.array(x)";
}

/// If a task called fork(), its function returns in the child as well; the
/// child has no graph to continue and ends here.
static void endForkedChild(const std::string &error) {
  if (!error.empty())
    fprintf(stderr, "sluice: error: in a forked process: %s\n", error.c_str());
  fflush(nullptr);
  _exit(error.empty() ? 0 : 1);
}

/// What is said of calls after a view was kept. They may be the first to report
/// a failure, so that it names the argument, too.
static std::string complainEarlier(int argument) {
  return "an earlier task kept a view of argument " +
         std::to_string(argument + 1) +
         " beyond its end, so Python cannot run any more; keep a copy "
         "instead: numpy.array(x)";
}

static std::string perform(const std::function<std::string(Views &)> &body) {
  static int keptFirst = 0; // The interpreter's lock is held.
  if (Views::isAnyKept())
    return complainEarlier(keptFirst);
  pid_t process = getpid();
  Views views;
  std::string error = body(views);
  if (getpid() != process)
    endForkedChild(error);
  int kept = views.release();
  if (kept < 0)
    return error;
  keptFirst = kept;
  return error.empty() ? complainKept(kept) : error;
}

std::string
python::callPython(const std::function<std::string(Views &)> &body) {
  fflush(stdout); // The output of C tasks comes first.
  std::string error;
  std::string problem = Interpreter::get().run([&] { error = perform(body); });
  return problem.empty() ? error : problem;
}

static int32_t finishCall(const PythonCall &call) {
  std::string problem = callPython([&](Views &views) {
    PyObject *arguments = argumentsOf(call, views);
    PyObject *result = arguments ? callHelper(call, arguments) : nullptr;
    std::string error = textOf(result);
    Py_XDECREF(result);
    Py_XDECREF(arguments);
    return error;
  });
  if (problem.empty())
    return 0;
  sluiceTaskError(problem.c_str());
  return 1;
}

extern "C" int32_t sluicePythonCall(SluiceTaskRun *run, const char *module,
                                    const char *function,
                                    const SluicePythonArgument *arguments,
                                    uint32_t count) {
  PythonCall call{"call", run, module, function, nullptr, arguments, count};
  if (!strcmp(module, SLUICE_PYTHON_HERE)) {
    call.method = "call_object";
    call.callable = static_cast<PyObject *>(sluiceTaskCurrentFunction());
    if (!call.callable) {
      sluiceTaskError("the function exists in the process only that described "
                      "the graph");
      return 1;
    }
  }
  return finishCall(call);
}

extern "C" int32_t sluicePythonAssemble(SluiceTaskRun *run, const char *module,
                                        const char *generator,
                                        const char *kernel,
                                        const SluicePythonArgument *arguments,
                                        uint32_t count) {
  if (count != 1 || arguments[0].kind != SLUICE_PYTHON_OBJECT) {
    sluiceTaskError("a finite-element task takes one PyObj");
    return 1;
  }
  PythonCall call{"assemble", run, module, kernel, generator, arguments, count};
  return finishCall(call);
}

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

/// Calls a function of the helper that never fails.
static void tell(const char *method, PyObject *argument) {
  PyObject *helper = Interpreter::get().getHelper();
  PyObject *result = PyObject_CallMethod(helper, method, "O", argument);
  if (!result)
    PyErr_Clear();
  Py_XDECREF(result);
}

static void releaseObject(void *object) {
  Interpreter::get().post([object] {
    auto *entry = static_cast<PyObject *>(object);
    tell("release", entry);
    Py_DECREF(entry);
  });
}

static void *beginRun(SluiceTaskRun *) {
  Interpreter::Suspended suspended = Interpreter::get().suspend();
  return suspended.state || suspended.isNested
             ? new Interpreter::Suspended(suspended)
             : nullptr;
}

static void endRun(SluiceTaskRun *run, void *state) {
  std::unique_ptr<Interpreter::Suspended> suspended(
      static_cast<Interpreter::Suspended *>(state));
  if (suspended)
    Interpreter::get().resume(*suspended);
  Interpreter::get().post([run] {
    PyObject *key = PyLong_FromVoidPtr(run);
    if (key)
      tell("end", key);
    Py_XDECREF(key);
  });
}

/// Keeps MPI from loading OpenCL. MPI asks hwloc for devices, and hwloc loads
/// OpenCL drivers, which load another LLVM and clang. If the process also
/// contains Sluice's LLVM (TaskGraph::run), each copy frees objects of the
/// other at exit. Nothing here needs hwloc's list.
static void leaveOutOpenCL() {
  setenv("HWLOC_COMPONENTS", "-opencl", /*overwrite=*/0);
}

__attribute__((constructor)) static void registerHooks() {
  leaveOutOpenCL();
  static const SluicePythonHooks hooks{releaseObject, beginRun, endRun};
  sluiceSetPythonHooks(&hooks);
}
