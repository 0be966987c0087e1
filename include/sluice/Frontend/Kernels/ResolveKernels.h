//===- ResolveKernels.h - Resolving the kernels of tasks ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per kind of kernel. Each processes the tasks of its kind, emits
// an error at the task's place for every problem, and continues with the next
// task. No code of the user runs, except generators that describe their
// arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_FRONTEND_KERNELS_RESOLVEKERNELS_H
#define SLUICE_FRONTEND_KERNELS_RESOLVEKERNELS_H

#include "sluice/CodeGen/TaskNodes.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice::driver {

/// Settings for kernels from the command line or the meta-program.
struct KernelOptions {
  /// Where to look for kernels, besides the module's kernel_source ops.
  std::vector<std::string> kernelSources = {};
  /// The base of relative paths.
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
  /// The program runs in this process; functions of the process may be kernels.
  bool isInProcess = false;

  /// For sources: the CPU, flags of clang, the version that defines the
  /// integers of target hints, and whether .ll files are in the form of LLVM 9
  /// and older.
  std::string cpu = "native";
  std::vector<std::string> compilerFlags = {};
  bool isVersion05 = false;
  bool isLegacy = false;
  /// Objects and libraries, which may contain kernels.
  std::vector<std::string> linkerFlags = {};
  /// The reason why a source cannot take a flag; nothing if it can.
  std::function<std::optional<std::string>(llvm::StringRef flag)> refusalOf;
};

struct Resolution {
  const TaskOrder &order;
  mlir::ModuleOp module;
  const KernelOptions &options;
  /// Code that is compiled with the tasks: C kernels from source or bitcode,
  /// leaves of HPVM graphs. Resolvers link into it.
  llvm::Module &code;

  /// One per task, to be filled in.
  std::vector<codegen::ResolvedTask> resolved;
  /// Files with functions in `code`.
  std::vector<std::string> codeFiles;
  /// For the linker: objects, archives, libraries, flags.
  std::vector<std::string> linkInputs;
  /// Files from which the program is made, for the cache's manifest.
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
/// Python and finite-element tasks: finds modules and functions without running
/// them; compiles forms (cached).
bool resolvePythonKernels(Resolution &resolution);

/// Variables that the kernels of the tasks use, when all kernels are found.
TaskStates findStates(const Resolution &resolution);

/// Files that contain generators of this process: the executable, libraries of
/// the user, Halide.
std::vector<std::string> generatorFiles();

/// The kernels that can only be called from leaves, which inline them.
std::vector<std::string> leafCodeKernels(const TaskOrder &order,
                                         const llvm::Module &code);

/// Checks that instances of replicated tasks do not conflict; `module` contains
/// the nodes of the tasks. Returns false after errors.
bool checkGridRaces(mlir::ModuleOp module, const llvm::Module &code);

} // namespace sluice::driver

#endif // SLUICE_FRONTEND_KERNELS_RESOLVEKERNELS_H
