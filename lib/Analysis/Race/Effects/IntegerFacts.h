//===- IntegerFacts.h - Known facts about integers of a leaf ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of a leaf become polynomials over ids, extents, arguments and loop
// iterations. Sums, products and their truncations to narrow types are tracked
// modulo two to their width, so they are exact whether or not they overflow.
// Where the exact number matters, the flags of an instruction, its range, or a
// derived symbol provide it. Loops are left to LLVM's scalar evolution.
//
//===----------------------------------------------------------------------===//

#ifndef SLUICE_LIB_ANALYSIS_RACE_EFFECTS_INTEGERFACTS_H
#define SLUICE_LIB_ANALYSIS_RACE_EFFECTS_INTEGERFACTS_H

#include "LeafAddresses.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace sluice::races {

/// The reason why most values cannot be expressed.
inline constexpr char notLinear[] =
    "it is not linear in the instance ids and loop counters";

/// The iteration number of a loop, as a symbol.
Polynomial turnOf(const llvm::Loop &loop, llvm::LoopInfo &loops);

/// The symbol of the object `base` in functions of memory: a parameter, or a
/// global variable that all threads share.
std::optional<Symbol> symbolOfMemory(const llvm::Value &base);

/// The branch that decides which of two values `phi` has; none if there is no
/// such branch. `yes` becomes the value if the branch is taken.
llvm::BranchInst *decidingBranch(llvm::PHINode &phi,
                                 llvm::DominatorTree &dominators,
                                 llvm::Value *&yes, llvm::Value *&no);

/// Finds facts about one value in one block. The block determines which
/// iteration of a loop is meant.
class FactBuilder {
public:
  FactBuilder(LeafValues &values, const llvm::BasicBlock &block,
              std::string &reason, Follow follow = Follow::Nothing)
      : values(values), block(block), loop(values.loops.getLoopFor(&block)),
        layout(block.getDataLayout()), reason(reason), follow(follow) {}

  std::optional<Fact> of(llvm::Value *value);
  std::optional<Fact> of(const llvm::SCEV *expression);
  std::optional<Polynomial> number(llvm::Value *value, bool isSigned);
  std::optional<Polynomial> number(const llvm::SCEV *expression, bool isSigned);
  std::optional<Polynomial> offset(llvm::Value *pointer,
                                   const llvm::Value *base);
  /// The number that a fact about `bits` bits describes.
  std::optional<Polynomial> number(const std::optional<Fact> &fact,
                                   unsigned bits, bool isSigned);

private:
  std::optional<Fact> build(llvm::Value *value, unsigned bits);
  std::optional<Fact> build(const llvm::SCEV *expression, unsigned bits);
  std::optional<Fact> binary(llvm::BinaryOperator &operation, unsigned bits);
  std::optional<Fact> linear(llvm::BinaryOperator &operation, unsigned bits);
  std::optional<Fact> divided(llvm::BinaryOperator &operation, unsigned bits);
  std::optional<Fact> quotient(const Polynomial &value, bool isSigned,
                               int64_t divisor, unsigned bits);
  std::optional<Fact> bitField(llvm::BinaryOperator &moved,
                               const llvm::ConstantInt &down, bool isSigned,
                               unsigned bits);
  std::optional<Fact> masked(llvm::Value *value, const llvm::APInt &mask,
                             unsigned bits);
  std::optional<Fact> logic(llvm::BinaryOperator &operation, unsigned bits);
  std::optional<Fact> call(llvm::IntrinsicInst &call, unsigned bits);
  std::optional<Fact> chosen(llvm::Value *condition, llvm::Value *yes,
                             llvm::Value *no, unsigned bits);
  std::optional<Fact> loaded(llvm::LoadInst &load, unsigned bits);
  std::optional<Fact> merged(llvm::PHINode &phi, unsigned bits);
  /// `fact`, or an arbitrary number for the value or expression if the fact is
  /// vague.
  std::optional<Fact> unlessVague(std::optional<Fact> fact, const void *value,
                                  unsigned bits);
  std::optional<Fact> recurrence(const llvm::SCEVAddRecExpr &expression,
                                 unsigned bits);
  std::optional<Fact> some(llvm::User &operation, unsigned bits,
                           IntegerRange range);
  std::optional<Polynomial> truth(llvm::Value *condition);
  std::optional<Polynomial> pick(llvm::Value *condition,
                                 const std::optional<Polynomial> &yes,
                                 const std::optional<Polynomial> &no);
  std::nullopt_t unknown(std::string why = notLinear) {
    if (reason.empty())
      reason = std::move(why);
    return std::nullopt;
  }
  std::nullopt_t unknown(const llvm::Value &value);
  std::optional<Fact> make(Polynomial value, unsigned bits,
                           bool isSigned = false, bool isUnsigned = false);

  LeafValues &values;
  const llvm::BasicBlock &block;
  const llvm::Loop *loop;
  const llvm::DataLayout &layout;
  std::string &reason;
  const Follow follow;
  unsigned depth = 0;
};

} // namespace sluice::races

#endif // SLUICE_LIB_ANALYSIS_RACE_EFFECTS_INTEGERFACTS_H
