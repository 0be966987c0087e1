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
  /// the same for all values; scalars keep theirs.
  bool keepsValues = true;
  bool isSerial = false;
  /// Folders of Python modules; "" without Python tasks.
  std::string pythonPath;
};

/// The graph as a module of the dfg dialect, with one location per line of the
/// meta-program, and unique names. The model has no errors.
mlir::OwningOpRef<mlir::ModuleOp>
importTaskGraph(const TaskGraphModel &model, const TaskImportOptions &options,
                mlir::MLIRContext &context);

/// The unique name of each dataset, scalar and dictionary of the graph, in the
/// order of `values`: the symbols of the module. Empty for parts and pointers.
std::vector<std::string> symbolNames(const TaskGraphModel &model);

} // namespace sluice

#endif // SLUICE_TASKGRAPH_IMPORT_H
