//===- BorderCuts.h - Where comparisons of a loop change --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds what compares a loop's counter with something fixed, and the rounds in
// which the result is the usual one.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_CODEGEN_LEAF_BORDERS_BORDERCUTS_H
#define SLUICE_LIB_CODEGEN_LEAF_BORDERS_BORDERCUTS_H

#include "BorderLoop.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace llvm {
class TargetTransformInfo;
}

namespace sluice::codegen {

/// The range of a value in one round of the outer loop. Inner loops move the
/// value, for example through a window around the instance. For each inner
/// loop: its number of rounds without the last one, and the step of each round.
struct BorderWindow {
  llvm::SmallVector<std::pair<const llvm::SCEV *, uint64_t>, 2> spans;
  /// The ends, which move with the outer loop alone.
  const llvm::SCEVAddRecExpr *lowest = nullptr, *highest = nullptr;
};

/// `moving predicate fixed`, where `moving` grows or falls by `step` each round
/// and has `start` in the first one. The inside has one result, `truth`.
struct BorderCondition {
  const llvm::SCEVAddRecExpr *moving = nullptr;
  int64_t step = 0;
  const llvm::SCEV *fixed = nullptr;
  llvm::ICmpInst::Predicate predicate = llvm::ICmpInst::ICMP_EQ;
  bool truth = false;
  /// What `moving` is one end of: the one that decides for all.
  std::optional<BorderWindow> window;
  /// `fixed` as an id, if that is a constant.
  std::optional<int64_t> idBound;
  bool isAtStart = false; ///< the border: else at the end
  bool isShort = false;   ///< the border is as wide as a stencil
  /// An equality that holds somewhere between the borders, if at all.
  bool isWithin = false;
};

/// An instruction that is something simpler inside.
struct BorderFinding {
  llvm::Instruction *instruction = nullptr;
  llvm::SmallVector<BorderCondition, 3> conditions;
  llvm::Value *simpler = nullptr;
  /// If not null, `simpler` less this.
  llvm::Value *subtracted = nullptr;
};

/// What holds for a moving value in all rounds of the inside: that it is not
/// negative, or how it compares with `fixed`, in signed numbers.
struct BorderFact {
  const llvm::SCEVAddRecExpr *moving = nullptr;
  const llvm::SCEV *fixed = nullptr; ///< null: it is not negative
  llvm::ICmpInst::Predicate predicate = llvm::ICmpInst::ICMP_SGE;
};

/// Makes the loop what its inside is, one finding after another, while the
/// rounds of the inside become fewer. The loop is wrong until its pieces are
/// joined.
class BorderCuts {
public:
  BorderCuts(const BorderLoop &loop, llvm::ScalarEvolution &evolution,
             const llvm::TargetTransformInfo &target);

  /// The next instruction that is simpler inside, and worth a cut.
  std::optional<BorderFinding> findNext();
  void cut(const BorderFinding &finding);
  /// The rounds of the gap, from and to, once all is cut; both are `to` if the
  /// gap is in none of the rounds from `from` on.
  std::pair<llvm::Value *, llvm::Value *> placeGap();

  llvm::Value *rounds = nullptr;              ///< of the loop
  llvm::Value *from = nullptr, *to = nullptr; ///< rounds of the inside
  bool cutsStart = false, cutsEnd = false;
  bool isShortStart = true, isShortEnd = true;
  /// The only round between `from` and `to` that is not as those of the inside,
  /// if it is one of these at all. Null: there is none.
  llvm::Value *gap = nullptr;

private:
  /// Borders of stencils are not wider.
  static constexpr int64_t shortBorder = 16;

  const BorderLoop &loop;
  llvm::ScalarEvolution &evolution;
  const llvm::TargetTransformInfo &target;
  llvm::SCEVExpander expander;
  llvm::IRBuilder<> builder;
  llvm::SmallPtrSet<const llvm::Instruction *, 16> done;
  /// The extents that the loop's limit consists of.
  llvm::SmallPtrSet<const llvm::Value *, 8> limits;
  std::optional<int64_t> constantLimit;    ///< the extent, if it is a constant
  const llvm::SCEV *gapDistance = nullptr; ///< of `gap` from the first round
  llvm::SmallVector<BorderFact> facts;     ///< of what has been cut
  bool takesLowest = true; ///< the next of values that differ by a number

  void findLimits(const llvm::Value *limit, unsigned depth);
  bool isWorthIt(const llvm::Instruction &instruction) const;
  void takeApart();
  bool takeApart(llvm::ICmpInst &test);
  std::optional<BorderFinding> find(llvm::Instruction &instruction);
  std::optional<BorderFinding> findCompare(llvm::ICmpInst &test);
  std::optional<BorderFinding> findRange(llvm::ICmpInst &test);
  std::optional<BorderFinding> findWindow(llvm::ICmpInst &test);
  std::optional<BorderFinding> findMinMax(llvm::IntrinsicInst &call);
  std::optional<BorderFinding> findRemainder(llvm::BinaryOperator &remainder);
  std::optional<BorderFinding>
  findConstantRemainder(llvm::BinaryOperator &remainder,
                        const llvm::APInt &divisor);
  const llvm::SCEVAddRecExpr *movingValue(const llvm::SCEV *value) const;
  std::optional<BorderWindow> windowOf(const llvm::SCEV *value);
  bool isWindow(const llvm::SCEV *value) {
    return !movingValue(value) && windowOf(value);
  }
  void settleEnd(BorderCondition &condition) const;
  void placeWindow(BorderCondition &condition) const;
  std::optional<BorderFact> factOf(const BorderCondition &condition) const;
  bool isImplied(const BorderCondition &condition) const;
  bool isFurtherOut(const BorderFinding &finding,
                    const BorderFinding &other) const;
  std::optional<BorderCondition> compare(const llvm::SCEV *left,
                                         llvm::ICmpInst::Predicate predicate,
                                         const llvm::SCEV *right);
  bool demand(BorderFinding &finding, const llvm::SCEV *left,
              llvm::ICmpInst::Predicate predicate, const llvm::SCEV *right,
              bool isAtStart);
  const llvm::SCEV *firstId(const llvm::SCEVAddRecExpr &moving) const;
  std::optional<int64_t> beyondId(const llvm::SCEVAddRecExpr &moving) const;
  void place(BorderCondition &condition) const;
  bool isShort(int64_t idBound, bool isAtStart) const;
  llvm::Value *keepsRoom(const BorderCondition &condition, llvm::Value *start);
  llvm::Value *expand(const llvm::SCEV *value);
  llvm::Value *staysApart(const BorderCondition &condition, llvm::Value *value,
                          llvm::Value *left);
  void cutAt(const BorderCondition &condition);
  const llvm::SCEV *distanceOf(const BorderCondition &condition) const;
  bool leavesGap(const BorderCondition &condition) const;
  void leaveGap(const BorderCondition &condition);
};

} // namespace sluice::codegen

#endif // SLUICE_LIB_CODEGEN_LEAF_BORDERS_BORDERCUTS_H
