//===- TransformFunctions.h - The transforms, one function each -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function rewrites the graphs of a module and adds the leaves it makes
// to `leaves`. The class comments in the files say what each one does and
// refuses.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_TRANSFORMS_TRANSFORMFUNCTIONS_H
#define SLUICE_LIB_TRANSFORMS_TRANSFORMFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/Module.h"

namespace sluice::transforms {

void flattenGraphs(mlir::ModuleOp graphs, llvm::Module &leaves);
void removeDead(mlir::ModuleOp graphs, llvm::Module &leaves);
void fuseNodes(mlir::ModuleOp graphs, llvm::Module &leaves);
void tileNodes(mlir::ModuleOp graphs, llvm::Module &leaves);
/// Marks the edges that run chunk by chunk. Without `all`, marks only the edges
/// that must run this way.
void pipelineEdges(mlir::ModuleOp graphs, const llvm::Module &leaves, bool all);

} // namespace sluice::transforms

#endif // SLUICE_LIB_TRANSFORMS_TRANSFORMFUNCTIONS_H
