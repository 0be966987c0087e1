//===- TaskCompilation.h - A task graph during compilation ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a task graph between its phases, and the phases that only task
// graphs have; Phases.cpp calls them in order.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_TASKGRAPHS_TASKCOMPILATION_H
#define SLUICE_LIB_DRIVER_TASKGRAPHS_TASKCOMPILATION_H

#include "sluice/CodeGen/CodeGen.h"
#include "sluice/Driver/Program.h"
#include "sluice/Driver/TaskGraphs.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"

#include <map>
#include <optional>

namespace sluice::driver {

/// A task graph with known kernels and a checked order. Borrows and changes the
/// module it was made from.
class TaskProgram {
public:
  /// Creates it with the order of the tasks and without code. Null after
  /// errors.
  static std::unique_ptr<TaskProgram> create(mlir::ModuleOp module,
                                             dfg::TaskGraphOp graph);
  ~TaskProgram() { (void)program.graphs.release(); }

  // The steps, in order; each returns false after errors.

  /// Finds the kernels of all tasks: compiles C, reads objects, imports HPVM
  /// graphs, asks Halide, inspects Python.
  bool findKernels(const TaskBuildOptions &options);
  /// Transforms the graphs of HPVM tasks. Tasks themselves stay separate, each
  /// with its begin and end.
  bool transform(const transforms::TransformOptions &options);
  /// Tasks become nodes.
  bool makeNodes(bool isChecked);
  /// Checks that instances of replicated tasks do not race.
  bool checkGrids();

  Program program;
  TaskOrder order;
  std::vector<codegen::ResolvedTask> resolved;
  std::vector<std::string> linkInputs, dependencies;
  /// By undefined name: the tasks whose kernels use it.
  std::map<std::string, std::vector<unsigned>> neededBy;
  /// The program's code has Python tasks or Halide tasks.
  bool hasPython = false, hasHalide = false;

private:
  TaskProgram() = default;

  bool hasGrids = false;
};

/// Checks a module and finds all kernels of the selected task graph; null after
/// errors.
std::unique_ptr<TaskProgram> readTasks(mlir::ModuleOp module,
                                       const TaskBuildOptions &options);

/// Turns the tasks into nodes. False after errors.
bool lowerTasks(TaskProgram &tasks, const TaskBuildOptions &options);

/// If the options ask for it, makes the code of the tasks report its accesses.
/// Must run before lowering.
void checkTasksIfAsked(TaskProgram &tasks, const TaskBuildOptions &options);

/// Checked tasks are compared with their declared arguments, not by the order
/// of instances, and run only on the host.
BuildOptions taskBuildOptions(const TaskBuildOptions &options);

/// Makes kernels and plans of all nodes. Afterwards, the code is the LLVM IR of
/// the whole program. It must still be optimised for the machine with the
/// settings in `codeGen`, which this function fills in.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> lowerTaskProgram(
    TaskProgram &tasks, llvm::MutableArrayRef<codegen::PlanModel> models,
    const TaskBuildOptions &options, codegen::CodeGenOptions &codeGen);

/// How an executable or a shared object is linked.
enum class TaskOutput { Executable, SharedObject };

/// Compiles and links. Adds the files that the program was made from to
/// `dependencies`.
bool buildTaskProgram(mlir::ModuleOp module, const TaskBuildOptions &options,
                      TaskOutput kind, llvm::StringRef output,
                      std::vector<std::string> *dependencies);

/// A task's data for link errors: the operations no longer exist then.
struct TaskPlace {
  mlir::Location place;
  std::string kernel;
};

std::vector<TaskPlace> placesOf(const TaskProgram &tasks);

/// Links `object`. Missing symbols become errors of the tasks that need them.
bool linkTasks(mlir::ModuleOp module, TaskProgram &tasks,
               llvm::ArrayRef<TaskPlace> places, llvm::ArrayRef<char> object,
               const TaskBuildOptions &options, TaskOutput kind,
               llvm::StringRef output);

/// Kernels were compiled as parts of an executable, whose thread-local
/// variables have known offsets; this does not hold in a library.
void makeShareable(llvm::Module &code);

/// Makes kernels private if no other object can need them, and removes those
/// that no task calls.
void hideKernels(TaskProgram &tasks, const TaskBuildOptions &options);

/// Disables optimisation of functions that only call the code of many equal
/// tasks: there is much of this code and nothing to optimise.
void leaveCallsAlone(llvm::Module &code);

/// Prints one of the stages of a task graph.
bool printTaskStage(mlir::ModuleOp module, const TaskBuildOptions &options);

/// Keeps one task graph in the module: the one called `root`, or the only one.
/// Removes everything that only other graphs use. Null, after an error, if the
/// graph does not exist.
dfg::TaskGraphOp selectTaskGraph(mlir::ModuleOp module, llvm::StringRef root);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_TASKGRAPHS_TASKCOMPILATION_H
