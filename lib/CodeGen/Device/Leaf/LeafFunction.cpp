//===- LeafFunction.cpp - One instance of a leaf, for devices -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the host, a leaf calls the runtime and the C library. This file makes a
// copy that a device can run, or reports why this is impossible.
//
//===----------------------------------------------------------------------===//

#include "LeafFunction.h"
#include "../../Leaf/Item/IntrinsicLowering.h"
#include "../../Leaf/Item/ItemFunction.h"
#include "../../Leaf/Item/ItemSignature.h"
#include "../Refusal.h"
#include "WidenTrees.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/ReachedCode.h"
#include "sluice/CodeGen/KernelPipeline.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

/// A larger function is rejected as a kernel: LLVM's passes over a single
/// function of this size take many seconds.
static constexpr unsigned maxInstructions = 50000;

static bool canInline(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() && !callee->isInterposable() &&
         !callee->isVarArg() && !callsItself(*callee) &&
         callee->getFunctionType() == call.getFunctionType();
}

/// Removes exception edges around calls that do not throw.
static void removeInvokes(Function &function) {
  SmallVector<InvokeInst *> invokes;
  for (Instruction &inst : instructions(function))
    if (auto *invoke = dyn_cast<InvokeInst>(&inst))
      if (invoke->doesNotThrow() || !hpvmIntrinsicName(*invoke).empty())
        invokes.push_back(invoke);
  for (InvokeInst *invoke : invokes)
    changeToCall(invoke);
  removeUnreachableBlocks(function);
}

void codegen::inlineCalls(Function &function) {
  bool changed = true;
  while (changed && function.getInstructionCount() < maxInstructions) {
    changed = false;
    SmallVector<CallBase *> calls;
    for (Instruction &inst : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&inst))
        if (canInline(*call))
          calls.push_back(call);
    for (CallBase *call : calls) {
      InlineFunctionInfo info;
      changed |= InlineFunction(*call, info).isSuccess();
    }
  }
  removeInvokes(function);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static Function *declare(Function &leaf, const ItemSignature &signature) {
  LLVMContext &context = leaf.getContext();
  SmallVector<Type *> types{PointerType::getUnqual(context)};
  for (const Argument &argument : leaf.args())
    types.push_back(argument.getType());
  types.append(6 * signature.numLevels, Type::getInt64Ty(context));
  types.push_back(Type::getInt1Ty(context));
  auto *type = FunctionType::get(leaf.getReturnType(), types, false);
  return Function::Create(type, GlobalValue::InternalLinkage,
                          leaf.getName() + ".instance", leaf.getParent());
}

static void wrap(Function &leaf, Function &function) {
  IRBuilder<> b(BasicBlock::Create(leaf.getContext(), "entry", &function));
  SmallVector<Value *> inputs;
  for (unsigned i = 0; i != leaf.arg_size(); ++i)
    inputs.push_back(function.getArg(1 + i));
  CallInst *call = b.CreateCall(&leaf, inputs);
  if (leaf.getReturnType()->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(call);
  InlineFunctionInfo info;
  bool isInlined = InlineFunction(*call, info).isSuccess();
  assert(isInlined && "a plain call of a definition is inlinable");
  (void)isInlined;
}

/// The barriers of a group's only instance do nothing.
static void dropBarriers(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function)))
    if (hpvmIntrinsicName(inst) == "barrier")
      inst.eraseFromParent();
}

Expected<Function *> codegen::createLeafFunction(Function &leaf,
                                                 ArrayRef<unsigned> dims) {
  if (leaf.isDeclaration())
    return refuse(leaf, "has no body");
  RangeSpec spec;
  spec.leaf = &leaf;
  spec.inputs.resize(leaf.arg_size());
  for (unsigned count : dims) {
    InstanceLevel level;
    level.dims = count;
    spec.levels.push_back(level);
  }
  Function *function = declare(leaf, ItemSignature(spec));
  wrap(leaf, *function);
  inlineCalls(*function);
  if (function->getInstructionCount() >= maxInstructions) {
    function->eraseFromParent();
    return refuse(leaf, "is too large with all functions that it calls");
  }
  promoteVariables(*function);
  widenTrees(*function);
  if (Error error = lowerIntrinsics(*function, spec)) {
    function->eraseFromParent();
    return std::move(error);
  }
  if (dims.empty() || dims.back() == 0)
    dropBarriers(*function);
  for (CallInst *allocation : allocationsIn(*function))
    allocation->setAttributes(AttributeList());
  return function;
}

CallInst *codegen::callLeaf(IRBuilderBase &b, Function &function,
                            ArrayRef<Value *> inputs,
                            ArrayRef<PlacedLevel> levels) {
  SmallVector<Value *> arguments{ConstantPointerNull::get(b.getPtrTy())};
  arguments.append(inputs.begin(), inputs.end());
  for (const PlacedLevel &level : levels)
    arguments.append(level.ids.begin(), level.ids.end());
  for (const PlacedLevel &level : levels)
    arguments.append(level.extents.begin(), level.extents.end());
  arguments.push_back(b.getTrue());
  return b.CreateCall(&function, arguments);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

SmallVector<CallInst *> codegen::allocationsIn(Function &function) {
  SmallVector<CallInst *> found;
  for (Instruction &inst : instructions(function))
    if (auto *call = dyn_cast<CallInst>(&inst))
      if (Function *callee = call->getCalledFunction();
          callee && callee->getName() == "sluiceMalloc")
        found.push_back(call);
  return found;
}

static bool isOwnMemory(const Value *pointer) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  return all_of(objects, [](const Value *object) {
    const auto *global = dyn_cast<GlobalVariable>(object);
    return isa<AllocaInst>(object) || (global && global->isConstant());
  });
}

bool codegen::isPure(const Function &function) {
  for (const Instruction &inst : instructions(function)) {
    if (!inst.mayReadOrWriteMemory() || inst.isDebugOrPseudoInst() ||
        inst.isLifetimeStartOrEnd())
      continue;
    if (const Value *pointer = getLoadStorePointerOperand(&inst)) {
      if (!isOwnMemory(pointer))
        return false;
      continue;
    }
    const auto *call = dyn_cast<CallInst>(&inst);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (const auto *memory = dyn_cast<MemIntrinsic>(&inst)) {
      const auto *transfer = dyn_cast<MemTransferInst>(memory);
      if (!isOwnMemory(memory->getRawDest()) ||
          (transfer && !isOwnMemory(transfer->getRawSource())))
        return false;
      continue;
    }
    if (!callee || (callee->getName() != "sluiceMalloc" &&
                    callee->getIntrinsicID() != Intrinsic::assume &&
                    callee->getIntrinsicID() !=
                        Intrinsic::experimental_noalias_scope_decl))
      return false;
  }
  return true;
}

std::optional<unsigned> codegen::forwardedInput(const Function &function,
                                                unsigned index) {
  std::optional<unsigned> input;
  for (const BasicBlock &block : function) {
    const auto *end = dyn_cast<ReturnInst>(block.getTerminator());
    if (!end)
      continue;
    Value *value = FindInsertedValue(end->getReturnValue(), index);
    const auto *argument = dyn_cast_or_null<Argument>(value);
    if (!argument || argument->getArgNo() == 0 ||
        (input && *input != argument->getArgNo() - 1))
      return std::nullopt;
    input = argument->getArgNo() - 1;
  }
  return input;
}
