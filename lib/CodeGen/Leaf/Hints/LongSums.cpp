//===- LongSums.cpp - Sums that LLVM must not take apart ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Terms are counted as scalar evolution counts them: through products with
// constants, changes of width, and counters of outer loops, which begin at
// sums. In innermost loops nothing is frozen: counters must stay counters.
//
//===----------------------------------------------------------------------===//

#include "LongSums.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#define DEBUG_TYPE "sluice-close-long-sums"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numClosedSums, "Sums of many terms made one term");

namespace sluice::codegen {

/// Of sums with so many terms, the subsets are few.
static constexpr unsigned maxTerms = 3;

namespace {

class TermCounts {
public:
  explicit TermCounts(const LoopInfo &loops) : loops(loops) {}

  /// The number of terms of a value, whose operands are counted already.
  unsigned of(const Value &value) const {
    if (isa<Constant>(value))
      return 0;
    auto found = counts.find(&value);
    return found == counts.end() ? 1 : found->second;
  }
  void count(const Instruction &instruction) {
    counts[&instruction] = termsOf(instruction);
  }
  void close(const Instruction &instruction) { counts[&instruction] = 1; }

private:
  unsigned ofOperands(const User &user) const {
    unsigned sum = 0;
    for (const Value *operand : user.operands())
      sum += of(*operand);
    return sum;
  }
  unsigned termsOf(const Instruction &instruction) const;

  const LoopInfo &loops;
  DenseMap<const Value *, unsigned> counts;
};

} // namespace

unsigned TermCounts::termsOf(const Instruction &instruction) const {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::GetElementPtr:
    return ofOperands(instruction);
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(instruction).isDisjoint()
               ? ofOperands(instruction)
               : 1;
  case Instruction::Mul:
  case Instruction::Shl:
    return isa<Constant>(instruction.getOperand(1)) ? ofOperands(instruction)
                                                    : 1;
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    return ofOperands(instruction);
  case Instruction::PHI: {
    const Loop *loop = loops.getLoopFor(instruction.getParent());
    if (!loop || loop->getHeader() != instruction.getParent() ||
        !loop->getLoopPredecessor())
      return 1;
    return std::max(
        1u, of(*cast<PHINode>(instruction)
                    .getIncomingValueForBlock(loop->getLoopPredecessor())));
  }
  default:
    return 1;
  }
}

PreservedAnalyses CloseLongSums::run(Function &function,
                                     FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty())
    return PreservedAnalyses::all();
  TermCounts terms(loops);
  bool hasChanged = false;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    const Loop *loop = loops.getLoopFor(block);
    for (Instruction &instruction : make_early_inc_range(*block)) {
      terms.count(instruction);
      if (terms.of(instruction) <= maxTerms || (loop && loop->isInnermost()) ||
          !instruction.getType()->isIntegerTy() || isa<PHINode>(instruction))
        continue;
      auto *frozen = new FreezeInst(&instruction, instruction.getName(),
                                    std::next(instruction.getIterator()));
      frozen->setDebugLoc(instruction.getDebugLoc());
      instruction.replaceUsesWithIf(
          frozen, [&](Use &use) { return use.getUser() != frozen; });
      terms.close(*frozen);
      ++numClosedSums;
      hasChanged = true;
    }
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
