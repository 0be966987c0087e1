//===- NarrowCarried.cpp - Wide numbers that loops carry ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All choices of 64 bits are thought to fit until one of them chooses something
// that may not: a constant, what was extended, or what LLVM knows the range of.
//
//===----------------------------------------------------------------------===//

#include "NarrowCarried.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

#define DEBUG_TYPE "sluice-narrow-carried"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numNarrowed,
                         "Numbers carried in 32 bits instead of 64");

namespace sluice::codegen {

namespace {

class CarriedNarrowing {
public:
  CarriedNarrowing(Function &function, FunctionAnalysisManager &analyses)
      : function(function), loops(analyses.getResult<LoopAnalysis>(function)),
        evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)) {}

  /// Returns how many numbers are narrow now.
  unsigned run();

private:
  Function &function;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  /// The instructions to narrow, and their narrow replacements.
  MapVector<Instruction *, Instruction *> choices;

  bool isChoice(Instruction &inst);
  bool fits(Value *value);
  void removeWide();
  void removeIdle();
  Value *narrowed(Value *value, Instruction *place);
};

} // namespace

static iterator_range<Use *> chosenBy(Instruction &choice) {
  return isa<SelectInst>(choice)
             ? make_range(choice.op_begin() + 1, choice.op_end())
             : make_range(choice.op_begin(), choice.op_end());
}

/// Counters stay as they are.
bool CarriedNarrowing::isChoice(Instruction &inst) {
  return inst.getType()->isIntegerTy(64) && isa<PHINode, SelectInst>(inst) &&
         !inst.getParent()->isEHPad() &&
         !isa<SCEVAddRecExpr>(evolution.getSCEV(&inst));
}

bool CarriedNarrowing::fits(Value *value) {
  auto *inst = dyn_cast<Instruction>(value);
  return isa<UndefValue>(value) || (inst && choices.contains(inst)) ||
         evolution.getSignedRange(evolution.getSCEV(value))
                 .getMinSignedBits() <= 32;
}

void CarriedNarrowing::removeWide() {
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    SmallVector<Instruction *> wide;
    for (auto [choice, narrow] : choices)
      if (!all_of(chosenBy(*choice), [&](Use &use) { return fits(use.get()); }))
        wide.push_back(choice);
    for (Instruction *choice : wide)
      hasChanged |= choices.erase(choice) != 0;
  }
}

/// Only what some loop carries along is worth it, with what it is chosen from
/// and what chooses it.
void CarriedNarrowing::removeIdle() {
  SmallSetVector<Instruction *, 8> kept;
  for (auto [choice, narrow] : choices) {
    const Loop *loop = loops.getLoopFor(choice->getParent());
    if (isa<PHINode>(choice) && loop &&
        loop->getHeader() == choice->getParent())
      kept.insert(choice);
  }
  for (size_t i = 0; i != kept.size(); ++i) {
    auto keep = [&](Value *value) {
      auto *inst = dyn_cast<Instruction>(value);
      if (inst && choices.contains(inst))
        kept.insert(inst);
    };
    for (Use &use : chosenBy(*kept[i]))
      keep(use.get());
    for (User *user : kept[i]->users())
      keep(user);
  }
  choices.remove_if(
      [&](const auto &entry) { return !kept.contains(entry.first); });
}

Value *CarriedNarrowing::narrowed(Value *value, Instruction *place) {
  auto *inst = dyn_cast<Instruction>(value);
  if (Instruction *own = inst ? choices.lookup(inst) : nullptr)
    return own;
  Type *type = Type::getInt32Ty(function.getContext());
  if (isa<SExtInst, ZExtInst>(value) && inst->getOperand(0)->getType() == type)
    return inst->getOperand(0);
  return IRBuilder<>(place).CreateTrunc(value, type);
}

unsigned CarriedNarrowing::run() {
  for (Instruction &inst : instructions(function))
    if (isChoice(inst))
      choices[&inst] = nullptr;
  removeWide();
  removeIdle();
  Type *type = Type::getInt32Ty(function.getContext());
  for (auto &[choice, narrow] : choices) {
    IRBuilder<> builder(choice);
    if (auto *phi = dyn_cast<PHINode>(choice)) {
      narrow =
          builder.CreatePHI(type, phi->getNumIncomingValues(), phi->getName());
    } else {
      auto *select = cast<SelectInst>(choice);
      Value *none = PoisonValue::get(type);
      narrow = SelectInst::Create(select->getCondition(), none, none,
                                  select->getName(), choice->getIterator());
    }
    narrow->setDebugLoc(choice->getDebugLoc());
  }
  for (auto &[choice, narrow] : choices)
    if (auto *phi = dyn_cast<PHINode>(choice)) {
      DenseMap<BasicBlock *, Value *> known; // edges of one block agree
      for (auto [value, block] : zip(phi->incoming_values(), phi->blocks())) {
        Value *&own = known[block];
        if (!own)
          own = narrowed(value, block->getTerminator());
        cast<PHINode>(narrow)->addIncoming(own, block);
      }
    } else {
      narrow->setOperand(1, narrowed(choice->getOperand(1), narrow));
      narrow->setOperand(2, narrowed(choice->getOperand(2), narrow));
    }
  // Extended where it is used: what lies between keeps 32 bits.
  for (auto &[choice, narrow] : choices) {
    DenseMap<BasicBlock *, Value *> atEnd; // edges of one block agree
    for (Use &use : make_early_inc_range(choice->uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (choices.contains(user))
        continue;
      auto *phi = dyn_cast<PHINode>(user);
      BasicBlock *from = phi ? phi->getIncomingBlock(use) : nullptr;
      Value *known = atEnd.lookup(from);
      if (!known || !phi)
        known = IRBuilder<>(phi ? from->getTerminator() : user)
                    .CreateSExt(narrow, choice->getType());
      if (phi)
        atEnd[from] = known;
      use.set(known);
    }
  }
  for (auto &[choice, narrow] : choices)
    choice->replaceAllUsesWith(PoisonValue::get(choice->getType()));
  for (auto &[choice, narrow] : choices) {
    evolution.forgetValue(choice);
    choice->eraseFromParent();
  }
  return choices.size();
}

PreservedAnalyses NarrowCarried::run(Function &function,
                                     FunctionAnalysisManager &analyses) {
  unsigned count = CarriedNarrowing(function, analyses).run();
  numNarrowed += count;
  if (count == 0)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
