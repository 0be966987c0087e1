//===- NarrowWraps.cpp - Indices that wrap around in few bits -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowWraps.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

#define DEBUG_TYPE "sluice-hide-narrow-wraps"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numHiddenWraps,
                         "Narrow numbers hidden from assumptions");

namespace sluice::codegen {

namespace {
/// The extensions, in expressions, of sums that may count in a loop.
/// Assumptions that a sum does not wrap around refer to one of these.
class Extensions {
public:
  Extensions(const Loop &loop, const SCEV *expression) : loop(loop) {
    visitAll(expression, *this);
  }

  bool follow(const SCEV *expression) {
    if (isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(expression))
      if (const SCEV *operand = cast<SCEVCastExpr>(expression)->getOperand();
          SCEVExprContains(operand, [&](const SCEV *part) {
            const auto *sum = dyn_cast<SCEVAddRecExpr>(part);
            return sum && loop.contains(sum->getLoop());
          }))
        found.push_back(expression);
    return true;
  }
  bool isDone() const { return false; }

  SmallVector<const SCEV *> found;

private:
  const Loop &loop;
};
} // namespace

namespace {
/// An instruction whose expression has extensions that the expressions of its
/// operands do not have, and the width they extend from.
struct Extending {
  Instruction *instruction;
  unsigned least, most;
};
} // namespace

static unsigned bitsOf(const SCEV *extension) {
  return cast<SCEVCastExpr>(extension)
      ->getOperand()
      ->getType()
      ->getIntegerBitWidth();
}

static SmallVector<Extending> findExtending(Loop &loop,
                                            ScalarEvolution &evolution) {
  SmallVector<Extending> result;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block) {
      if (isa<PHINode>(instruction) || !instruction.getType()->isIntegerTy())
        continue;
      Extensions own(loop, evolution.getSCEV(&instruction));
      if (own.found.empty())
        continue;
      SmallPtrSet<const SCEV *, 4> before;
      for (Value *operand : instruction.operands())
        if (operand->getType()->isIntegerTy()) {
          Extensions given(loop, evolution.getSCEV(operand));
          before.insert(given.found.begin(), given.found.end());
        }
      Extending extending = {&instruction, ~0u, 0};
      for (const SCEV *extension : own.found)
        if (!before.contains(extension)) {
          extending.least = std::min(extending.least, bitsOf(extension));
          extending.most = std::max(extending.most, bitsOf(extension));
        }
      if (extending.most)
        result.push_back(extending);
    }
  return result;
}

PreservedAnalyses HideNarrowWraps::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    SmallVector<Extending> extending = findExtending(*loop, evolution);
    unsigned widest = 0;
    for (const Extending &one : extending)
      widest = std::max(widest, one.most);
    for (auto [instruction, least, most] : extending) {
      if (least == widest)
        continue;
      auto *hidden = new FreezeInst(instruction, instruction->getName(),
                                    std::next(instruction->getIterator()));
      instruction->replaceUsesWithIf(
          hidden, [&](Use &use) { return use.getUser() != hidden; });
      evolution.forgetValue(instruction);
      ++numHiddenWraps;
      changed = true;
    }
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
