//===- AskedVectors.cpp - Loops that the user wants as vectors ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskedVectors.h"

#include "../Group/InstanceLoops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-allow-asked-orders"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numAskedLoops,
                         "Loops that the program wants as vectors");

namespace sluice::codegen {

namespace {

/// A sum or a product that a loop carries from round to round, and uses for
/// nothing else. Only such a number may be computed in another order.
class CarriedFold {
public:
  CarriedFold(PHINode &phi, const Loop &loop) : phi(phi), loop(loop) {}
  /// Whether it is one; then the operations of a round are known.
  bool find();
  void allowAnyOrder();

private:
  PHINode &phi;
  const Loop &loop;
  SmallSetVector<Instruction *, 16> members;
  bool hasSum = false, hasProduct = false;

  bool isMember(Value *value) const {
    auto *inst = dyn_cast<Instruction>(value);
    return inst && members.contains(inst);
  }
  bool isStep(Instruction &inst);
};

} // namespace

/// Whether `inst` continues the fold with numbers that do not depend on it.
bool CarriedFold::isStep(Instruction &inst) {
  auto isOther = [&](unsigned operand) {
    return !isMember(inst.getOperand(operand));
  };
  if (auto *call = dyn_cast<IntrinsicInst>(&inst)) {
    hasSum = true;
    return (call->getIntrinsicID() == Intrinsic::fma ||
            call->getIntrinsicID() == Intrinsic::fmuladd) &&
           isOther(0) && isOther(1);
  }
  switch (inst.getOpcode()) {
  case Instruction::FAdd:
    hasSum = true;
    return isOther(0) || isOther(1);
  case Instruction::FSub:
    hasSum = true;
    return isOther(1);
  case Instruction::FMul:
    hasProduct = true;
    return isOther(0) || isOther(1);
  case Instruction::PHI:
    return inst.getParent() != loop.getHeader() &&
           all_of(inst.operands(),
                  [&](Value *value) { return isMember(value); });
  case Instruction::Select:
    return isOther(0) && !isOther(1) && !isOther(2);
  default:
    return false;
  }
}

bool CarriedFold::find() {
  auto *last =
      dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!last || last == &phi)
    return false;
  members.insert(&phi);
  for (size_t i = 0; i != members.size(); ++i)
    for (User *user : members[i]->users()) {
      auto *inst = cast<Instruction>(user);
      if (loop.contains(inst))
        members.insert(inst);
      else if (members[i] != &phi && members[i] != last)
        return false;
    }
  return isMember(last) &&
         all_of(drop_begin(members),
                [&](Instruction *inst) { return isStep(*inst); }) &&
         hasSum != hasProduct;
}

/// LLVM finds sums of products where they may be rounded together, but not
/// where they must be.
void CarriedFold::allowAnyOrder() {
  for (Instruction *inst : drop_begin(members)) {
    if (auto *call = dyn_cast<IntrinsicInst>(inst)) {
      IRBuilder<> builder(call);
      FastMathFlags flags = call->getFastMathFlags();
      flags.setAllowContract(true);
      builder.setFastMathFlags(flags);
      Value *product =
          builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
      flags.setAllowReassoc(true);
      builder.setFastMathFlags(flags);
      call->replaceAllUsesWith(
          builder.CreateFAdd(product, call->getArgOperand(2)));
      call->eraseFromParent();
    } else if (isa<BinaryOperator>(inst)) {
      inst->setHasAllowReassoc(true);
    }
  }
}

static void forgetThatAsked(Loop &loop) {
  MDNode *id = loop.getLoopID();
  SmallVector<Metadata *> operands{nullptr};
  for (const MDOperand &operand : drop_begin(id->operands()))
    if (!isProperty(operand.get(), "llvm.loop.vectorize.enable"))
      operands.push_back(operand.get());
  MDNode *result = MDNode::getDistinct(id->getContext(), operands);
  result->replaceOperandWith(0, result);
  loop.setLoopID(result);
}

PreservedAnalyses AllowAskedOrders::run(Function &function,
                                        FunctionAnalysisManager &analyses) {
  bool hasChanged = false;
  for (Loop *loop :
       analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable") ||
        !loop->getLoopLatch())
      continue;
    for (PHINode &phi : loop->getHeader()->phis())
      if (phi.getType()->isFloatingPointTy())
        if (CarriedFold fold(phi, *loop); fold.find())
          fold.allowAnyOrder();
    forgetThatAsked(*loop);
    hasChanged = true;
    ++numAskedLoops;
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
