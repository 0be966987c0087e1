//===- Transforms.h - Graph to graph --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over the graphs of a program, between import and flattening to a plan.
// They change no result: each keeps the order of nodes that the graph states,
// and the values of edges and binds (docs/transforms.md).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TRANSFORMS_TRANSFORMS_H
#define SLUICE_TRANSFORMS_TRANSFORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace sluice::transforms {

/// Which transforms run; all by default.
struct TransformOptions {
  bool flattenGraphs = true;
  bool removeDead = true;
  bool fuseNodes = true;
  bool tileNodes = true;
  bool pipelineEdges = true;
};

/// Runs the transforms that `options` names over `graphs`, whose leaf code is
/// `leaves`. New leaves are added to `leaves`; none that is there changes.
/// Fails, with a diagnostic, only if the result is not valid, which is a
/// defect.
mlir::LogicalResult transformGraphs(mlir::ModuleOp graphs, llvm::Module &leaves,
                                    const TransformOptions &options);

/// Registers each transform as a pass that finds its leaf code as `llvm.func`
/// in the module, and what that needs.
void registerTransformPasses(mlir::DialectRegistry &registry);

} // namespace sluice::transforms

#endif // SLUICE_TRANSFORMS_TRANSFORMS_H
