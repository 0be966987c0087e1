//===- Kernels.h - What tasks compute ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels only name code; it is looked for when the graph is compiled.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_KERNELS_H
#define SLUICE_TASKGRAPH_KERNELS_H

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice {

/// Settings of a generator, by name.
using Parameters = std::map<std::string, std::string>;

/// What all kernels have.
class Kernel {
public:
  /// A kernel of that name.
  explicit Kernel(const std::string &func) : func(func) {}
  /// The name of the function, generator, form or root.
  const std::string func;
};

/// A Halide generator, by the name it is registered under in the meta-program.
class HalideKernel : public Kernel {
public:
  /// With other values than the generator's own for some parameters.
  explicit HalideKernel(const std::string &func, Parameters parameters = {})
      : Kernel(func), parameters(std::move(parameters)) {}
  /// As given.
  Parameters parameters;
};

/// A function with C linkage. Its parameters, per argument: a Dat is `T *base,
/// T *first, int offset, int extent per dimension, int stride per dimension`
/// (strides in elements; int64_t for int as the function likes), a scalar its
/// value, a PtrScalar `T *`. A result other than 0 of type int is an error.
class CKernel : public Kernel {
public:
  /// In a source that the graph or an option names.
  explicit CKernel(const std::string &func) : Kernel(func) {}
  /// In one source (.c, .cpp), bitcode (.bc, .ll), object, archive or library.
  CKernel(const std::string &func, const std::string &source,
          std::vector<std::string> flags = {})
      : Kernel(func), source(source), flags(std::move(flags)) {}
  /// The file, and the compiler's flags for a source; empty: see above.
  ///@{
  std::string source;
  std::vector<std::string> flags;
  ///   ///@}
};

/// A function in `module`.py: called with a dictionary per PyObj, a memoryview
/// per Dat (read-only where the task only reads), a number per scalar; returns
/// None.
class PyKernel : public Kernel {
public:
  /// The function `func` of the module.
  PyKernel(const std::string &module, const std::string &func)
      : Kernel(func), module(module) {}
  /// As given, without .py.
  std::string module;
};

/// A Python function, or anything that can be called, of this process, which
/// has started Python: called as PyKernel's. `function` is a PyObject *, which
/// `owner` keeps until the graph is gone. Such a graph runs, but becomes no
/// executable. `name` is for messages.
class PyFunctionKernel : public Kernel {
public:
  /// See above.
  PyFunctionKernel(const std::string &name, void *function,
                   std::shared_ptr<void> owner = nullptr)
      : Kernel(name), function(function), owner(std::move(owner)) {}
  /// The PyObject *, and who keeps it.
  ///@{
  void *function;
  std::shared_ptr<void> owner;
  ///   ///@}
};

/// One form of `module`.py: the entry `kernelName` of what `generate()`
/// returns, assembled into the task's PyObj under that name.
class FEMAKernel : public Kernel {
public:
  /// The form `kernelName` of the module.
  FEMAKernel(const std::string &module, const std::string &kernelName)
      : Kernel(kernelName), module(module) {}
  /// As given, without .py.
  std::string module;
};

/// A root node function of an HPVM program in `source`: a Dat is a pointer and
/// its size in bytes, a scalar its value.
class HPVMKernel : public Kernel {
public:
  /// The root function `root` of the program; `flags` are clang's.
  HPVMKernel(const std::string &root, const std::string &source,
             std::vector<std::string> flags = {})
      : Kernel(root), source(source), flags(std::move(flags)) {}
  /// As given.
  ///@{
  std::string source;
  std::vector<std::string> flags;
  ///   ///@}
};

} // namespace sluice

#endif // SLUICE_TASKGRAPH_KERNELS_H
