//===- Startup.h - Starts CPython as Debian's python3 -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHON_STARTUP_H
#define SLUICE_LIB_PYTHON_STARTUP_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

namespace sluice::python {

/// Starts Python on this thread, which holds the GIL then. Empty, or what went
/// wrong.
std::string startPython();

/// Imports sluice_tasks from its folder beside this library. Null, and the
/// reason in `error`.
PyObject *importHelper(std::string &error);

/// Takes the exception that is set, with its type, as text; clears it.
std::string takeException();

} // namespace sluice::python

#endif // SLUICE_LIB_PYTHON_STARTUP_H
