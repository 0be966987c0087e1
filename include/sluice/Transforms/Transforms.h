//===- Transforms.h - Transforms from graph to graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes over the graphs of a program, between import and flattening to a plan.
// They do not change results: each keeps the order of nodes in the graph and
// the values of edges and binds (docs/transforms.md).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_TRANSFORMS_TRANSFORMS_H
#define SLUICE_TRANSFORMS_TRANSFORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace sluice::transforms {

/// The transforms to run; all by default.
struct TransformOptions {
  bool flattenGraphs = true;
  bool removeDead = true;
  bool fuseNodes = true;
  bool tileNodes = true;
  bool pipelineEdges = true;
};

/// Runs the transforms selected by `options` over `graphs` with the leaf code
/// `leaves`. Adds new leaves to `leaves`; existing ones are not changed. Fails,
/// with a diagnostic, only if the result is not valid, which is a defect of
/// Sluice.
mlir::LogicalResult transformGraphs(mlir::ModuleOp graphs, llvm::Module &leaves,
                                    const TransformOptions &options);

/// Registers each transform as a pass that finds its leaf code as `llvm.func`
/// in the module, and the required dialects.
void registerTransformPasses(mlir::DialectRegistry &registry);

} // namespace sluice::transforms

#endif // SLUICE_TRANSFORMS_TRANSFORMS_H
