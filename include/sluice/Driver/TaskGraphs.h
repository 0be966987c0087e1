//===- TaskGraphs.h - Task graphs to executables and libraries --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases, for graphs of meta-programs and for those in .mlir files:
//   1. find every kernel: compile C, read objects, ask Halide, look at Python
//   2. check the arguments of each task against it, and the order of tasks
//   3. lower tasks to nodes (CodeGen/Tasks.h), then as any other graph (Build)
//   4. link an executable, or a shared object into the cache
// All problems of 1 and 2 are reported at once, with the places of the tasks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_TASKGRAPHS_H
#define SLUICE_DRIVER_TASKGRAPHS_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/Driver/Build.h"

#include <functional>
#include <string>
#include <vector>

namespace sluice::driver {

struct TaskBuildOptions {
  /// CPU, level, flags for sources and for the linker, stage to print, and how
  /// to link; `program.files` is unused.
  BuildOptions build;
  /// Where kernels are looked for, beside the module's kernel_source ops.
  std::vector<std::string> kernelSources;
  /// The task graph to take; empty: the only one.
  std::string root;
  /// Relative paths start here.
  std::string folder;
  std::string pythonPath;
  /// Where buildTaskGraph writes a rule for make with the files that the
  /// executable was made from; empty: nowhere.
  std::string dependencyFile;
  /// Parameters of Halide tasks (Options::tunedParamsFile).
  std::string tunedParameters;
  bool keepsVariants = false;
  bool isSerial = false;
  /// Results may depend on the CPU (Options::fastFloat).
  bool isFastFloat = false;
  bool hasRemarks = false;
  /// Halide generators of this process are available.
  bool hasGenerators = false;
  /// The program runs in this process, whose functions may be kernels.
  bool isInProcess = false;
  /// Libraries that the program is linked with before all others.
  std::vector<std::string> libraries;
};

/// True if one of the files is a .mlir file with a task graph.
bool hasTaskGraphs(const ProgramOptions &options);

/// Reads a .mlir file with task graphs; null after printing what is wrong.
mlir::OwningOpRef<mlir::ModuleOp> readTaskGraph(llvm::StringRef path,
                                                mlir::MLIRContext &context);

/// The following functions print problems as diagnostics of the module's
/// context, so that a handler may collect them; false or empty after errors.
/// They change the module.

/// Phases 1 and 2.
bool checkTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options);
/// All phases, to the executable `output`, or printing a stage.
bool buildTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options,
                    llvm::StringRef output);
/// The executable or shared object in the cache, made if it is not there or
/// anything it was made from has changed. The shared object exports
/// `sluice_task_program`.
CachedFile cachedTaskGraph(mlir::ModuleOp module,
                           const TaskBuildOptions &options, bool isShared);
/// True for the endings that writeTaskGraph knows: .ll, .o and those of
/// pictures.
bool isTaskForm(llvm::StringRef path);
/// All phases but the linking, to the file `path` in the form that its ending
/// names. An object has a `main`; what it must be linked with is not in it.
bool writeTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options,
                    llvm::StringRef path);
/// Writes the module, with compiled Halide kernels, to `path` and the folder
/// `path`.objects.
bool dumpTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options,
                   llvm::StringRef path);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TASKGRAPHS_H
