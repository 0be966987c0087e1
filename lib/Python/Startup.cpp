//===- Startup.cpp - Starting CPython as Debian's python3 -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PYTHONHOME and PYTHONPATH often refer to another Python than the one this
// library is linked with, so the environment is ignored; programs name their
// folders themselves. Hashes are not randomised, so that sets of strings have
// the same order in every run.
//
//===----------------------------------------------------------------------===//

#include "Startup.h"

#include "sluice-c/TaskProgram.h"

#include <dlfcn.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

using namespace sluice;

std::string python::takeException() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  std::string text = type ? PyExceptionClass_Name(type) : "unknown error";
  if (PyObject *words = value ? PyObject_Str(value) : nullptr) {
    if (const char *utf8 = PyUnicode_AsUTF8(words))
      text += std::string(": ") + utf8;
    Py_DECREF(words);
  }
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return text;
}

/// Extension modules expect Python's symbols among the global ones. If this
/// library was opened by dlopen, they are not global yet.
static void showPythonToExtensions() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&Py_IsInitialized), &info) &&
      info.dli_fname)
    dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

static PyStatus configure() {
  PyPreConfig early;
  PyPreConfig_InitIsolatedConfig(&early);
  early.utf8_mode = 1;
  PyStatus status = Py_PreInitialize(&early);
  if (PyStatus_Exception(status))
    return status;
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.install_signal_handlers = 0;
  config.use_hash_seed = 1;
  config.hash_seed = 0;
  // Python derives its folders, including those of Debian's packages, from this
  // path.
  status = PyConfig_SetBytesString(&config, &config.executable,
                                   SLUICE_PYTHON_EXECUTABLE);
  char *arguments[] = {program_invocation_name};
  if (!PyStatus_Exception(status))
    status = PyConfig_SetBytesArgv(&config, 1, arguments);
  if (!PyStatus_Exception(status))
    status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  return status;
}

/// The first import of `signal` installs a handler for SIGINT; this restores
/// the old one.
static void keepInterrupt() {
  struct sigaction before;
  sigaction(SIGINT, nullptr, &before);
  PyObject *module = PyImport_ImportModule("_signal");
  PyObject *none =
      module ? PyObject_CallMethod(module, "signal", "ii", SIGINT, 0) : nullptr;
  if (!none)
    PyErr_Clear();
  Py_XDECREF(none);
  Py_XDECREF(module);
  sigaction(SIGINT, &before, nullptr);
}

std::string python::startPython() {
  showPythonToExtensions();
  PyStatus status = configure();
  if (!PyStatus_Exception(status)) {
    keepInterrupt();
    return "";
  }
  return std::string("cannot start Python: ") +
         (status.err_msg ? status.err_msg : "unknown reason");
}

/// The folder of the modules, next to this library.
static std::string moduleFolder() {
  Dl_info info;
  static const char anchor = 0;
  if (!dladdr(&anchor, &info) || !info.dli_fname)
    return "";
  char *path = realpath(info.dli_fname, nullptr);
  std::string folder = path ? path : info.dli_fname;
  free(path);
  return folder.substr(0, folder.rfind('/')) + "/sluice/python";
}

/// Prepares for being one of several ranks: see sluice_ranks.py. Returns false
/// with an exception set.
static bool workAlone() {
  if (sluiceTaskNumRanks() == 1)
    return true;
  PyObject *ranks = PyImport_ImportModule("sluice_ranks");
  PyObject *none =
      ranks ? PyObject_CallMethod(ranks, "work_alone", nullptr) : nullptr;
  const bool isDone = none != nullptr;
  Py_XDECREF(none);
  Py_XDECREF(ranks);
  return isDone;
}

PyObject *python::importHelper(std::string &error) {
  showPythonToExtensions(); // Needed even if the host has started Python.
  std::string folder = moduleFolder();
  PyObject *path = PySys_GetObject("path"); // borrowed
  PyObject *entry = PyUnicode_DecodeFSDefault(folder.c_str());
  PyObject *module = nullptr;
  if (path && entry && PyList_Append(path, entry) == 0 && workAlone())
    module = PyImport_ImportModule("sluice_tasks");
  Py_XDECREF(entry);
  if (!module)
    error =
        "cannot load sluice_tasks.py from '" + folder + "': " + takeException();
  return module;
}
