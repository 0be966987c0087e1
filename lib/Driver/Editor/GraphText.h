//===- GraphText.h - Descriptions of graphs ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that an editor shows, in Markdown, when the user points at a node, a
// leaf or a graph. Programs in C, C++ and the dfg dialect get the same text.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_GRAPHTEXT_H
#define SLUICE_LIB_DRIVER_EDITOR_GRAPHTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"
#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace sluice::driver {

/// Describes the node with its extents, target and ports, and the source of
/// each input.
std::string describeNode(dfg::NodeOp node);

/// Describes a leaf or graph with its target and ports, and the nodes that call
/// it.
std::string describeCallable(mlir::Operation *callable,
                             llvm::ArrayRef<dfg::NodeOp> nodes);

/// The nodes of a module by the leaf or graph that they run, in the order of
/// the module.
using NodesByCallee =
    llvm::DenseMap<mlir::Operation *, std::vector<dfg::NodeOp>>;
NodesByCallee nodesByCallee(mlir::ModuleOp module);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_GRAPHTEXT_H
