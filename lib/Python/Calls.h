//===- Calls.h - Calls on Python's thread -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls of Python functions by all kinds of tasks share.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHON_CALLS_H
#define SLUICE_LIB_PYTHON_CALLS_H

#include "Interpreter.h"
#include "Views.h"

namespace sluice::python {

/// Runs `body` on Python's thread and takes back the views that it has made.
/// Returns the error: that of `body`, or a reason of its own.
std::string callPython(const std::function<std::string(Views &)> &body);

/// A number by value, as a new reference.
PyObject *numberOf(const SluicePythonArgument &argument);

/// The error that the helper returned, None or a text; null: the current
/// exception.
std::string textOf(PyObject *result);

/// Folders of modules. The executable may have been moved together with some of
/// them. A folder that does not exist is replaced by one next to or below the
/// executable that has the same trailing path.
std::string modulePath(const char *folders);

} // namespace sluice::python

#endif // SLUICE_LIB_PYTHON_CALLS_H
