//===- CoreModule.h - The parts of the module sluice._core ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module is a thin layer over the C++ interface of task graphs and the C
// interface of layouts. Users see the Python package around it.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_PYTHONMODULE_COREMODULE_H
#define SLUICE_LIB_PYTHONMODULE_COREMODULE_H

#include <pybind11/pybind11.h>

#include <string>

namespace sluice::pymodule {

/// Releases the GIL during its lifetime. Unlike with pybind11's class, the
/// thread may end within the destructor: once Python ends, it ends threads that
/// want the GIL.
class ReleasedGIL {
public:
  ReleasedGIL() : state(PyEval_SaveThread()) {}
  ~ReleasedGIL() noexcept(false) { PyEval_RestoreThread(state); }
  ReleasedGIL(const ReleasedGIL &) = delete;

private:
  PyThreadState *state;
};

/// Converts a text of the compiler or of a task, which may contain any bytes.
inline pybind11::str textOf(const std::string &text) {
  PyObject *made = PyUnicode_DecodeUTF8(
      text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
  if (!made)
    throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(made);
}

void addTaskGraphs(pybind11::module_ &module);
void addLayouts(pybind11::module_ &module);
void addRegions(pybind11::module_ &module);

} // namespace sluice::pymodule

#endif // SLUICE_LIB_PYTHONMODULE_COREMODULE_H
