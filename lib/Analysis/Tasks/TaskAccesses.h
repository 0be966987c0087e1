//===- TaskAccesses.h - Data that tasks use -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datasets, scalars, objects, files and variables are the same for the order of
// tasks: things with parts that tasks read and write.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_TASKACCESSES_H
#define SLUICE_LIB_ANALYSIS_TASKS_TASKACCESSES_H

#include "StridedBoxes.h"

#include "sluice/Analysis/TaskOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <string>
#include <vector>

namespace sluice {

/// Data that tasks share: an element of the module, a file, or state of
/// kernels.
struct TaskData {
  enum class Kind { Value, File, State };
  Kind kind = Kind::Value;
  std::string name;
  /// Null for files and state.
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int64_t> shape;
  /// The different parts that tasks use.
  std::vector<Part> parts;
};

/// The name in messages: "the file 'a.bmp'".
std::string spellData(TaskData::Kind kind, llvm::StringRef name);

struct TaskAccess {
  unsigned data = 0, part = 0;
  dfg::Access mode = dfg::Access::InOut;
  /// Null for files and state.
  dfg::TaskArgAttr argument;
};

/// The data that the tasks of a graph use, by task in creation order: first
/// arguments, then files, then state.
class TaskAccesses {
public:
  TaskAccesses(llvm::ArrayRef<dfg::TaskOp> tasks, const TaskStates &states);
  explicit TaskAccesses(const TaskOrder &order)
      : TaskAccesses(order.tasks, order.states) {}

  std::vector<TaskData> data;
  std::vector<std::vector<TaskAccess>> byTask;

private:
  unsigned numberOf(dfg::TaskOp task, dfg::TaskArgAttr argument);
  unsigned numberOf(TaskData::Kind kind, llvm::StringRef name);
  unsigned numberOf(unsigned data, const Part &part);
  void addFiles(dfg::TaskOp task, std::vector<TaskAccess> &accesses);

  llvm::DenseMap<mlir::Attribute, unsigned> symbols;
  /// By kind.
  std::map<TaskData::Kind, llvm::StringMap<unsigned>> named;
  std::vector<std::map<Part, unsigned>> numbers;
};

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_TASKACCESSES_H
