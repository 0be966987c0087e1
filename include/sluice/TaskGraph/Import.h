//===- Import.h - Task graphs of meta-programs to the dfg dialect ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not installed: the driver's way from the API to the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TASKGRAPH_IMPORT_H
#define SLUICE_TASKGRAPH_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sluice/TaskGraph/Model.h"

#include <string>

namespace sluice {

struct TaskImportOptions {
  /// Put the values that datasets start from into the module. Without them a
  /// dataset that has any starts from zeros, so that the compiled program is
  /// the same for all values.
  bool keepsValues = true;
  /// Scalars get their values when the program runs, too: those of the module
  /// stand for all that stand in as many bits (widthOf).
  bool givesScalars = false;
  bool isSerial = false;
  /// Folders of Python modules; "" without Python tasks.
  std::string pythonPath;
};

/// The graph as a module of the dfg dialect, with one location per line of the
/// meta-program, and unique names. The model has no errors.
mlir::OwningOpRef<mlir::ModuleOp>
importTaskGraph(const TaskGraphModel &model, const TaskImportOptions &options,
                mlir::MLIRContext &context);

/// Whether scalars of the graph may get their values when it runs: the sizes of
/// graphs and grids as tasks, and of what they reduce, follow from values.
bool mayGiveScalars(const TaskGraphModel &model);

/// The number with the same sign that fills as many bits as the scalar's value
/// needs: 7, 8, 15, 16, 31, 32, 63 or 64. Whether an integer type can hold it
/// depends on no more of it. 0 for other types.
int64_t widthOf(const ValueImpl &scalar);

/// The unique name of each dataset, scalar and dictionary of the graph, in the
/// order of `values`: the symbols of the module. Empty for parts and pointers.
std::vector<std::string> symbolNames(const TaskGraphModel &model);

} // namespace sluice

#endif // SLUICE_TASKGRAPH_IMPORT_H
