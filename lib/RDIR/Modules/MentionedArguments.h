//===- MentionedArguments.h - The regions that a node names -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the names in the clauses of a node in short form, and joins what the
// clauses say about one region to arguments.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_RDIR_MODULES_MENTIONEDARGUMENTS_H
#define SLUICE_LIB_RDIR_MODULES_MENTIONEDARGUMENTS_H

#include "ImportGraph.h"
#include "sluice/RDIR/SequentialProgram.h"

namespace sluice::rdir {

/// An argument of a task: fields of one region with one privilege.
struct MentionedArgument {
  RegionIndex region = noRegion;
  FieldMask fields = 0;
  Privilege privilege = Privilege::Read;
  /// Null: the identity.
  mlir::Attribute projection = {}, reduction = {};
  ReductionIndex reductionIndex = noReduction;
  /// Where the text names it first.
  mlir::Location place;
};

/// The declaration and color of a region.
struct RegionMention {
  mlir::FlatSymbolRefAttr name;
  mlir::DenseI64ArrayAttr color;
};

class MentionReader {
public:
  MentionReader(ModuleImporter &importer, const ImportedModule &module)
      : importer(importer), module(module) {}

  /// A graph in short form has neither data nodes nor edges to them.
  llvm::LogicalResult checkForm(NodeOpInterface node) const;
  /// The arguments, in the order in which the text names them. A single task
  /// with a color that depends on iterations becomes a launch of one point.
  mlir::FailureOr<std::vector<MentionedArgument>> read(NodeOpInterface node);

  /// The names of a region, which `read` returned or which is an ancestor.
  RegionMention mentionOf(RegionIndex region) const;
  /// Null for all fields.
  mlir::ArrayAttr fieldNames(RegionIndex region, FieldMask fields) const;
  /// "'@update'".
  static std::string nameOf(NodeOpInterface node);

private:
  struct Mention;
  using Mentions = std::vector<Mention>;

  mlir::FailureOr<Mentions> resolve(NodeOpInterface node);
  llvm::LogicalResult resolveName(mlir::DictionaryAttr entry, Mention &mention);
  llvm::LogicalResult resolveColor(mlir::DictionaryAttr entry,
                                   Mention &mention);
  llvm::LogicalResult resolveFields(mlir::DictionaryAttr entry,
                                    Mention &mention);
  llvm::LogicalResult checkProjection(NodeOpInterface node,
                                      const Mention &mention);
  bool overwritesAll(NodeOpInterface node, const Mention &mention) const;

  ModuleImporter &importer;
  const ImportedModule &module;
};

} // namespace sluice::rdir

#endif // SLUICE_LIB_RDIR_MODULES_MENTIONEDARGUMENTS_H
