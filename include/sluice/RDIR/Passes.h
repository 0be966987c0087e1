//===- Passes.h - The rdir checks and orders as passes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For `sluice-opt`: a pass for each property of a graph.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_PASSES_H
#define SLUICE_RDIR_PASSES_H

#include "mlir/IR/BuiltinOps.h"

namespace sluice::rdir {

/// Registers -rdir-check, a pass for each group of rules, and
/// -rdir-add-happens-before and -rdir-serialize.
void registerRDIRPasses();

/// Adds the orders that serializability requires (rule R*) as `after`, in all
/// graphs. Fails, with a diagnostic, for a graph with races.
llvm::LogicalResult addHappensBefore(mlir::ModuleOp module);

/// Sorts the nodes of all graphs into the serial order. Fails, with a
/// diagnostic, for a graph without a serial order.
llvm::LogicalResult serializeGraphs(mlir::ModuleOp module);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_PASSES_H
