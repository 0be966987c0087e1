//===- BarrierCheck.cpp - Barriers not reached by all instances -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier is in uniform control flow if no branch on which it depends,
// directly or through other branches, may differ between instances. Functions
// that contain barriers are checked once per call, with the arguments of that
// call.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/ReachedCode.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace sluice {

StringRef hpvmIntrinsicName(const Value &value) {
  const auto *call = dyn_cast<CallBase>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  StringRef name = callee ? callee->getName() : StringRef();
  return name.consume_front("llvm.hpvm.") ? name : StringRef();
}

bool mayExecuteBarrier(const Function &function) {
  return any_of(reachedFrom(function), [](const Function *reached) {
    return reached->getName() == "llvm.hpvm.barrier";
  });
}

static bool alwaysExecutesBarrier(const Function &function,
                                  SmallPtrSetImpl<const Function *> &visited) {
  if (function.getName() == "llvm.hpvm.barrier")
    return true;
  if (function.isDeclaration() || !visited.insert(&function).second)
    return false;
  auto isBarrier = [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && alwaysExecutesBarrier(*callee, visited);
  };
  SmallPtrSet<const BasicBlock *, 16> seen{&function.getEntryBlock()};
  SmallVector<const BasicBlock *> worklist{&function.getEntryBlock()};
  while (!worklist.empty()) {
    const BasicBlock *block = worklist.pop_back_val();
    if (any_of(*block, isBarrier))
      continue;
    if (isa<ReturnInst>(block->getTerminator()))
      return false;
    for (const BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        worklist.push_back(next);
  }
  visited.erase(&function);
  return true;
}

bool alwaysExecutesBarrier(const Function &function) {
  SmallPtrSet<const Function *, 8> visited;
  return alwaysExecutesBarrier(function, visited);
}

std::optional<unsigned> handleDepth(const Value &handle) {
  StringRef name = hpvmIntrinsicName(handle);
  if (name == "getNode")
    return 0;
  if (name != "getParentNode")
    return std::nullopt;
  std::optional<unsigned> below =
      handleDepth(*cast<CallBase>(handle).getArgOperand(0));
  if (!below)
    return std::nullopt;
  return *below + 1;
}

static InstructionUniformity intrinsicUniformity(const CallBase &call,
                                                 StringRef name) {
  if (name.starts_with("getNodeInstanceID.")) {
    std::optional<unsigned> depth = handleDepth(*call.getArgOperand(0));
    return depth.value_or(0) == 0 ? InstructionUniformity::NeverUniform
                                  : InstructionUniformity::AlwaysUniform;
  }
  if (name == "malloc" || name.starts_with("atomic."))
    return InstructionUniformity::NeverUniform;
  return InstructionUniformity::AlwaysUniform;
}

/// Whether equal arguments give equal results in all instances.
static bool hasUniformResult(const Function &function,
                             SmallPtrSetImpl<const Function *> &visited);

static InstructionUniformity
uniformity(const Instruction &instruction,
           SmallPtrSetImpl<const Function *> &visited) {
  StringRef name = hpvmIntrinsicName(instruction);
  if (!name.empty())
    return intrinsicUniformity(cast<CallBase>(instruction), name);
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    if (const Function *callee = call->getCalledFunction())
      if (!callee->isDeclaration() && hasUniformResult(*callee, visited))
        return InstructionUniformity::Default;
  return memoryUniformity(instruction);
}

static bool hasUniformResult(const Function &function,
                             SmallPtrSetImpl<const Function *> &visited) {
  if (!visited.insert(&function).second)
    return false;
  for (const Instruction &instruction : instructions(function))
    if (uniformity(instruction, visited) == InstructionUniformity::NeverUniform)
      return false;
  return true;
}

namespace {

class BarrierChecker {
public:
  SmallVector<DivergentBarrier> found;

  void check(Function &function, const SmallPtrSetImpl<Value *> &divergent) {
    if (!active.insert(&function).second)
      return;
    check(function, [&](const Value &value) {
      if (isa<Argument>(value))
        return divergent.contains(&value) ? InstructionUniformity::NeverUniform
                                          : InstructionUniformity::Default;
      const auto *instruction = dyn_cast<Instruction>(&value);
      SmallPtrSet<const Function *, 8> visited;
      return instruction ? uniformity(*instruction, visited)
                         : InstructionUniformity::Default;
    });
    active.erase(&function);
  }

  void check(Function &function, const UniformityOracle &oracle) {
    InstanceUniformity info(function, oracle);
    ControlDependence dependence(function);
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        checkCall(*call, info, dependence);
  }

private:
  SmallPtrSet<Function *, 8> active;

  void checkCall(CallBase &call, InstanceUniformity &info,
                 const ControlDependence &dependence) {
    Function *callee = call.getCalledFunction();
    if (!callee || !mayExecuteBarrier(*callee))
      return;
    for (BasicBlock *block : dependence.allControllers({call.getParent()})) {
      if (!info.hasDivergentTerminator(*block))
        continue;
      found.push_back({&call, block->getTerminator()});
      return;
    }
    if (callee->isDeclaration())
      return;
    SmallPtrSet<Value *, 8> divergent;
    for (Argument &argument : callee->args())
      if (!info.isUniformUse(call.getArgOperandUse(argument.getArgNo())))
        divergent.insert(&argument);
    check(*callee, divergent);
  }
};

} // namespace

SmallVector<DivergentBarrier>
findDivergentBarriers(Function &leaf, ArrayRef<unsigned> divergentArguments) {
  BarrierChecker checker;
  SmallPtrSet<Value *, 4> divergent;
  for (unsigned index : divergentArguments)
    divergent.insert(leaf.getArg(index));
  if (mayExecuteBarrier(leaf))
    checker.check(leaf, divergent);
  return std::move(checker.found);
}

static std::string place(const Instruction &instruction) {
  std::string text;
  raw_string_ostream stream(text);
  if (const DebugLoc &location = instruction.getDebugLoc())
    stream << location->getFilename() << ':' << location->getLine() << ": ";
  return text;
}

static Error asError(ArrayRef<DivergentBarrier> barriers, StringRef leafName) {
  if (barriers.empty())
    return Error::success();
  const DivergentBarrier &first = barriers.front();
  std::string where = place(*first.branch);
  if (!where.empty())
    where = "(" + where.substr(0, where.size() - 2) + ") ";
  return createStringError(
      inconvertibleErrorCode(),
      place(*first.barrier) + "a barrier in '" + leafName +
          "' is not reached by all instances of its work-group: they may take "
          "the branch around it " +
          where + "differently");
}

Error checkBarriers(Function &leaf) {
  return asError(findDivergentBarriers(leaf), leaf.getName());
}

Error checkBarriers(Function &function, const UniformityOracle &oracle,
                    StringRef leafName) {
  BarrierChecker checker;
  checker.check(function, oracle);
  return asError(checker.found, leafName);
}

} // namespace sluice
