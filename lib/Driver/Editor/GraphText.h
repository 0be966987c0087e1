//===- GraphText.h - Graphs in words ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an editor says of a node, a leaf or a graph that is pointed at, in
// Markdown: the same for programs in C, C++ and the dfg dialect.
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

/// The node with its extents, target and ports, and what feeds each input.
std::string describeNode(dfg::NodeOp node);

/// A leaf or graph with its target and ports, and its nodes, which have it as
/// their callee.
std::string describeCallable(mlir::Operation *callable,
                             llvm::ArrayRef<dfg::NodeOp> nodes);

/// The nodes of a module by the leaf or graph that they run, in the order of
/// the module.
using NodesByCallee =
    llvm::DenseMap<mlir::Operation *, std::vector<dfg::NodeOp>>;
NodesByCallee nodesByCallee(mlir::ModuleOp module);

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_GRAPHTEXT_H
