//===- PlanMemory.h - What nodes do to memory -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ports of leaves say what is done to arguments; code may do more, to globals
// or through pointers. The plan lists both, for the tracker and for checks.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_PLANMEMORY_H
#define SLUICE_LIB_CODEGEN_PLANMEMORY_H

#include "sluice/Analysis/LeafMemory.h"
#include "sluice/CodeGen/PlanModel.h"
#include "llvm/ADT/MapVector.h"

namespace sluice::codegen {

/// What the code of a leaf says beyond its ports.
struct LeafFacts {
  std::vector<bool> writtenParameters;
  std::map<std::string, MemoryUseKinds> globals;
};

/// Answers what nodes of one program do to memory.
class MemoryAccess {
public:
  explicit MemoryAccess(const llvm::Module &leaves) : leaves(leaves) {}

  /// What the node, or its descendants, do to what input `input` points to:
  /// what ports of leaves declare, and what their code writes beyond that.
  dfg::Access accessOf(dfg::NodeOp node, unsigned input);
  /// Sets `flat.uses`; adds to `model.memories` what is new there.
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
