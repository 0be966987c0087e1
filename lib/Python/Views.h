//===- Views.h - Memory of datasets as memoryviews --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A memoryview shows a dataset's memory to a Python function without a copy,
// and must not outlive the task. So views are counted: a memoryview that was
// kept is released, and an array made from one is found.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHON_VIEWS_H
#define SLUICE_LIB_PYTHON_VIEWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "sluice-c/TaskGraph.h"

#include <vector>

namespace sluice::python {

/// The views that one task has been given.
class Views {
public:
  ~Views();
  /// A memoryview of argument `index`, an array or a scalar by reference: a new
  /// reference, or null with an exception set.
  PyObject *create(const SluicePythonArgument &argument, int index);
  /// Releases all views. The first argument that is still in use, or -1.
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
