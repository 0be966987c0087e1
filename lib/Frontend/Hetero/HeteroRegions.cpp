//===- HeteroRegions.cpp - Begins and ends of regions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Begins and ends nest in the same way on every path, so regions are found by
// counting them.
//
//===----------------------------------------------------------------------===//

#include "HeteroGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

HeteroFunction sluice::hetero::calledHetero(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  auto *callee =
      call ? dyn_cast<Function>(
                 call->getCalledOperand()->stripPointerCastsAndAliases())
           : nullptr;
  return callee ? heteroFunctionOf(callee->getName()) : HeteroFunction::None;
}

const HeteroCall *sluice::hetero::heteroRecordOf(const CallBase &call,
                                                 const CompiledUnit &unit) {
  if (call.arg_empty())
    return nullptr;
  Value *first = call.getArgOperand(0);
  if (auto *cast = dyn_cast<ConstantExpr>(first))
    if (cast->getOpcode() == Instruction::IntToPtr)
      first = cast->getOperand(0);
  auto *number = dyn_cast<ConstantInt>(first);
  if (!number || number->getValue().getActiveBits() > 32)
    return nullptr;
  uint64_t index = number->getZExtValue() - HeteroCall::firstNumber;
  return index < unit.heteroCalls.size() ? &unit.heteroCalls[index] : nullptr;
}

static bool isBegin(HeteroFunction kind) {
  return kind == HeteroFunction::TaskBegin ||
         kind == HeteroFunction::LaunchBegin;
}

static bool isEnd(HeteroFunction kind) {
  return kind == HeteroFunction::TaskEnd || kind == HeteroFunction::LaunchEnd;
}

bool sluice::hetero::hasRegions(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    HeteroFunction kind = calledHetero(instruction);
    return isBegin(kind) || kind == HeteroFunction::ParallelLoop ||
           kind == HeteroFunction::SectionBegin;
  });
}

/// Copies values passed in memory first, so that every variable is an alloca.
static void copyParameters(Function &function) {
  for (Argument &argument : function.args()) {
    Type *type = argument.getParamByValType();
    if (!type || argument.use_empty())
      continue;
    IRBuilder<> builder(&function.getEntryBlock(),
                        function.getEntryBlock().begin());
    AllocaInst *copy =
        builder.CreateAlloca(type, nullptr, argument.getName() + ".copy");
    copy->setAlignment(
        std::max(copy->getAlign(), argument.getParamAlign().valueOrOne()));
    SmallVector<DbgVariableRecord *> records;
    for (DbgVariableRecord *record : findDVRDeclares(&argument))
      record->replaceVariableLocationOp(&argument, copy);
    argument.replaceAllUsesWith(copy);
    builder.CreateMemCpy(
        copy, copy->getAlign(), &argument, argument.getParamAlign(),
        function.getDataLayout().getTypeAllocSize(type).getFixedValue());
  }
}

//===----------------------------------------------------------------------===//
// Exceptions
//===----------------------------------------------------------------------===//

/// The blocks between a begin and its end; those with the end are added to
/// `ends`.
static SmallPtrSet<BasicBlock *, 16>
blocksFrom(BasicBlock *entry, SmallPtrSetImpl<BasicBlock *> &ends) {
  SmallPtrSet<BasicBlock *, 16> seen;
  SmallVector<std::pair<BasicBlock *, unsigned>> work = {{entry, 0}};
  while (!work.empty()) {
    auto [block, depth] = work.pop_back_val();
    if (isEnd(calledHetero(block->front()))) {
      if (depth == 0) {
        ends.insert(block);
        continue;
      }
      --depth;
    }
    if (!seen.insert(block).second)
      continue;
    Instruction *last = block->getTerminator()->getPrevNode();
    if (last && isBegin(calledHetero(*last)))
      ++depth;
    for (BasicBlock *next : successors(block))
      work.push_back({next, depth});
  }
  return seen;
}

/// True if nothing from `block` on catches the exception that led there.
static bool leavesFunction(BasicBlock *block,
                           const SmallPtrSetImpl<BasicBlock *> &ends) {
  SmallPtrSet<BasicBlock *, 16> seen = {block};
  SmallVector<BasicBlock *> work = {block};
  while (!work.empty()) {
    BasicBlock *next = work.pop_back_val();
    if (ends.contains(next) || isa<ReturnInst>(next->getTerminator()))
      return false;
    for (BasicBlock *successor : successors(next))
      if (seen.insert(successor).second)
        work.push_back(successor);
  }
  return true;
}

/// Destructors that an exception would run when it leaves a region are shared
/// with the surrounding code. In a graph, the exception ends the launch and
/// with it the program, so none of them runs. This is only for regions of
/// graphs: in ordinary code, destructors must run.
static void dropUnwinding(CallInst &begin) {
  SmallPtrSet<BasicBlock *, 4> ends;
  SmallVector<InvokeInst *> calls;
  for (BasicBlock *block :
       blocksFrom(begin.getParent()->getSingleSuccessor(), ends))
    if (auto *invoke = dyn_cast<InvokeInst>(block->getTerminator()))
      calls.push_back(invoke);
  for (InvokeInst *invoke : calls)
    if (leavesFunction(invoke->getUnwindDest(), ends))
      changeToCall(invoke);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void sluice::hetero::prepareRegions(Function &function, bool isRoot) {
  SmallVector<InvokeInst *> invokes;
  for (BasicBlock &block : function)
    if (auto *invoke = dyn_cast<InvokeInst>(block.getTerminator()))
      if (calledHetero(*invoke) != HeteroFunction::None)
        invokes.push_back(invoke);
  for (InvokeInst *invoke : invokes)
    changeToCall(invoke);
  removeUnreachableBlocks(function);
  copyParameters(function);

  SmallVector<Instruction *> begins, ends;
  for (Instruction &instruction : instructions(function)) {
    HeteroFunction kind = calledHetero(instruction);
    if (isBegin(kind))
      begins.push_back(&instruction);
    if (isEnd(kind))
      ends.push_back(&instruction);
  }
  for (Instruction *begin : begins)
    SplitBlock(begin->getParent(), begin->getNextNode());
  for (Instruction *end : ends)
    SplitBlock(end->getParent(), end);

  // Tasks of a launch region are inside it.
  for (Instruction *begin : begins)
    if (isRoot || calledHetero(*begin) == HeteroFunction::LaunchBegin)
      dropUnwinding(*cast<CallInst>(begin));
  removeUnreachableBlocks(function);
}

std::optional<CodeRegion> sluice::hetero::findRegion(CallInst &begin,
                                                     HeteroContext &context) {
  CodeRegion region;
  region.begin = &begin;
  region.entry =
      cast<BranchInst>(begin.getParent()->getTerminator())->getSuccessor(0);
  const char *what = calledHetero(begin) == HeteroFunction::TaskBegin
                         ? "task"
                         : "launch region";
  SmallVector<std::pair<BasicBlock *, unsigned>> work = {{region.entry, 0}};
  while (!work.empty()) {
    auto [block, depth] = work.pop_back_val();
    HeteroFunction first = calledHetero(block->front());
    if (isEnd(first)) {
      if (depth == 0) {
        if (region.exit && region.exit != block) {
          context.error(block->front(),
                        std::string("this ") + what +
                            " ends at two places; end it once, behind the "
                            "branch",
                        "hetero-region");
          return std::nullopt;
        }
        region.exit = block;
        continue;
      }
      --depth;
    }
    if (!region.blocks.insert(block))
      continue;
    Instruction *last = block->getTerminator()->getPrevNode();
    if (last && isBegin(calledHetero(*last)))
      ++depth;
    if (isa<ReturnInst>(block->getTerminator())) {
      context
          .error(*block->getTerminator(),
                 std::string("this ") + what +
                     " can be left without its end; no return, break or goto "
                     "may leave it",
                 "hetero-region")
          .note(placeOf(begin), std::string("the ") + what + " begins here");
      return std::nullopt;
    }
    for (BasicBlock *next : successors(block))
      work.push_back({next, depth});
  }
  if (region.exit)
    return region;
  context.error(begin, std::string("this ") + what + " has no end",
                "hetero-region");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static DbgVariableRecord *declarationOf(const Value &variable) {
  auto records = findDVRDeclares(const_cast<Value *>(&variable));
  return records.empty() ? nullptr : *records.begin();
}

std::string sluice::hetero::nameOfVariable(const Value &variable) {
  DbgVariableRecord *declaration = declarationOf(variable);
  return declaration ? declaration->getVariable()->getName().str() : "";
}

bool sluice::hetero::isDeclaredIn(const Value &variable,
                                  const CodeRegion &region) {
  DbgVariableRecord *declaration = declarationOf(variable);
  return declaration && region.blocks.contains(declaration->getParent());
}
