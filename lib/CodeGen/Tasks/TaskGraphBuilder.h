//===- TaskGraphBuilder.h - The nodes of a task graph ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task graph runs as a plan, and plans are made from graphs of nodes. So
// tasks become nodes that take addresses.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_TASKS_TASKGRAPHBUILDER_H
#define SLUICE_LIB_CODEGEN_TASKS_TASKGRAPHBUILDER_H

#include "TaskLeaf.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace sluice::codegen {

/// The name and type of a node's output.
struct TaskOutputPort {
  std::string name;
  mlir::Type type;
};

/// Builds the dfg.graph of a task graph. Its arguments are the address and size
/// of each dataset, then the run and 0.
class TaskGraphBuilder {
public:
  TaskGraphBuilder(mlir::ModuleOp module, mlir::Location location,
                   llvm::StringRef name, const TaskDataTable &data);

  /// Subsequent nodes belong to this task. The first of them waits for the
  /// tasks in `predecessors`.
  void beginTask(const TaskSite &site, llvm::ArrayRef<unsigned> predecessors);

  /// A name for a kernel of a task and its leaf that no C function has.
  std::string kernelName(const TaskSite &site, llvm::StringRef suffix);

  /// Adds a kernel whose ports are the task's datasets and the run, and a node
  /// that runs it after the previous node of the same task.
  dfg::NodeOp addTaskNode(const TaskSite &site, llvm::StringRef kernel,
                          llvm::StringRef name,
                          llvm::ArrayRef<int64_t> extents = {},
                          llvm::ArrayRef<TaskOutputPort> outputs = {});
  /// Adds a node of a graph of the module.
  dfg::NodeOp addGraphNode(const TaskSite &site, dfg::GraphOp callee,
                           llvm::StringRef name,
                           llvm::ArrayRef<mlir::Value> inputs);
  /// Address and size of a whole dataset.
  mlir::Value address(unsigned datum) { return graph.getInput(2 * datum); }
  mlir::Value size(unsigned datum) { return graph.getInput(2 * datum + 1); }

  void finish();

private:
  dfg::NodeOp addNode(const TaskSite &site, llvm::StringRef callee,
                      llvm::StringRef name, llvm::ArrayRef<mlir::Type> results,
                      llvm::ArrayRef<int64_t> extents,
                      llvm::ArrayRef<mlir::Value> inputs);

  mlir::ModuleOp module;
  /// The symbols of operations that existed before.
  llvm::DenseSet<mlir::StringAttr> symbols;
  mlir::OpBuilder kernels, nodes;
  mlir::Type pointer;
  const TaskDataTable &data;
  dfg::GraphOp graph;
  /// The values that the next node waits for, and the end of each task.
  llvm::SmallVector<mlir::Value> waited, ends;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_TASKS_TASKGRAPHBUILDER_H
