//===- Import.h - Task graphs of meta-programs to the dfg dialect ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not installed: the driver's translation from the API to the compiler.
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
  /// Put the initial values of datasets into the module. Otherwise, datasets
  /// with initial values start from zeros, so that the compiled program is the
  /// same for all values.
  bool keepsValues = true;
  /// Scalars get their values at run time, too: the values in the module
  /// represent all values that fit into the same number of bits (widthOf).
  bool givesScalars = false;
  bool isSerial = false;
  /// Folders of Python modules; "" without Python tasks.
  std::string pythonPath;
};

/// The graph as a module of the dfg dialect, with one location per line of the
/// meta-program, and unique names. The model must have no errors.
mlir::OwningOpRef<mlir::ModuleOp>
importTaskGraph(const TaskGraphModel &model, const TaskImportOptions &options,
                mlir::MLIRContext &context);

/// Whether scalars of the graph may get their values at run time: the sizes of
/// graphs and grids that are tasks, and of their reductions, depend on values.
bool mayGiveScalars(const TaskGraphModel &model);

/// The number with the same sign that fills as many bits as the scalar's value
/// needs: 7, 8, 15, 16, 31, 32, 63 or 64. This suffices to decide whether an
/// integer type can hold the value. 0 for other types.
int64_t widthOf(const ValueImpl &scalar);

/// The unique name of each dataset, scalar and dictionary of the graph, in the
/// order of `values`; these are the symbols of the module. Empty for parts and
/// pointers.
std::vector<std::string> symbolNames(const TaskGraphModel &model);

} // namespace sluice

#endif // SLUICE_TASKGRAPH_IMPORT_H
