//===- Import.h - Graphs from rdir modules --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the compact graphs, which checks and orders are computed on, from the
// operations of a module, and remembers which node is which operation.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_RDIR_IMPORT_H
#define SLUICE_RDIR_IMPORT_H

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

  /// The operation whose body this is.
  mlir::Operation *op = nullptr;
  /// Nested graphs: where they are nested, and the node there that is `op`.
  ImportedGraph *parent = nullptr;
  NodeIndex owner = noNode;

  Graph graph;
  /// By node.
  std::vector<mlir::Operation *> operations;
  /// Bodies of the nodes that have one, in the order of these nodes.
  std::vector<std::unique_ptr<ImportedGraph>> nested;

  /// `'%t2'`, as the source has it or, where it has no name, as it is printed;
  /// `'@update'` for a task whose result is not named. Not thread-safe.
  std::string name(NodeIndex node) const;
  /// The same for the checks; refers to this object.
  NodeNamer namer() const {
    return [this](NodeIndex node) { return name(node); };
  }
  /// The index of an operation of this body, noNode for others.
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
  /// Roots, variables and partitions, by their operation.
  llvm::DenseMap<mlir::Operation *, RegionIndex> regions;
  /// Operators by ReductionIndex: strings, and symbols of reductions.
  std::vector<mlir::Attribute> reductions;
  /// In the order of the module.
  std::vector<std::unique_ptr<ImportedGraph>> graphs;
};

/// Imports a module that the verifier accepts. In nested graphs, data nodes
/// that nobody writes have a value, that of the start of the iteration.
std::unique_ptr<ImportedModule> importModule(mlir::ModuleOp module);

} // namespace sluice::rdir

#endif // SLUICE_RDIR_IMPORT_H
