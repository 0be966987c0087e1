//===- AskedVectors.cpp - Loops that the user wants as vectors ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskedVectors.h"

#include "../Group/InstanceLoops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace sluice::codegen {

/// What depends on `phi` in the same round, or what `last` depends on.
static SmallSetVector<Instruction *, 16>
reach(Instruction &start, const Loop &loop, bool isForward) {
  SmallSetVector<Instruction *, 16> result;
  result.insert(&start);
  for (size_t i = 0; i != result.size(); ++i) {
    Instruction *from = result[i];
    auto add = [&](Value *value) {
      auto *next = dyn_cast<Instruction>(value);
      if (next && loop.contains(next) && next->getType() == start.getType())
        result.insert(next);
    };
    if (isForward)
      for (User *user : from->users())
        add(user);
    else if (!isa<PHINode>(from) || from->getParent() != loop.getHeader())
      for (Value *operand : from->operands())
        add(operand);
  }
  return result;
}

/// LLVM finds sums of products where they may be rounded together, but not
/// where they must be.
static Instruction *takenApart(Instruction &inst,
                               const SmallSetVector<Instruction *, 16> &sums) {
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  if (!call ||
      (call->getIntrinsicID() != Intrinsic::fma &&
       call->getIntrinsicID() != Intrinsic::fmuladd) ||
      !sums.contains(dyn_cast<Instruction>(call->getArgOperand(2))))
    return &inst;
  IRBuilder<> builder(call);
  FastMathFlags flags = call->getFastMathFlags();
  flags.setAllowContract(true);
  builder.setFastMathFlags(flags);
  auto *result = cast<Instruction>(builder.CreateFAdd(
      builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1)),
      call->getArgOperand(2)));
  call->replaceAllUsesWith(result);
  call->eraseFromParent();
  return result;
}

/// The operations on the way from a number of the last round to that of this.
static void allowAnyOrder(PHINode &phi, const Loop &loop) {
  auto *last =
      dyn_cast<Instruction>(phi.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!last || !loop.contains(last))
    return;
  SmallSetVector<Instruction *, 16> after = reach(phi, loop, true);
  for (Instruction *inst : reach(*last, loop, false)) {
    if (!after.contains(inst) || !isa<FPMathOperator>(inst) ||
        isa<PHINode>(inst))
      continue;
    takenApart(*inst, after)->setHasAllowReassoc(true);
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

void allowAskedOrders(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable") ||
        !loop->getLoopLatch())
      continue;
    for (PHINode &phi : loop->getHeader()->phis())
      if (phi.getType()->isFloatingPointTy())
        allowAnyOrder(phi, *loop);
    forgetThatAsked(*loop);
  }
}

} // namespace sluice::codegen
