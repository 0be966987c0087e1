//===- Startup.h - Starting CPython as Debian's python3 ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configures and starts CPython, and imports the helper module.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHON_STARTUP_H
#define SLUICE_LIB_PYTHON_STARTUP_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

namespace sluice::python {

/// Starts Python on this thread, which then holds the GIL. Returns "", or the
/// error.
std::string startPython();

/// Imports sluice_tasks from its folder next to this library. Returns null and
/// sets `error` if that fails.
PyObject *importHelper(std::string &error);

/// Returns the current exception, with its type, as text, and clears it.
std::string takeException();

} // namespace sluice::python

#endif // SLUICE_LIB_PYTHON_STARTUP_H
