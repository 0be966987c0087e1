//===- LowerRegions.h - From rdir operations to a program's structure -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations first (LowerDeclarations.cpp), then each compute node to a
// statement (LowerStatements.cpp), its edges to arguments (LowerArguments.cpp),
// and the nodes of each graph in the order that the checks proved
// (LowerGraphs.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_REGIONS_LOWERREGIONS_H
#define SLUICE_LIB_CODEGEN_REGIONS_LOWERREGIONS_H

#include "Source.h"
#include "sluice/RDIR/ImportModule.h"
#include "sluice/RDIR/RDIR.h"
#include "sluice/RDIR/Sums.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace sluice::codegen {

/// An edge between a compute node and a data node, from the perspective of the
/// compute node.
struct NodeEdge {
  rdir::EdgeKind kind;
  mlir::Operation *data = nullptr;
  /// Null: the identity.
  mlir::Attribute projection, reduction;
  /// -1: the default.
  int32_t port = -1;
};

/// The program of one module. Reports every problem.
class ProgramLowering {
public:
  ProgramLowering(mlir::ModuleOp module, const LoweringOptions &options)
      : module(module), options(options) {}
  mlir::FailureOr<RegionModel> run();

private:
  // LowerDeclarations.cpp
  void lowerDeclarations();
  void lowerParameter(rdir::ParameterOp op);
  void lowerRoot(rdir::RootOp op);
  void lowerVariable(rdir::VariableOp op);
  void lowerPartition(rdir::PartitionOp op);
  void lowerConstraint(rdir::ConstraintOp op);
  void constrainToParent(unsigned partition);
  RegionPart partOf(mlir::Operation *op, mlir::FlatSymbolRefAttr name,
                    std::optional<llvm::ArrayRef<int64_t>> color);
  void lowerPartitionRule(rdir::PartitionOp op, RegionPartition &partition);
  void lowerMap(rdir::PartitionOp op, RegionPartition &partition);
  void lowerFields(rdir::PartitionOp op, RegionPartition &partition);
  std::vector<Extent> extentsOf(mlir::Operation *op, mlir::ArrayAttr extents);
  Extent extentOf(mlir::Operation *op, mlir::Attribute extent);
  Extent sumOf(mlir::Operation *op, const rdir::Sum &sum);
  /// -1, after an error, if the color's number is not known here.
  int64_t linearColor(mlir::Operation *op, unsigned partition,
                      llvm::ArrayRef<int64_t> color);
  unsigned partitionOf(mlir::Operation *op, mlir::FlatSymbolRefAttr name);
  unsigned reductionOf(mlir::Operation *op, mlir::Attribute reduction,
                       ElementType type);

  // LowerGraphs.cpp
  RegionGraph lowerGraph(const rdir::ImportedGraph &imported);
  std::vector<RegionStatement> lowerBody(const rdir::ImportedGraph &imported);
  void findDependences(const rdir::ImportedGraph &imported,
                       std::vector<RegionStatement> &statements);
  void collectDataEdges(mlir::Block &body);
  void findUnwritten(const rdir::ImportedGraph &imported);
  void checkFunctions();

  // LowerStatements.cpp
  RegionStatement lowerNode(const rdir::ImportedGraph &imported,
                            rdir::NodeIndex index);
  void lowerFunction(mlir::Operation *op, mlir::FlatSymbolRefAttr function,
                     RegionStatement &statement);
  void lowerConstants(mlir::Operation *op, RegionStatement &statement);
  void refuseReductions(mlir::Operation *op, const RegionStatement &statement);
  void lowerCopy(rdir::CopyOp op, RegionStatement &statement);
  /// CheckCopies.cpp
  void checkCopiedElements(mlir::Operation *op,
                           const RegionStatement &statement);
  void lowerFill(rdir::FillOp op, RegionStatement &statement);
  void lowerLoop(rdir::LoopOp op, RegionStatement &statement);
  void lowerNested(const rdir::ImportedGraph &imported, rdir::NodeIndex index,
                   RegionStatement &statement);
  std::string uniqueLabel(llvm::StringRef wanted);

  // LowerArguments.cpp
  void refuseRepeats(rdir::NodeOpInterface node,
                     const RegionStatement &statement);
  void lowerArguments(rdir::NodeOpInterface node, RegionStatement &statement);
  std::map<unsigned, llvm::SmallVector<NodeEdge>>
  edgesByPort(rdir::NodeOpInterface node);
  void lowerPort(rdir::NodeOpInterface node, unsigned port,
                 llvm::ArrayRef<NodeEdge> edges, bool isDiscarded,
                 RegionStatement &statement);
  bool setPrivilege(rdir::NodeOpInterface node, unsigned port,
                    llvm::ArrayRef<NodeEdge> edges, bool isDiscarded,
                    RegionArgument &argument);
  void setRegion(mlir::Operation *data, RegionArgument &argument);
  void setProjection(rdir::NodeOpInterface node, mlir::Attribute projection,
                     const RegionStatement &statement,
                     RegionArgument &argument);
  void setSums(rdir::NodeOpInterface node, llvm::ArrayRef<rdir::Sum> sums,
               const RegionStatement &statement, RegionProjection &projection);
  void setReduction(rdir::NodeOpInterface node, mlir::Attribute reduction,
                    RegionArgument &argument);
  void findChecks(RegionStatement &statement);

  /// Reports code that cannot run, unless the program is only being checked.
  void refuseToRun(mlir::Operation *op, const llvm::Twine &message) {
    if (!options.isOnlyChecked)
      fail(op) << message;
  }
  /// Reports an error; `run` fails then.
  mlir::InFlightDiagnostic fail(mlir::Operation *op) {
    hasFailed = true;
    return op->emitError();
  }

  mlir::ModuleOp module;
  LoweringOptions options;
  mlir::SymbolTableCollection tables;
  RegionModel program;
  bool hasFailed = false;
  llvm::DenseMap<mlir::Operation *, unsigned> parameters, roots, partitions;
  /// By compute node.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<NodeEdge>> dataEdges;
  std::map<std::pair<std::string, ElementType>, unsigned> reductionIndices;
  llvm::StringMap<unsigned> labels;
};

/// Warns of statements that change the fields from which a partition was made
/// that is still used (PartitionOrder.cpp).
void reportStaleParts(const RegionModel &program);

/// The type of a field's values, and the number of values per element. The
/// verifier has rejected types that fields cannot have.
ElementType elementTypeOf(mlir::Type type, unsigned *count = nullptr);
/// A number of the types that fields can have.
ValueBits bitsOf(mlir::Attribute value);
/// "'%t2'", or a description of the operation if it has no name.
std::string nodeText(mlir::Operation *op);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_REGIONS_LOWERREGIONS_H
