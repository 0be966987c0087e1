//===- GraphStreams.h - Graphs that run once per item -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of a stream's graphs run once per item. Several transforms must
// treat these graphs differently.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_GRAPHSTREAMS_H
#define SLUICE_LIB_TRANSFORMS_GRAPHSTREAMS_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"
#include "llvm/ADT/DenseSet.h"

namespace sluice::transforms {

/// The roots with streaming binds, and all graphs below them.
llvm::DenseSet<mlir::Operation *> findStreamingGraphs(mlir::ModuleOp graphs);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_GRAPHSTREAMS_H
