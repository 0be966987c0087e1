//===- LowerGotos.cpp - Turning computed gotos into switches --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a leaf is copied for its canonical form, for loops over instances
// and for variants. The address of a label belongs to one function, so a copy
// would jump into the original. Numbers instead of addresses mean the same in
// every copy.
//
//===----------------------------------------------------------------------===//

#include "sluice/Frontend/HPVM/LowerGotos.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

/// Replaces `jump` by a switch over the numbers of labels. A jump to a number
/// without a label is undefined, so the first target serves as the default.
static void lowerJump(IndirectBrInst &jump,
                      const DenseMap<BasicBlock *, ConstantInt *> &numbers) {
  BasicBlock *block = jump.getParent();
  SmallVector<BasicBlock *> targets;
  SmallPtrSet<BasicBlock *, 8> seen;
  for (BasicBlock *target : successors(block)) {
    if (numbers.contains(target) && seen.insert(target).second)
      targets.push_back(target);
    else
      target->removePredecessor(block, /*KeepOneInputPHIs=*/true);
  }
  IRBuilder<> b(&jump);
  if (targets.empty()) {
    b.CreateUnreachable();
  } else {
    Value *number = b.CreatePtrToInt(jump.getAddress(), b.getInt32Ty());
    SwitchInst *choice =
        b.CreateSwitch(number, targets.front(), targets.size() - 1);
    for (BasicBlock *target : drop_begin(targets))
      choice->addCase(numbers.lookup(target), target);
  }
  jump.eraseFromParent();
}

static void lowerGotos(Function &function) {
  SmallVector<IndirectBrInst *> jumps;
  DenseMap<BasicBlock *, ConstantInt *> numbers;
  for (BasicBlock &block : function) {
    if (auto *jump = dyn_cast<IndirectBrInst>(block.getTerminator()))
      jumps.push_back(jump);
    if (!block.hasAddressTaken())
      continue;
    // No label is null.
    numbers[&block] = ConstantInt::get(Type::getInt32Ty(function.getContext()),
                                       numbers.size() + 1);
  }
  if (jumps.empty())
    return;
  for (auto [block, number] : numbers)
    if (BlockAddress *address = BlockAddress::lookup(block)) {
      address->replaceAllUsesWith(
          ConstantExpr::getIntToPtr(number, address->getType()));
      address->destroyConstant();
    }
  for (IndirectBrInst *jump : jumps)
    lowerJump(*jump, numbers);
}

void sluice::lowerComputedGotos(Module &module) {
  for (Function &function : module)
    lowerGotos(function);
}
