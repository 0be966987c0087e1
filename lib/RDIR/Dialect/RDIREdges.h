//===- RDIREdges.h - Clauses of nodes ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One class parses the clauses of all nodes. It collects their contents and
// puts them into the operation's attributes at the end.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_DIALECT_RDIREDGES_H
#define SLUICE_LIB_RDIR_DIALECT_RDIREDGES_H

#include "mlir/IR/Builders.h"
#include "sluice/RDIR/RDIR.h"

namespace sluice::rdir {

/// Parses the clauses of one node.
class ClauseParser {
public:
  ClauseParser(mlir::OpAsmParser &parser, mlir::OperationState &state)
      : parser(parser), state(state) {}

  /// `edges(...)` and attributes, as data nodes have them.
  mlir::ParseResult parseDataClauses();
  /// All clauses, up to the body or the end.
  mlir::ParseResult parseComputeClauses();
  /// Adds the parsed clauses to the operation. `properties` may belong to any
  /// kind of node.
  template <typename PropertiesT>
  mlir::ParseResult finish(PropertiesT &properties) {
    if (failed(addOperands()))
      return mlir::failure();
    addMentions();
    mlir::Builder &builder = parser.getBuilder();
    properties.kinds = builder.getDenseI8ArrayAttr(kinds);
    if (!reductions.empty())
      properties.reductions = builder.getArrayAttr(reductions);
    if (hasProjections)
      properties.projections = builder.getArrayAttr(projections);
    if (hasPorts)
      properties.ports = builder.getDenseI32ArrayAttr(ports);
    return mlir::success();
  }
  /// The same for compute nodes, which have more properties.
  template <typename PropertiesT>
  mlir::ParseResult finishCompute(PropertiesT &properties) {
    properties.over = over;
    properties.constants = constants;
    properties.coherence = coherence;
    return finish(properties);
  }

private:
  mlir::ParseResult parseClause(llvm::StringRef word);
  mlir::ParseResult parseEdges(EdgeCode code, mlir::Attribute reduction);
  mlir::ParseResult parseAnyEdge();
  mlir::ParseResult parseEdge(EdgeCode code, mlir::Attribute reduction);
  mlir::ParseResult parseMention(EdgeKind kind, mlir::FlatSymbolRefAttr region,
                                 llvm::SMLoc place, mlir::Attribute reduction);
  mlir::ParseResult parseOperator(mlir::Attribute &reduction);
  mlir::ParseResult parseProjection(mlir::Attribute &projection);
  mlir::ParseResult parseConstants();
  mlir::ParseResult parseCoherence();
  mlir::ParseResult refuseUnknownWord(llvm::StringRef expected);
  mlir::ParseResult addOperands();
  void addMentions();

  mlir::OpAsmParser &parser;
  mlir::OperationState &state;
  llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand, 8> operands;
  llvm::SmallVector<int8_t, 8> kinds;
  llvm::SmallVector<int32_t, 8> ports;
  llvm::SmallVector<mlir::Attribute, 8> projections;
  llvm::SmallVector<mlir::Attribute, 2> reductions;
  /// The regions that are named in place of versions.
  llvm::SmallVector<mlir::Attribute, 4> mentions;
  bool hasPorts = false, hasProjections = false;
  mlir::ArrayAttr over, constants;
  mlir::DenseI8ArrayAttr coherence;
};

/// Prints the edges of a node. On a compute node, edges whose direction matches
/// their clause are printed in clauses; all other edges are printed in
/// `edges(...)`.
void printEdges(mlir::OpAsmPrinter &printer, NodeOpInterface node);

/// `{a, b}`; null if no brace follows.
mlir::ParseResult parseFieldNames(mlir::OpAsmParser &parser,
                                  mlir::ArrayAttr &fields);
void printFieldNames(mlir::OpAsmPrinter &printer, mlir::ArrayAttr fields);

/// The ports that the edges of a node have by default, given the ports of the
/// edges before them.
llvm::SmallVector<uint32_t> defaultPorts(NodeOpInterface node);

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_DIALECT_RDIREDGES_H
