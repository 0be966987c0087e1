//===- Module.cpp - The module sluice._core -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines the parts, and adds everything that belongs to none of them: errors,
// the location of the compiler, and queries about this process.
//
//===----------------------------------------------------------------------===//

#include "CoreModule.h"

#include "sluice-c/TaskProgram.h"
#include "sluice/TaskGraph.h"

#include <dlfcn.h>

using namespace sluice;

/// The library that contains the compiler; headers and tools are near it.
static std::string compilerLibrary() {
  Dl_info info;
  auto address = reinterpret_cast<void *>(&tryCompile);
  return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

/// Turns a C++ exception into a Python exception, whatever bytes its text
/// contains.
template <typename Error>
static void addException(pybind11::module_ &module, const char *name) {
  static pybind11::exception<Error> type(module, name, PyExc_RuntimeError);
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error &error) {
      PyErr_SetObject(type.ptr(), pymodule::textOf(error.what()).ptr());
    }
  });
}

PYBIND11_MODULE(_core, module) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "sluice runs in the main interpreter only");
    throw pybind11::error_already_set();
  }
  module.doc() = "The compiled part of the package 'sluice'.";
  module.attr("__version__") = SLUICE_VERSION;
  addException<CompileError>(module, "CompileError");
  addException<RunError>(module, "RunError");
  module.def("compiler_library", compilerLibrary);
  module.def("is_worker", [] { return sluiceTaskCurrent() != nullptr; });
  module.def("write_trace", [](const std::string &path) {
    if (const char *problem = sluiceTaskWriteTrace(path.c_str()))
      throw RunError(problem);
  });
  pymodule::addTaskGraphs(module);
  pymodule::addLayouts(module);
  pymodule::addRegions(module);
}
