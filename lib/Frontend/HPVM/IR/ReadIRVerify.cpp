//===- ReadIRVerify.cpp - Verifying IR from other compilers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IR from another compiler may be invalid in ways that would crash LLVM's
// passes later.
//
//===----------------------------------------------------------------------===//

#include "ReadIRVerify.h"

#include "../Import/ImportIntrinsics.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

static void turnInvokesIntoCalls(Module &module) {
  SmallVector<InvokeInst *> invokes;
  for (Function &function : module)
    for (BasicBlock &block : function)
      if (auto *invoke = dyn_cast_or_null<InvokeInst>(block.getTerminator()))
        if (Function *callee = hpvm::calledFunction(*invoke))
          if (hpvm::isReservedName(callee->getName()))
            invokes.push_back(invoke);
  SetVector<Function *> changed;
  for (InvokeInst *invoke : invokes) {
    changed.insert(invoke->getFunction());
    changeToCall(invoke);
  }
  for (Function *function : changed)
    removeUnreachableBlocks(*function);
}

std::string sluice::verifyForeign(Module &module) {
  turnInvokesIntoCalls(module);
  std::string problems;
  raw_string_ostream os(problems);
  bool isDebugInfoBroken = false;
  if (verifyModule(module, &os, &isDebugInfoBroken))
    return StringRef(problems).rtrim().str();
  if (isDebugInfoBroken) {
    module.getContext().diagnose(
        DiagnosticInfoIgnoringInvalidDebugMetadata(module));
    StripDebugInfo(module);
  }
  return {};
}
