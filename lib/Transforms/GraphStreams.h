//===- GraphStreams.h - Which graphs run once per item ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several transforms must treat graphs of a stream differently, whose nodes run
// once per item.
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
