//===- InnerScopes.cpp - Alias scopes within instances --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes of one call are a domain. Two accesses are compared domain by
// domain, so a domain may be forgotten as a whole.
//
//===----------------------------------------------------------------------===//

#include "InnerScopes.h"

#include "../Group/InstanceLoops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"

#define DEBUG_TYPE "sluice-drop-inner-scopes"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numDropped, "Declarations of alias scopes dropped");

namespace sluice::codegen {

using Domains = SmallPtrSet<const MDNode *, 8>;

/// `list` without the scopes of `domains`; null if none is left.
static MDNode *withoutDomains(MDNode &list, const Domains &domains) {
  SmallVector<Metadata *> kept;
  for (const MDOperand &scope : list.operands())
    if (!domains.contains(AliasScopeNode(cast<MDNode>(scope)).getDomain()))
      kept.push_back(scope);
  if (kept.size() == list.getNumOperands())
    return &list;
  return kept.empty() ? nullptr : MDNode::get(list.getContext(), kept);
}

PreservedAnalyses DropInnerScopes::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  const auto &loops = analyses.getResult<LoopAnalysis>(function);
  Domains domains;
  // Loops over instances may be nested.
  SmallSetVector<NoAliasScopeDeclInst *, 8> declarations;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (isInstanceLoop(loop->getLoopID()))
      for (BasicBlock *block : loop->blocks())
        for (Instruction &instruction : *block)
          if (auto *inner = dyn_cast<NoAliasScopeDeclInst>(&instruction))
            declarations.insert(inner);
  for (NoAliasScopeDeclInst *declaration : declarations)
    for (const MDOperand &scope : declaration->getScopeList()->operands())
      domains.insert(AliasScopeNode(cast<MDNode>(scope)).getDomain());
  if (domains.empty())
    return PreservedAnalyses::all();
  numDropped += declarations.size();
  for (NoAliasScopeDeclInst *declaration : declarations)
    declaration->eraseFromParent();
  for (Instruction &instruction : instructions(function))
    for (unsigned kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
      if (MDNode *list = instruction.getMetadata(kind))
        instruction.setMetadata(kind, withoutDomains(*list, domains));
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
