//===- TaskGraphs.h - Task graphs to executables and libraries --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases, for graphs of meta-programs and for those in .mlir files:
//   1. find every kernel: compile C, read objects, ask Halide, look at Python
//   2. check the arguments of each task against it, and the order of tasks
//   3. lower tasks to nodes (CodeGen/TaskNodes.h), then as any other graph
//   (Build)
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
  /// Where to look for kernels, besides the module's kernel_source ops.
  std::vector<std::string> kernelSources;
  /// The task graph to use; empty: the only one.
  std::string root;
  /// The base of relative paths.
  std::string folder;
  std::string pythonPath;
  /// The file to which buildTaskGraph writes a make rule with the files from
  /// which the executable was made; empty: none.
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
  /// The program runs in this process; functions of the process may be kernels.
  bool isInProcess = false;
  /// Libraries to link before all others.
  std::vector<std::string> libraries;
};

/// True if one of the files is a .mlir file with a task graph.
bool hasTaskGraphs(const ProgramOptions &options);

/// Reads a .mlir file with task graphs; prints errors and returns null if it
/// fails.
mlir::OwningOpRef<mlir::ModuleOp> readTaskGraph(llvm::StringRef path,
                                                mlir::MLIRContext &context);

/// The following functions modify the module and report problems as diagnostics
/// of its context, so that a handler may collect them; they return false or an
/// empty result after errors.

/// Phases 1 and 2.
bool checkTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options);
/// Runs all phases and makes the executable `output`, or prints a stage.
bool buildTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options,
                    llvm::StringRef output);
/// Returns the executable or shared object from the cache. Makes it if it is
/// missing or if any of its sources has changed. The shared object exports
/// `sluice_task_program`.
CachedFile cachedTaskGraph(mlir::ModuleOp module,
                           const TaskBuildOptions &options, bool isShared);
/// True for the suffixes that writeTaskGraph supports: .ll, .o and those of
/// pictures.
bool isTaskForm(llvm::StringRef path);
/// Runs all phases except linking, and writes the file `path` in the format of
/// its suffix. An object file contains `main`, but not the libraries that it
/// must be linked with.
bool writeTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options,
                    llvm::StringRef path);
/// Writes the module, with compiled Halide kernels, to `path` and the folder
/// `path`.objects.
bool dumpTaskGraph(mlir::ModuleOp module, const TaskBuildOptions &options,
                   llvm::StringRef path);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_TASKGRAPHS_H
