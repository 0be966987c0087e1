//===- Kernels.h - Kernels of tasks ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels only name code; the code is located when the graph is compiled.
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

/// Common base of all kernels.
class KernelBase {
public:
  /// A kernel with that name.
  explicit KernelBase(const std::string &func) : func(func) {}
  /// The name of the function, generator, form or root.
  const std::string func;
};

/// A Halide generator, by the name under which the meta-program registers it.
class HalideKernel : public KernelBase {
public:
  /// Sets some parameters to values other than the generator's own.
  explicit HalideKernel(const std::string &func, Parameters parameters = {})
      : KernelBase(func), parameters(std::move(parameters)) {}
  /// The argument of the constructor.
  Parameters parameters;
};

/// A function with C linkage. Its parameters are, per argument: for a Dat `T
/// *base, T *first, int offset, int extent per dimension, int stride per
/// dimension` (strides in elements; each int may also be int64_t), for a scalar
/// its value, for a PtrScalar `T *`. A nonzero result of type int is an error.
class CKernel : public KernelBase {
public:
  /// In a source that the graph or an option names.
  explicit CKernel(const std::string &func) : KernelBase(func) {}
  /// In one source (.c, .cpp), bitcode (.bc, .ll), object, archive or library.
  CKernel(const std::string &func, const std::string &source,
          std::vector<std::string> flags = {})
      : KernelBase(func), source(source), flags(std::move(flags)) {}
  /// The file, and the compiler's flags if it is a source; empty: none given.
  ///@{
  std::string source;
  std::vector<std::string> flags;
  ///   ///@}
};

/// A function in `module`.py. It is called with a dictionary per PyObj, a
/// memoryview per Dat (read-only if the task only reads) and a number per
/// scalar, and returns None.
class PyKernel : public KernelBase {
public:
  /// The function `func` of the module.
  PyKernel(const std::string &module, const std::string &func)
      : KernelBase(func), module(module) {}
  /// The module without .py.
  std::string module;
};

/// A Python function, or another callable, of this process, which has started
/// Python. It is called like a PyKernel. `function` is a PyObject *, which
/// `owner` keeps alive until the graph is destroyed. Such a graph can run, but
/// cannot be compiled to an executable. `name` is for messages.
class PyFunctionKernel : public KernelBase {
public:
  /// See above.
  PyFunctionKernel(const std::string &name, void *function,
                   std::shared_ptr<void> owner = nullptr)
      : KernelBase(name), function(function), owner(std::move(owner)) {}
  /// The PyObject *, and its owner.
  ///@{
  void *function;
  std::shared_ptr<void> owner;
  ///   ///@}
};

/// One form of `module`.py: the entry `kernelName` of the result of
/// `generate()`, assembled into the task's PyObj under that name.
class FEMAKernel : public KernelBase {
public:
  /// The form `kernelName` of the module.
  FEMAKernel(const std::string &module, const std::string &kernelName)
      : KernelBase(kernelName), module(module) {}
  /// The module without .py.
  std::string module;
};

/// A root node function of an HPVM program in `source`. A Dat is passed as a
/// pointer and its size in bytes, a scalar as its value.
class HPVMKernel : public KernelBase {
public:
  /// The root function `root` of the program; `flags` are clang's.
  HPVMKernel(const std::string &root, const std::string &source,
             std::vector<std::string> flags = {})
      : KernelBase(root), source(source), flags(std::move(flags)) {}
  /// The arguments of the constructor.
  ///@{
  std::string source;
  std::vector<std::string> flags;
  ///   ///@}
};

} // namespace sluice

#endif // SLUICE_TASKGRAPH_KERNELS_H
