//===- InlineUpdates.cpp - Functions that update reduced memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In C++, updates are often calls: of std::max, of operators, of functions of
// the program. After inlining, they can be analysed like any other update.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LargeValues.h"
#include "sluice/Analysis/Leaf/PassAnalyses.h"
#include "sluice/Analysis/ReductionUses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

/// A call with available code that receives `memory`, an address in it, or a
/// value loaded from it; null if there is none.
static CallBase *findUpdateCall(Value &memory) {
  SmallVector<Value *> work = {&memory};
  SmallPtrSet<Value *, 16> seen;
  while (!work.empty()) {
    Value *value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (User *user : value->users()) {
      if (auto *call = dyn_cast<CallBase>(user)) {
        Function *callee = call->getCalledFunction();
        if (callee && !callee->isDeclaration() && !callee->isInterposable() &&
            !callee->isVarArg() && callee != call->getFunction())
          return call;
      } else if (auto *store = dyn_cast<StoreInst>(user)) {
        // A temporary that is passed on by reference.
        if (store->getValueOperand() == value &&
            isa<AllocaInst>(store->getPointerOperand()))
          work.push_back(store->getPointerOperand());
      } else if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst, LoadInst,
                     BinaryOperator, UnaryOperator>(user)) {
        work.push_back(user);
      }
    }
  }
  return nullptr;
}

void sluice::inlineUpdates(Function &leaf) {
  constexpr unsigned maxCalls = 100; // Limits the inlining of recursive
                                     // functions.
  bool isChanged = false;
  for (const LeafReduction &reduction : reductionsOf(leaf)) {
    auto *memory = const_cast<Argument *>(reduction.memory);
    if (!memory || !reduction.op || *reduction.op == LeafReduction::Op::User)
      continue;
    for (unsigned count = 0; count != maxCalls; ++count) {
      CallBase *call = findUpdateCall(*memory);
      InlineFunctionInfo info;
      if (!call || !InlineFunction(*call, info).isSuccess())
        break;
      isChanged = true;
    }
  }
  if (!isChanged)
    return;
  PassAnalyses analyses;
  const HiddenLargeValues hidden(leaf);
  SROAPass(SROAOptions::PreserveCFG).run(leaf, analyses.functions);
}
