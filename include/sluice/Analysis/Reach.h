//===- Reach.h - The distance between instances that share memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two consecutive nodes of a graph need not each run as a whole. If an instance
// of the second node accesses the same memory only as instances of the first
// node in nearby rows, both nodes may proceed row by row. This analysis proves
// the maximum distance.
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
/// the later of two nodes shares memory only with rows r - behind to r + ahead
/// of the earlier one.
struct Reach {
  unsigned ahead = 0, behind = 0;
  /// Proven only for grids with extents below 2^16.
  bool isUsual = false;
};

/// The reaches between nodes of root graphs.
class Reaches {
public:
  /// `code` contains the leaves. Graphs and code must not change while the
  /// object is in use.
  Reaches(mlir::ModuleOp graphs, const llvm::Module &code);
  ~Reaches();

  /// True if `node`, a node of a root graph, accesses only memory of its
  /// instances and of arguments of the root that are its operands.
  bool isKnown(dfg::NodeOp node);
  /// The reach between two known nodes of one graph, the first before the
  /// second. None if it is not known or too large. Different pointer arguments
  /// are assumed to be disjoint.
  std::optional<Reach> between(dfg::NodeOp first, dfg::NodeOp second);

private:
  class Root;
  Root *rootOf(dfg::NodeOp node);

  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace sluice

#endif // SLUICE_ANALYSIS_REACH_H
