//===- TaskData.h - Data of tasks as memory -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks name datasets and parts of them. Code needs addresses, sizes and
// strides, and each dataset only once.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_TASKS_TASKDATA_H
#define SLUICE_LIB_CODEGEN_TASKS_TASKDATA_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice-c/TaskProgram.h"
#include "sluice/Analysis/TaskOrder.h"
#include "llvm/IR/Type.h"

#include <string>
#include <vector>

namespace sluice::codegen {

/// A dataset, scalar or object of the module.
struct TaskDatum {
  mlir::Operation *op = nullptr;
  std::string name;
  SluiceDataKind kind = SLUICE_DATA_DAT;
  SluiceElementKind elementKind = SLUICE_ELEMENT_INT;
  unsigned elementBits = 64;
  std::vector<int64_t> shape;
  /// Bytes.
  uint64_t size = 8;
  /// The bits of a scalar that has a value and that no task writes.
  std::optional<uint64_t> constant;
  /// Its value is given at run time, and fits wherever `constant` fits.
  bool isGiven = false;
  /// Tasks that name it.
  unsigned numUses = 0;
  dfg::Access access = dfg::Access::None;

  unsigned elementSize() const { return elementBits / 8; }
  bool isSigned() const { return elementKind == SLUICE_ELEMENT_INT; }
  bool isFloat() const { return elementKind == SLUICE_ELEMENT_FLOAT; }
  llvm::Type *elementType(llvm::LLVMContext &context) const;
};

/// An argument of a task as a selection of elements, in units of the dataset's
/// elements.
struct TaskView {
  unsigned datum = 0;
  dfg::Access access = dfg::Access::None;
  bool isValue = false;
  int64_t offset = 0;
  std::vector<int64_t> shape, strides;

  /// Row-major without gaps.
  bool isDense() const;
};

/// Row-major strides in elements.
std::vector<int64_t> denseStrides(llvm::ArrayRef<int64_t> shape);

/// The bits of a scalar's value as they lie in memory.
std::optional<uint64_t> scalarBits(dfg::ScalarOp scalar);

/// All data of a module, in order, and the accesses of the tasks to it.
class TaskDataTable {
public:
  TaskDataTable(mlir::ModuleOp module, const TaskOrder &order);

  llvm::ArrayRef<TaskDatum> all() const { return data; }
  const TaskDatum &operator[](unsigned index) const { return data[index]; }
  /// The arguments of a task.
  llvm::ArrayRef<TaskView> viewsOf(unsigned task) const { return views[task]; }
  /// The data of a task, each once, in the order of its arguments.
  std::vector<SluiceTaskUse> usesOf(unsigned task) const;

private:
  void addDatum(mlir::Operation &op);
  void addViews(dfg::TaskOp task);

  std::vector<TaskDatum> data;
  std::vector<std::vector<TaskView>> views;
  llvm::DenseMap<mlir::Attribute, unsigned> indices;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_TASKS_TASKDATA_H
