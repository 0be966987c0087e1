//===- Resolve.h - Finds what is behind the kernels of tasks --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per kind of kernel. Each looks at the tasks of its kind, emits
// an error at the task's place for everything that is wrong with it, and goes
// on with the next task; nothing of the user's is run, but a generator that
// says what it takes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_RESOLVE_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_RESOLVE_H

#include "sluice/CodeGen/Tasks.h"
#include "sluice/Driver/TaskGraphs.h"

namespace sluice::driver {

struct Resolution {
  const TaskOrder &order;
  mlir::ModuleOp module;
  const TaskBuildOptions &options;
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

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_RESOLVE_H
