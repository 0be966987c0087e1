//===- TaskProgram.h - A task graph on its way through the compiler -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a task graph between its phases, and the phases that are
// only for task graphs; Phases.cpp puts them in order.
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
  /// With the order of the tasks, and no code yet. Null after errors.
  static std::unique_ptr<TaskProgram> create(mlir::ModuleOp module,
                                             dfg::TaskGraphOp graph);
  ~TaskProgram() { (void)program.graphs.release(); }

  // The steps, in order; each returns false after errors.

  /// Finds what is behind the kernels of all tasks: compiles C, reads objects,
  /// imports HPVM graphs, asks Halide, looks at Python.
  bool findKernels(const TaskBuildOptions &options);
  /// Transforms the graphs of HPVM tasks; tasks themselves stay apart, each
  /// with its begin and its end.
  bool transform(const transforms::TransformOptions &options);
  /// Tasks become nodes.
  bool makeNodes(bool isChecked);
  /// Checks that instances of replicated tasks do not race.
  bool checkGrids();

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

  bool hasGrids = false;
};

/// Checks a module and finds all kernels of the task graph that is meant; null
/// after errors.
std::unique_ptr<TaskProgram> readTasks(mlir::ModuleOp module,
                                       const TaskBuildOptions &options);

/// Makes nodes of the tasks. False after errors.
bool lowerTasks(TaskProgram &tasks, const TaskBuildOptions &options);

/// Makes the code of the tasks report what it accesses, if the options say so;
/// before it is lowered.
void checkTasksIfAsked(TaskProgram &tasks, const TaskBuildOptions &options);

/// Tasks are checked by what they say of their arguments, not by the order of
/// instances; on the host alone.
BuildOptions taskBuildOptions(const TaskBuildOptions &options);

/// Kernels and plans of all nodes: the code is LLVM IR for the whole program
/// afterwards, still to be optimised for the machine as `codeGen`, which is
/// filled in, says.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> lowerTaskProgram(
    TaskProgram &tasks, llvm::MutableArrayRef<codegen::PlanModel> models,
    const TaskBuildOptions &options, codegen::CodeGenOptions &codeGen);

/// How an executable or a shared object is linked.
enum class TaskOutput { Executable, SharedObject };

/// Compiles and links; `dependencies` receives the files that the program was
/// made from.
bool buildTaskProgram(mlir::ModuleOp module, const TaskBuildOptions &options,
                      TaskOutput kind, llvm::StringRef output,
                      std::vector<std::string> *dependencies);

/// What messages about the linking name: the operations are gone then.
struct TaskPlace {
  mlir::Location place;
  std::string kernel;
};

std::vector<TaskPlace> placesOf(const TaskProgram &tasks);

/// Links `object`; what is missing becomes an error of the tasks that need it.
bool linkTasks(mlir::ModuleOp module, TaskProgram &tasks,
               llvm::ArrayRef<TaskPlace> places, llvm::ArrayRef<char> object,
               const TaskBuildOptions &options, TaskOutput kind,
               llvm::StringRef output);

/// Kernels were compiled as parts of an executable, whose thread-local
/// variables lie at known offsets; those of a library do not.
void makeShareable(llvm::Module &code);

/// Kernels that no other object can need are the program's own, and those that
/// no task calls are left out.
void hideKernels(TaskProgram &tasks, const TaskBuildOptions &options);

/// What only calls the code of many equal tasks is compiled as it stands: there
/// is nothing to optimise, and much of it.
void leaveCallsAlone(llvm::Module &code);

/// Prints one of the stages of a task graph.
bool printTaskStage(mlir::ModuleOp module, const TaskBuildOptions &options);

/// Leaves one task graph in the module: the one called `root`, or the only one.
/// What only others use goes with them. Null, after an error, if it is not
/// there.
dfg::TaskGraphOp selectTaskGraph(mlir::ModuleOp module, llvm::StringRef root);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_TASKPROGRAM_H
