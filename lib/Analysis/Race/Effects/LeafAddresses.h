//===- LeafAddresses.h - Values of a leaf as polynomials --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The race check needs each address that a leaf computes as a formula of its
// instance's ids, the extents and the arguments. This interface is shared by
// the files that build such formulas, one kind of instruction each.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFADDRESSES_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFADDRESSES_H

#include "../Terms/Polynomial.h"
#include "LeafCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class AssumeInst;
}

namespace sluice {
class ControlDependence;
}

namespace sluice::races {

/// A fact about an integer of some width: it differs from `value` by a multiple
/// of two to that width.
struct Fact {
  Polynomial value;
  /// `value` is the exact number, seen as signed or as unsigned.
  bool isSigned = false, isUnsigned = false;
};

/// How to treat a value that is no formula of ids, turns and arguments.
enum class Follow : uint8_t {
  /// Not known.
  Nothing,
  /// A loaded value is a function of its address, which is valid if nothing
  /// writes this memory.
  Loads,
  /// Any number of its type. In one formula, the same value is the same number,
  /// so such formulas must not be compared with others of the instance.
  AnyNumber,
};

/// Turns integers of a leaf into polynomials, exactly as the machine computes
/// them. 64-bit numbers are assumed not to overflow if they would not for
/// extents and arguments of usual sizes, and unsigned ones are assumed to be
/// below 2 to the 63.
class LeafValues {
public:
  LeafValues(llvm::Function &leaf, llvm::FunctionAnalysisManager &analyses);

  /// The number that `value` has in `block`, seen as signed or unsigned. None
  /// if it cannot be expressed; `reason` then gives the reason.
  std::optional<Polynomial> number(llvm::Value *value, bool isSigned,
                                   const llvm::BasicBlock &block,
                                   std::string &reason,
                                   Follow follow = Follow::Nothing);
  std::optional<Polynomial> number(const llvm::SCEV *expression, bool isSigned,
                                   const llvm::BasicBlock &block,
                                   std::string &reason,
                                   Follow follow = Follow::Nothing);
  /// A number that is zero if and only if the integers `a` and `b` are equal.
  std::optional<Polynomial> difference(llvm::Value *a, llvm::Value *b,
                                       const llvm::BasicBlock &block,
                                       std::string &reason,
                                       Follow follow = Follow::Nothing);
  /// The number of bytes from `base` to `pointer`.
  std::optional<Polynomial> offset(llvm::Value *pointer,
                                   const llvm::Value *base,
                                   const llvm::BasicBlock &block,
                                   std::string &reason,
                                   Follow follow = Follow::Nothing);
  /// The conditions on the iterations of the loops around `block`.
  std::vector<Condition> turnLimits(const llvm::BasicBlock &block,
                                    Follow follow);

  llvm::ScalarEvolution &scalars;
  llvm::LoopInfo &loops;
  llvm::DominatorTree &dominators;

private:
  friend class FactBuilder;
  using Key = std::pair<const void *, const llvm::Loop *>;
  struct Known {
    std::optional<Fact> fact;
    std::string reason;
  };
  /// By Follow.
  std::map<Key, Known> known[3];
  /// The numbers of values that may be any number.
  std::map<const void *, unsigned> anyNumbers;
};

/// 1 if `PREDICATE left right` holds for unbounded numbers, otherwise 0.
Polynomial indicator(llvm::CmpInst::Predicate predicate, const Polynomial &left,
                     const Polynomial &right);

/// True if an unsigned 64-bit number may be negative as a signed one although
/// no argument is.
bool mayBeHuge(const Polynomial &value);

/// Finds the conditions under which blocks run.
class LeafConditions {
public:
  LeafConditions(llvm::Function &leaf, LeafValues &values);
  ~LeafConditions();

  /// Fills in `conditions`, `followedConditions`, `isCertain` and `firstTurns`.
  void describe(const llvm::BasicBlock &block, LeafAccess &access);

private:
  struct Facts {
    std::vector<Condition> conditions;
    bool isCertain = true;
    std::vector<unsigned> firstTurns;
    Follow follow = Follow::Nothing;

    bool isComplete() const { return isCertain && firstTurns.empty(); }
  };
  struct Known {
    Facts facts;
    /// With loaded values, where that is more.
    std::optional<Facts> followed;
  };
  Facts collect(const llvm::BasicBlock &block, Follow follow);
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
  /// The statements of the program by `__builtin_assume`.
  llvm::SmallVector<llvm::AssumeInst *> statements;
  /// Divisions by numbers that are not constants.
  llvm::SmallVector<llvm::BinaryOperator *> divisions;
  llvm::DenseMap<const llvm::BasicBlock *, Known> known;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_LEAFADDRESSES_H
