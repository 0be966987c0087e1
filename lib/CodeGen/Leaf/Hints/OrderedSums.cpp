//===- OrderedSums.cpp - Ordered sums in vectorised loops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM asks the target whether ordered sums are allowed, for all loops at once.
// So the answer is yes, and loops that must stay scalar are marked
// individually.
//
//===----------------------------------------------------------------------===//

#include "OrderedSums.h"

#include "LlvmOptions.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-ordered-sums"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numOrderedSums,
                         "Loops with ordered sums that may become vectors");

namespace sluice::codegen {

/// The weighted number of operations per round above which splitting vectors
/// for the sum pays off.
static constexpr unsigned muchWork = 12;
static constexpr unsigned longOperation = 8;

OrderedSums::OrderedSums() {
  setLlvmOption("force-ordered-reductions", "true");
}

namespace {

/// Examines an innermost loop with sums.
class SumFinder {
public:
  SumFinder(Loop &loop, ScalarEvolution &evolution)
      : loop(loop), evolution(evolution) {}

  /// Whether there are sums that keep their order.
  bool find();
  /// Whether nothing else must be in order, and vectors pay off.
  bool areWorthIt() const { return arePlain && work() >= muchWork; }
  /// Rewrites sums that only some rounds add to into a form that LLVM
  /// recognises.
  void addAlways();

private:
  Loop &loop;
  ScalarEvolution &evolution;
  bool arePlain = true;
  SmallVector<std::pair<PHINode *, Instruction *>> chosen;

  unsigned work() const;
  bool isSumOf(const PHINode &phi, const Value *value) const;
  bool isChosenSum(const PHINode &phi, const Instruction &last) const;
};

} // namespace

/// Whether `value` is the sum of `phi` and another value, and has no other
/// users. Excludes a product that is added with a single rounding.
bool SumFinder::isSumOf(const PHINode &phi, const Value *value) const {
  const auto *sum = dyn_cast<BinaryOperator>(value);
  if (!sum || sum->getOpcode() != Instruction::FAdd || !loop.contains(sum) ||
      (sum->getOperand(0) == &phi) == (sum->getOperand(1) == &phi))
    return false;
  const auto *part = dyn_cast<Instruction>(
      sum->getOperand(sum->getOperand(0) == &phi ? 1 : 0));
  return !part || part->getOpcode() != Instruction::FMul ||
         !sum->hasAllowContract();
}

/// Whether the next value of `phi` is either such a sum or `phi` itself, and
/// neither has other users.
bool SumFinder::isChosenSum(const PHINode &phi, const Instruction &last) const {
  const Value *sum = nullptr;
  if (!isa<SelectInst>(last) &&
      (!isa<PHINode>(last) || last.getParent() == phi.getParent()))
    return false;
  for (const Value *end :
       drop_begin(last.operand_values(), isa<SelectInst>(last) ? 1 : 0)) {
    if (end == &phi)
      continue;
    if (sum || !isSumOf(phi, end) || !end->hasOneUse())
      return false;
    sum = end;
  }
  auto isOther = [&](const User *user) { return user != sum && user != &last; };
  auto isInside = [&](const User *user) {
    return user != &phi && loop.contains(cast<Instruction>(user));
  };
  return sum && !cast<Instruction>(sum)->hasAllowReassoc() &&
         none_of(phi.users(), isOther) && none_of(last.users(), isInside);
}

bool SumFinder::find() {
  bool hasSums = false;
  for (PHINode &phi : loop.getHeader()->phis()) {
    if (!phi.getType()->isFloatingPointTy())
      continue;
    auto *last = dyn_cast<Instruction>(
        phi.getIncomingValueForBlock(loop.getLoopLatch()));
    if (last && loop.contains(last) && isChosenSum(phi, *last)) {
      hasSums = true;
      chosen.push_back({&phi, last});
      continue;
    }
    RecurrenceDescriptor recurrence;
    if (!RecurrenceDescriptor::isReductionPHI(&phi, &loop, recurrence, nullptr,
                                              nullptr, nullptr, &evolution) ||
        !recurrence.hasExactFPMath())
      continue;
    hasSums = true;
    arePlain &= recurrence.isOrdered() &&
                recurrence.getRecurrenceKind() == RecurKind::FAdd &&
                isSumOf(phi, recurrence.getLoopExitInstr());
  }
  return hasSums;
}

/// The work in a round, without the ordered additions.
unsigned SumFinder::work() const {
  unsigned result = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      if (!instruction.getType()->isFloatingPointTy() ||
          isa<PHINode, LoadInst>(instruction))
        continue;
      bool isLong = instruction.getOpcode() == Instruction::FDiv ||
                    (call && (!isa<IntrinsicInst>(call) ||
                              call->getIntrinsicID() == Intrinsic::sqrt));
      result += isLong ? longOperation : 1;
    }
  return result;
}

//   sum = phi + x                        part = condition ? x : -0
//   last = condition ? sum : phi    ->   last = phi + part
// Adding -0 changes nothing.
void SumFinder::addAlways() {
  for (auto [phi, last] : chosen) {
    Instruction *part = last->clone();
    if (isa<FPMathOperator>(part))
      part->copyFastMathFlags(FastMathFlags());
    BinaryOperator *sum = nullptr;
    for (Use &end : part->operands())
      if (end.get() == phi) {
        end.set(ConstantFP::getNegativeZero(phi->getType()));
      } else if (isSumOf(*phi, end.get())) {
        sum = cast<BinaryOperator>(end.get());
        end.set(sum->getOperand(sum->getOperand(0) == phi ? 1 : 0));
      }
    BasicBlock *block = last->getParent();
    part->insertInto(block, last->getIterator());
    Instruction *always = sum->clone();
    always->setOperand(0, phi);
    always->setOperand(1, part);
    always->insertInto(block, isa<PHINode>(last) ? block->getFirstInsertionPt()
                                                 : last->getIterator());
    last->replaceAllUsesWith(always);
    last->eraseFromParent();
    sum->eraseFromParent();
  }
}

PreservedAnalyses OrderedSums::run(Function &function,
                                   FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  PreservedAnalyses preserved = PreservedAnalyses::all();
  for (Loop *loop : loops.getLoopsInPreorder()) {
    // A loop with requested vectorisation may compute sums in any order.
    if (!loop->isInnermost() || !loop->getLoopPreheader() ||
        !loop->getLoopLatch() ||
        findOptionMDForLoop(loop, "llvm.loop.vectorize.enable") ||
        findOptionMDForLoop(loop, "llvm.loop.vectorize.width"))
      continue;
    SumFinder sums(*loop, evolution);
    if (!sums.find())
      continue;
    if (sums.areWorthIt()) {
      sums.addAlways();
      ++numOrderedSums;
      preserved = PreservedAnalyses::none();
      preserved.preserveSet<CFGAnalyses>();
    } else {
      addStringMetadataToLoop(loop, "llvm.loop.vectorize.enable", 0);
    }
  }
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
