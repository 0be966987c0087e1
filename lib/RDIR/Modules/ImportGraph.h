//===- ImportGraph.h - One body becomes one graph ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the import of modules and the import of bodies.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_MODULES_IMPORTGRAPH_H
#define SLUICE_LIB_RDIR_MODULES_IMPORTGRAPH_H

#include "sluice/RDIR/ImportModule.h"
#include "sluice/RDIR/Sums.h"

namespace sluice::rdir {

/// Imports the declarations, and resolves the names in graphs.
class ModuleImporter {
public:
  ModuleImporter(mlir::ModuleOp source, ImportedModule &module)
      : source(source), module(module), symbols(source) {}

  void run();
  /// The forest, without graphs.
  void addDeclarations();

  /// The region of a data node.
  RegionIndex region(mlir::FlatSymbolRefAttr name,
                     mlir::DenseI64ArrayAttr color);
  /// The fields of a data node. A null attribute means all fields of its root.
  FieldMask fields(mlir::FlatSymbolRefAttr name, mlir::ArrayAttr fields);
  ReductionIndex reduction(mlir::Attribute op);
  /// A null or unit attribute means the identity.
  Projection projection(mlir::Attribute attribute, PartitionOp partition,
                        unsigned numDims);
  mlir::Operation *declaration(mlir::FlatSymbolRefAttr name) {
    return symbols.lookup(name.getAttr());
  }
  const RegionForest &forest() const { return module.forest; }
  mlir::MLIRContext *context() const { return source->getContext(); }

private:
  using NamePair = std::pair<mlir::Attribute, mlir::Attribute>;

  void addPartition(PartitionOp op);
  bool keepsElements(PartitionOp op);
  void addRuleRelations();
  void readProjection(llvm::ArrayRef<Sum> sums, unsigned numDims,
                      Projection &projection);
  RegionIndex subregion(mlir::Operation *declaration,
                        llvm::ArrayRef<int64_t> color);

  mlir::ModuleOp source;
  ImportedModule &module;
  mlir::SymbolTable symbols;
  mlir::SymbolTableCollection tables;
  llvm::DenseMap<NamePair, RegionIndex> regionsByName;
  llvm::DenseMap<NamePair, FieldMask> fieldsByName;
  llvm::DenseMap<mlir::Attribute, ReductionIndex> reductionsByName;
  /// The numbers of the names in sums: parameters and iterations.
  llvm::DenseMap<mlir::Attribute, uint32_t> sharedByName;
};

/// Imports one body, and the bodies nested in it.
class GraphImporter {
public:
  GraphImporter(ModuleImporter &module, ImportedGraph &result)
      : module(module), result(result), graph(result.graph) {}

  void run(mlir::Block &body);

private:
  void addNode(NodeOpInterface node);
  void addEdges(NodeIndex index, NodeOpInterface node);
  void addDataEdges(NodeIndex index, NodeOpInterface node);
  void findPorts(NodeIndex index, NodeOpInterface node);
  void findOperators(NodeOpInterface node);
  uint32_t domain(mlir::ArrayAttr over);
  uint32_t projection(NodeIndex compute, NodeIndex data,
                      mlir::Attribute attribute);
  void markInitial();
  void addNested();

  ModuleImporter &module;
  ImportedGraph &result;
  Graph &graph;
  /// By node: distinguishes data nodes with equal regions.
  std::vector<const void *> fieldNames;
  /// By node: the next port of a computation. Only used when data nodes have
  /// `edges`.
  std::vector<uint32_t> nextPorts;
  llvm::DenseMap<mlir::Attribute, uint32_t> domains;
  /// By the attribute, the partition, the domain's rank, and whether all colors
  /// are used, however many there are.
  llvm::DenseMap<std::tuple<mlir::Attribute, RegionIndex, unsigned>, uint32_t>
      projections;
  /// Per edge of the current node.
  llvm::SmallVector<NodeIndex> others;
  llvm::SmallVector<uint32_t> ports;
  llvm::SmallVector<ReductionIndex> operators;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_MODULES_IMPORTGRAPH_H
