//===- InferVersions.h - From regions to their versions ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the short form of a graph, nodes name the regions that they access:
// `reads(@halos) writes(@blocks)`. The order of the text is the serial order,
// which determines the versions, opens and closes.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_INFERVERSIONS_H
#define SLUICE_RDIR_INFERVERSIONS_H

#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

/// True if a node of the graph names regions in place of versions, or the graph
/// has an `else`, which explicit graphs do not have.
bool namesRegions(GraphOp graph);

/// Writes the graphs of a module, which the verifier accepts, in the explicit
/// form, on which all checks work. Fails, with diagnostics, if a graph names
/// something that does not exist, or mixes the two forms. Graphs in explicit
/// form stay as they are.
llvm::LogicalResult inferVersions(mlir::ModuleOp module);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_INFERVERSIONS_H
