//===- Kernels.h - Finds what is behind the kernels of tasks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per kind of kernel. Each looks at the tasks of its kind, emits
// an error at the task's place for everything that is wrong with it, and goes
// on with the next task; nothing of the user's is run, but a generator that
// says what it takes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_KERNELS_KERNELS_H
#define SLUICE_FRONTEND_KERNELS_KERNELS_H

#include "sluice/CodeGen/Tasks.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// What the command line or the meta-program says about kernels.
struct KernelOptions {
  /// Where kernels are looked for, beside the module's kernel_source ops.
  std::vector<std::string> kernelSources = {};
  /// Relative paths start here.
  std::string folder = {};
  std::string pythonPath = {};
  /// Parameters of Halide tasks (Options::tunedParamsFile).
  std::string tunedParameters = {};
  bool keepsVariants = false;
  /// Results may depend on the CPU (Options::fastFloat).
  bool isFastFloat = false;
  bool hasRemarks = false;
  /// Halide generators of this process are available.
  bool hasGenerators = false;
  /// The program runs in this process, whose functions may be kernels.
  bool isInProcess = false;

  /// For sources: the CPU, flags of clang, whose integers target hints mean,
  /// and whether .ll files are in the form of LLVM 9 and older.
  std::string cpu = "native";
  std::vector<std::string> compilerFlags = {};
  bool isVersion05 = false;
  bool isLegacy = false;
  /// Objects and libraries, which may have kernels.
  std::vector<std::string> linkerFlags = {};
  /// Why a flag cannot be given to a source; nothing if it can.
  std::function<std::optional<std::string>(llvm::StringRef flag)> refusalOf;
};

struct Resolution {
  const TaskOrder &order;
  mlir::ModuleOp module;
  const KernelOptions &options;
  /// Code that is compiled with the tasks: C kernels known as source or
  /// bitcode, leaves of HPVM graphs. Resolvers link into it.
  llvm::Module &code;

  /// One per task, filled in.
  std::vector<codegen::ResolvedTask> resolved;
  /// Files whose functions `code` has.
  std::vector<std::string> codeFiles;
  /// For the linker: objects, archives, libraries, flags.
  std::vector<std::string> linkInputs;
  /// Files the program is made from, for the cache's manifest.
  std::vector<std::string> dependencies;
};

/// C kernels: compiles sources, reads bitcode and objects; checks arguments
/// against prototypes from IR or debug information.
bool resolveCKernels(Resolution &resolution);
/// HPVM tasks: imports the source's graphs into the module.
bool resolveHPVMKernels(Resolution &resolution);
/// Halide tasks: compiles generators of this process (cached), or takes the
/// module's halide_kernel ops.
bool resolveHalideKernels(Resolution &resolution);
/// Python and finite-element tasks: finds modules and functions without
/// running them; compiles forms (cached).
bool resolvePythonKernels(Resolution &resolution);

/// Variables that the kernels of the tasks use, when all kernels are found.
TaskStates findStates(const Resolution &resolution);

/// Files from which generators of this process come: the executable, libraries
/// of the user, Halide.
std::vector<std::string> generatorFiles();

/// The kernels that are only fit for leaves, which inline them.
std::vector<std::string> leafCodeKernels(const TaskOrder &order,
                                         const llvm::Module &code);

/// Checks that instances of replicated tasks do not meet; `module` has the
/// nodes that tasks became. False after errors.
bool checkGridRaces(mlir::ModuleOp module, const llvm::Module &code);

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_KERNELS_KERNELS_H
