//===- Draw.h - Pictures of graphs ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of HPVM graphs and of task graphs for `sluice graph`, in the
// language of Graphviz.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_DRIVER_DRAW_H
#define SLUICE_DRIVER_DRAW_H

#include "sluice/Driver/LeafReport.h"
#include "sluice/Driver/Picture.h"
#include "sluice/Driver/Program.h"

namespace sluice::driver {

/// Draws all roots of the program, or only `root` if not empty: nodes with
/// their extents and targets, internal nodes as boxes around their children,
/// edges with their ports. Omits ports that only carry the sizes of pointers,
/// unless `hasSizes`; if such a port orders two nodes, the edge leads to the
/// pointer. With a trace, colours show the times of nodes. Pages show the
/// remarks of each node.
Picture drawGraph(Program &program, llvm::StringRef root, bool hasSizes = false,
                  TracedNodes *traced = nullptr,
                  llvm::ArrayRef<LeafRemark> remarks = {});

/// Draws all task graphs of a verified module, or only `root` if not empty:
/// tasks with their kernels and arguments; an edge for each direct dependence,
/// with the data that causes it, dashed if only `after` does.
Picture drawTasks(mlir::ModuleOp module, llvm::StringRef root,
                  TracedNodes *traced = nullptr);

} // namespace sluice::driver

#endif // SLUICE_DRIVER_DRAW_H
