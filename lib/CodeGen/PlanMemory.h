//===- PlanMemory.h - Memory accesses of nodes ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ports of leaves declare accesses to arguments; the code may access more, in
// globals or through pointers. The plan lists both, for the tracker and for
// checks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_PLANMEMORY_H
#define SLUICE_LIB_CODEGEN_PLANMEMORY_H

#include "sluice/Analysis/LeafMemory.h"
#include "sluice/CodeGen/PlanModel.h"
#include "llvm/ADT/MapVector.h"

namespace sluice::codegen {

/// The accesses in the code of a leaf beyond its ports.
struct LeafFacts {
  std::vector<bool> writtenParameters;
  std::map<std::string, MemoryUseKinds> globals;
};

/// Answers queries about the memory accesses of one program's nodes.
class PlanMemory {
public:
  explicit PlanMemory(const llvm::Module &leaves) : leaves(leaves) {}

  /// The accesses of the node, or of its descendants, to the memory of input
  /// `input`: those that ports of leaves declare, and additional writes in
  /// their code.
  dfg::Access accessOf(dfg::NodeOp node, unsigned input);
  /// Sets `flat.uses`; adds new entries to `model.memories`.
  void addUses(FlatNode &flat, PlanModel &model);

private:
  const LeafFacts &factsOf(dfg::KernelOp kernel);
  void collectUses(dfg::NodeOp node,
                   llvm::MapVector<llvm::StringRef, dfg::Access> &uses);

  const llvm::Module &leaves;
  llvm::DenseMap<mlir::Operation *, LeafFacts> facts;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, dfg::Access> known;
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_PLANMEMORY_H
