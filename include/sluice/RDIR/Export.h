//===- Export.h - Graphs as rdir modules ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes graphs that C++ built as operations, so that they can be printed,
// read and drawn. Import.h is the way back.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_EXPORT_H
#define SLUICE_RDIR_EXPORT_H

#include "mlir/IR/OwningOpRef.h"
#include "sluice/RDIR/RDIR.h"

#include <functional>

namespace sluice::rdir {

/// What a graph does not know about itself.
struct ExportOptions {
  /// The function of a task, empty if it has none.
  std::function<std::string(NodeIndex)> function;
  /// The operator of a reduction. Without it: "+", "*", "min", "max" by index.
  std::function<mlir::Attribute(ReductionIndex)> reduction;
};

/// Adds the graph to the module, which declares the forest's roots and
/// partitions by their names; a color with one number is split into as many as
/// the declaration has. One whose name is taken gets a number.
/// Loops and must-epochs have empty bodies. Extents of launches that are not
/// known become parameters, projections that are not affine functions.
GraphOp exportGraph(mlir::ModuleOp module, llvm::StringRef name,
                    const Graph &graph, const ExportOptions &options = {});

/// A module with the graph and abstract declarations of the forest's regions:
/// roots of one element with the fields "f0", "f1" and so on, of type i64.
mlir::OwningOpRef<mlir::ModuleOp>
exportModule(mlir::MLIRContext &context, llvm::StringRef name,
             const Graph &graph, const ExportOptions &options = {});

} // namespace sluice::rdir

#endif // SLUICE_RDIR_EXPORT_H
