//===- ImportModule.h - Graphs from rdir modules --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the compact graphs, on which checks and orders are computed, from the
// operations of a module, and records which node represents which operation.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_IMPORTMODULE_H
#define SLUICE_RDIR_IMPORTMODULE_H

#include "sluice/RDIR/Checks.h"
#include "sluice/RDIR/RDIR.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mlir {
class AsmState;
} // namespace mlir

namespace sluice::rdir {

/// The graph of a `rdir.graph`, or of the body of a loop or must-epoch.
struct ImportedGraph {
  explicit ImportedGraph(const RegionForest &forest);
  ~ImportedGraph();

  /// The operation with this body.
  mlir::Operation *op = nullptr;
  /// Nested graphs: the enclosing graph, and its node for `op`.
  ImportedGraph *parent = nullptr;
  NodeIndex owner = noNode;

  Graph graph;
  /// The operation of each node.
  std::vector<mlir::Operation *> operations;
  /// Bodies of nodes, in the order of the nodes.
  std::vector<std::unique_ptr<ImportedGraph>> nested;

  /// `'%t2'`, as in the source or, without a name in the source, as printed;
  /// `'@update'` for a task with an unnamed result. Not thread-safe.
  std::string name(NodeIndex node) const;
  /// The same as a function for the checks; refers to this object.
  NodeNamer namer() const {
    return [this](NodeIndex node) { return name(node); };
  }
  /// The index of an operation of this body; noNode for other operations.
  NodeIndex find(mlir::Operation *node) const;

private:
  friend class GraphImporter;
  llvm::DenseMap<mlir::Operation *, NodeIndex> indices;
  mutable std::unique_ptr<mlir::AsmState> printed;
};

/// All graphs of a module.
struct ImportedModule {
  mlir::ModuleOp source;
  RegionForest forest;
  /// The region of each root, variable and partition, by operation.
  llvm::DenseMap<mlir::Operation *, RegionIndex> regions;
  /// Partitions, and regions from which their rules make them, where the forest
  /// has relations between the two: proofs about the one rest on the promises
  /// of the other.
  std::vector<std::pair<RegionIndex, RegionIndex>> ruleRelations;
  /// Operators by ReductionIndex: strings, and symbols of reductions.
  std::vector<mlir::Attribute> reductions;
  /// In module order.
  std::vector<std::unique_ptr<ImportedGraph>> graphs;
};

/// Imports a module that the verifier accepts. In nested graphs, data nodes
/// without a writer have the value from the start of the iteration.
std::unique_ptr<ImportedModule> importModule(mlir::ModuleOp module);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_IMPORTMODULE_H
