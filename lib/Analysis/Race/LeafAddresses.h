//===- LeafAddresses.h - Values of a leaf as polynomials --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_LEAFADDRESSES_H
#define SLUICE_LIB_ANALYSIS_RACE_LEAFADDRESSES_H

#include "LeafCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace sluice {
class ControlDependence;
}

namespace sluice::races {

/// Turns integers of a leaf to polynomials. Conversions between integer types
/// are taken not to change values.
class LeafValues {
public:
  LeafValues(llvm::Function &leaf, llvm::FunctionAnalysisManager &analyses);

  /// The value of `expression` in `block`; none if it is no polynomial, and
  /// then `reason` says why.
  std::optional<Polynomial> convert(const llvm::SCEV *expression,
                                    const llvm::BasicBlock &block,
                                    std::string &reason);
  std::optional<Polynomial> convert(llvm::Value *value,
                                    const llvm::BasicBlock &block,
                                    std::string &reason);
  /// Bytes from `base` to `pointer`.
  std::optional<Polynomial> offset(llvm::Value *pointer,
                                   const llvm::Value *base,
                                   const llvm::BasicBlock &block,
                                   std::string &reason);
  /// What holds about the turns of the loops around `block`.
  std::vector<Condition> turnLimits(const llvm::BasicBlock &block);

  llvm::ScalarEvolution &scalars;
  llvm::LoopInfo &loops;
  llvm::DominatorTree &dominators;
};

/// Under which conditions blocks run.
class LeafConditions {
public:
  LeafConditions(llvm::Function &leaf, LeafValues &values);
  ~LeafConditions();

  /// Fills in `conditions`, `isCertain` and `firstTurns`.
  void describe(const llvm::BasicBlock &block, LeafAccess &access);

private:
  struct Facts {
    std::vector<Condition> conditions;
    bool isCertain = true;
    std::vector<unsigned> firstTurns;
  };
  Facts collect(const llvm::BasicBlock &block);
  bool addBranch(const llvm::BranchInst &branch, bool isTaken,
                 const llvm::BasicBlock &block, Facts &facts);
  bool addCondition(llvm::Value *condition, bool isTrue, int loop,
                    const llvm::BasicBlock &block, Facts &facts);
  llvm::SmallVector<const llvm::SCEV *, 2>
  boundsOf(llvm::Value *value, llvm::CmpInst::Predicate predicate,
           bool isUpper);
  bool addMerged(llvm::PHINode &phi, bool isTrue, int loop,
                 const llvm::BasicBlock &block, Facts &facts);
  bool reachesForward(const llvm::BasicBlock *from, const llvm::BasicBlock *to);

  LeafValues &values;
  std::unique_ptr<ControlDependence> dependence;
  llvm::DenseMap<const llvm::BasicBlock *, Facts> known;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_LEAFADDRESSES_H
