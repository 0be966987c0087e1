//===- ExportForest.h - Forests as declarations -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests and lib/Analysis make graphs without declarations of their own. To
// become a module, such a graph needs declarations.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_MODULES_EXPORTFOREST_H
#define SLUICE_LIB_RDIR_MODULES_EXPORTFOREST_H

#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

/// Adds abstract declarations of the graph's forest to a module. Returns their
/// symbols by region; null for colors.
std::vector<mlir::FlatSymbolRefAttr> exportForest(mlir::ModuleOp module,
                                                  const Graph &graph);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_MODULES_EXPORTFOREST_H
