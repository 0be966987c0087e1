//===- InlineUpdates.cpp - Functions that update what is reduced ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ writes updates as calls: of std::max, of operators, of functions of the
// program. Inlined, they can be looked at like any other update.
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

/// A call that `memory`, an address in it, or what was loaded from there goes
/// to, of a function whose code is here; null if there is none.
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
        // A temporary, of which a reference is passed on.
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
  constexpr unsigned maxCalls = 100; // of functions that call themselves
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
