//===- Views.h - Memory of datasets as memoryviews --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A memoryview gives a Python function access to a dataset's memory without a
// copy. It must not be used after the task. So views are counted: when a task
// ends, memoryviews that Python code kept are released, and an array made from
// one is reported.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHON_VIEWS_H
#define SLUICE_LIB_PYTHON_VIEWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "sluice-c/TaskProgram.h"

#include <memory>
#include <vector>

namespace sluice::python {

/// The views that one task has received.
class Views {
public:
  ~Views();
  /// Returns a memoryview of argument `index`, an array or a scalar by
  /// reference, as a new reference; null with an exception set on failure.
  /// The memory is alive as long as `owner`, which what is kept keeps, too.
  PyObject *create(const SluicePythonArgument &argument, int index,
                   std::shared_ptr<const void> owner = nullptr);
  /// Releases all views. Returns the first argument that is still in use, or
  /// -1.
  int release();
  /// True if memory of an earlier task is still in use.
  static bool isAnyKept();

private:
  struct Entry {
    PyObject *exporter;
    PyObject *view;
    int argument;
  };
  std::vector<Entry> entries;
};

} // namespace sluice::python

#endif // SLUICE_LIB_PYTHON_VIEWS_H
