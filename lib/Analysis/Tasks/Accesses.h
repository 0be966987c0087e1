//===- Accesses.h - What tasks use ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Datasets, scalars, objects and files are the same to the order of tasks:
// things with parts, which tasks read and write.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_TASKS_ACCESSES_H
#define SLUICE_LIB_ANALYSIS_TASKS_ACCESSES_H

#include "Parts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <string>
#include <vector>

namespace sluice {

/// What tasks share: something of the module, or a file.
struct TaskData {
  std::string name;
  /// Null for files.
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int64_t> shape;
  /// The different parts that tasks use.
  std::vector<Part> parts;

  bool isFile() const { return !op; }
};

struct TaskAccess {
  unsigned data = 0, part = 0;
  dfg::Access mode = dfg::Access::InOut;
  /// Null for files.
  dfg::TaskArgAttr argument;
};

/// What the tasks of a graph use, by task in creation order: arguments, then
/// files.
class TaskAccesses {
public:
  explicit TaskAccesses(llvm::ArrayRef<dfg::TaskOp> tasks);

  std::vector<TaskData> data;
  std::vector<std::vector<TaskAccess>> byTask;

private:
  unsigned numberOf(dfg::TaskOp task, dfg::TaskArgAttr argument);
  unsigned numberOf(llvm::StringRef file);
  unsigned numberOf(unsigned data, const Part &part);
  void addFiles(dfg::TaskOp task, std::vector<TaskAccess> &accesses);

  llvm::DenseMap<mlir::Attribute, unsigned> symbols;
  llvm::StringMap<unsigned> files;
  std::vector<std::map<Part, unsigned>> numbers;
};

} // namespace sluice

#endif // SLUICE_LIB_ANALYSIS_TASKS_ACCESSES_H
