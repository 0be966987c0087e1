//===- RegionText.h - Descriptions of regions -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that an editor shows, in Markdown, when the user points at a
// partition, a version or a task.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_DRIVER_EDITOR_REGIONTEXT_H
#define SLUICE_LIB_DRIVER_EDITOR_REGIONTEXT_H

#include "sluice/RDIR/CheckModule.h"

#include <functional>
#include <string>

namespace sluice::driver {

/// The name of an operation's result in the text, "%a0"; may be empty.
using NameOf = std::function<std::string(mlir::Operation *op)>;

/// Describes the contents of one module. Keeps references to all constructor
/// arguments.
class RegionText {
public:
  RegionText(const rdir::ImportedModule &imported,
             const rdir::ModuleCheck &check, NameOf nameOf);

  /// Empty for operations that the text already describes fully.
  std::string describe(mlir::Operation *op) const;

private:
  void add(const rdir::ImportedGraph &graph);
  std::string describe(rdir::PartitionOp partition) const;
  std::string describeNode(const rdir::ImportedGraph &graph,
                           rdir::NodeIndex node) const;

  const rdir::ModuleCheck &check;
  NameOf nameOf;
  struct Place {
    const rdir::ImportedGraph *graph;
    rdir::NodeIndex node;
  };
  llvm::DenseMap<mlir::Operation *, Place> places;
};

} // namespace sluice::driver

#endif // SLUICE_LIB_DRIVER_EDITOR_REGIONTEXT_H
