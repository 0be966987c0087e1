//===- TaskProgram.h - A task graph on its way through the compiler -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_TASKPROGRAM_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_TASKPROGRAM_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/Driver/Program.h"
#include "sluice/Driver/TaskGraphs.h"
#include "sluice/Frontend/Kernels/Kernels.h"

#include <map>
#include <optional>

namespace sluice::driver {

/// A task graph whose kernels were found and whose order was checked. Borrows
/// the module it was made from, and changes it.
class TaskProgram {
public:
  /// Phases 1 and 2; null after errors.
  static std::unique_ptr<TaskProgram> resolve(mlir::ModuleOp module,
                                              const TaskBuildOptions &options);
  ~TaskProgram() { (void)program.graphs.release(); }

  /// Phase 3: tasks become nodes.
  bool lower(const TaskBuildOptions &options);

  Program program;
  TaskOrder order;
  std::vector<codegen::ResolvedTask> resolved;
  std::vector<std::string> linkInputs, dependencies;
  /// By the names of what no code of the kernels defines: the tasks whose
  /// kernels use it.
  std::map<std::string, std::vector<unsigned>> neededBy;
  /// The program's code has Python tasks or Halide tasks.
  bool hasPython = false, hasHalide = false;

private:
  TaskProgram() = default;
  bool findKernels(mlir::ModuleOp module, const TaskBuildOptions &options);
};

/// Makes the code of the tasks report what it accesses, if the options say so;
/// before it is lowered.
void checkTasksIfAsked(TaskProgram &tasks, const TaskBuildOptions &options);

/// Phase 3 to its end: the code is LLVM IR for the whole program afterwards,
/// still to be optimised for the machine as `codeGen`, which is filled in,
/// says.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
lowerTaskProgram(TaskProgram &tasks, llvm::ArrayRef<codegen::PlanModel> models,
                 const TaskBuildOptions &options,
                 codegen::CodeGenOptions &codeGen);

/// How an executable or a shared object is linked.
enum class TaskOutput { Executable, SharedObject };

/// Compiles and links; `dependencies` receives the files that the program was
/// made from.
bool buildTaskProgram(mlir::ModuleOp module, const TaskBuildOptions &options,
                      TaskOutput kind, llvm::StringRef output,
                      std::vector<std::string> *dependencies);

/// Leaves one task graph in the module: the one called `root`, or the only one.
/// What only others use goes with them. Null, after an error, if it is not
/// there.
dfg::TaskGraphOp selectTaskGraph(mlir::ModuleOp module, llvm::StringRef root);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_TASKPROGRAM_H
