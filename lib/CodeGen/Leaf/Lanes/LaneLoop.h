//===- LaneLoop.h - Loops over instances that lanes may run -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM makes vectors of innermost loops. A loop over instances with loops in
// it is for lanes: what stands here says which of them are understood.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_LANES_LANELOOP_H
#define SLUICE_LIB_CODEGEN_LEAF_LANES_LANELOOP_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"

#include <optional>
#include <string>

namespace llvm {
class AAResults;
class CallInst;
class DominatorTree;
class Function;
class PredicatedScalarEvolution;
class ScalarEvolution;
} // namespace llvm

namespace sluice::codegen {

class PrivateMemory;

/// Why a loop does not become lanes, in words for the author of the leaf.
struct LaneRefusal {
  std::string reason;
  /// The instruction that prevents lanes; null: the whole loop does.
  const llvm::Instruction *place = nullptr;
};

/// A loop over instances, whose length is known before it (LoopRounds.h).
struct LaneLoop {
  llvm::Loop *loop = nullptr;
  llvm::BasicBlock *exit = nullptr;
  /// The phis of its header, and by how much they grow.
  llvm::DenseMap<const llvm::PHINode *, int64_t> steps;
};

/// Describes `loop`, whose blocks are in LLVM's simple form, if its instances
/// may run in step: they do not depend on each other, one after another or in
/// memory, and do nothing that vectors cannot do, but for copies of `memory`,
/// which have to be taken apart first. Otherwise sets `refusal`. `isOwn`: it is
/// a leaf's own loop, of whose accesses to memory nothing is said here
/// (ApartRounds.h).
std::optional<LaneLoop>
describeLaneLoop(llvm::Loop &loop, const llvm::LoopInfo &loops,
                 const PrivateMemory &memory, llvm::ScalarEvolution &evolution,
                 llvm::AAResults &aliases, LaneRefusal &refusal,
                 bool isOwn = false);

/// What `call` of a function of numbers becomes in vectors of `numLanes`, or
/// null. Only such calls, and intrinsics, are in described loops.
llvm::Function *variantFor(const llvm::CallInst &call, unsigned numLanes);

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_LANES_LANELOOP_H
