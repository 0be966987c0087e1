//===- ExportModule.h - Graphs as rdir modules ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Represents graphs built in C++ as operations, so that they can be printed,
// read and drawn. ImportModule.h does the reverse.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_EXPORTMODULE_H
#define SLUICE_RDIR_EXPORTMODULE_H

#include "mlir/IR/OwningOpRef.h"
#include "sluice/RDIR/RDIR.h"

#include <functional>

namespace sluice::rdir {

/// Information that a graph does not contain.
struct ExportOptions {
  /// The function of a task; empty if it has none.
  std::function<std::string(NodeIndex)> function;
  /// The operator of a reduction. Default: "+", "*", "min", "max" by index.
  std::function<mlir::Attribute(ReductionIndex)> reduction;
};

/// Adds the graph to the module, in which the forest's roots and partitions are
/// declared by their names. A linear color is split into as many numbers as the
/// declaration has. A number is appended to the graph's name if the name is
/// taken. Loops and must-epochs have empty bodies. Unknown extents of launches
/// become parameters, and non-affine projections become functions.
GraphOp exportGraph(mlir::ModuleOp module, llvm::StringRef name,
                    const Graph &graph, const ExportOptions &options = {});

/// A module with the graph and abstract declarations of the forest's regions:
/// roots of one element with the fields "f0", "f1" and so on, of type i64.
mlir::OwningOpRef<mlir::ModuleOp>
exportModule(mlir::MLIRContext &context, llvm::StringRef name,
             const Graph &graph, const ExportOptions &options = {});

} // namespace sluice::rdir

#endif // SLUICE_RDIR_EXPORTMODULE_H
