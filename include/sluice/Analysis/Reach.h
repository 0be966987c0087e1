//===- Reach.h - How far apart instances that meet can be -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two nodes of a graph, one after the other, need not be run as a whole each:
// where an instance of the second one meets only instances of the first one
// that are near, by the number of their row, both may go row by row. Here it is
// proven how near.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_ANALYSIS_REACH_H
#define SLUICE_ANALYSIS_REACH_H

#include "mlir/IR/BuiltinOps.h"
#include "sluice/DFG/DFG.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <optional>

namespace sluice {

/// A row is all instances with one value of the slowest id of a node. Row r of
/// the later one of two nodes meets rows of the earlier one in memory from
/// r - behind to r + ahead only.
struct Reach {
  unsigned ahead = 0, behind = 0;
  /// Proven for grids whose extents are below two to the 16.
  bool isUsual = false;
};

/// Of the nodes of root graphs.
class Reaches {
public:
  /// `code` holds the leaves. Neither may change as long as this is asked.
  Reaches(mlir::ModuleOp graphs, const llvm::Module &code);
  ~Reaches();

  /// True if all that `node` touches, a node of a root graph, is memory of its
  /// instances and of arguments of the root that are operands of it.
  bool isKnown(dfg::NodeOp node);
  /// How near instances of two known nodes of one graph, the first before the
  /// second, are where they meet; none if that is not known or far. Different
  /// pointer arguments are taken as disjoint.
  std::optional<Reach> between(dfg::NodeOp first, dfg::NodeOp second);

private:
  class Root;
  Root *rootOf(dfg::NodeOp node);

  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_REACH_H
