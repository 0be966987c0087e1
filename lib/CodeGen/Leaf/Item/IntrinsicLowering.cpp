//===- IntrinsicLowering.cpp - HPVM's leaf intrinsics on a CPU ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries become parameters of the item function, atomics become LLVM's relaxed
// atomic operations, and allocations become calls of the runtime. Barriers
// stay, marked so that no pass moves or copies them.
//
//===----------------------------------------------------------------------===//

#include "IntrinsicLowering.h"
#include "../Debug/InstanceRecord.h"
#include "ItemSignature.h"

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Base/SourcePath.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace sluice::codegen {

namespace {

class IntrinsicLowerer {
public:
  IntrinsicLowerer(Function &item, const RangeSpec &spec)
      : item(item), spec(spec), signature(spec) {}

  Error run();

private:
  Function &item;
  const RangeSpec &spec;
  ItemSignature signature;

  Error fail(const CallBase &call, const Twine &message) const;
  Expected<unsigned> levelOf(const CallBase &call) const;
  Expected<Value *> lower(CallBase &call, StringRef name);
  Expected<Value *> lowerQuery(CallBase &call, StringRef name);
  Expected<Value *> lowerAtomic(CallBase &call);
  Value *lowerMalloc(CallBase &call);
  void nameHandle(CallBase &handle) const;
};

} // namespace

Error IntrinsicLowerer::fail(const CallBase &call, const Twine &message) const {
  std::string place;
  if (const DebugLoc &location = call.getDebugLoc())
    place = sourcePath(location->getDirectory(), location->getFilename()) +
            ":" + std::to_string(location->getLine()) + ": ";
  return createStringError(inconvertibleErrorCode(), place + "leaf '" +
                                                         spec.leaf->getName() +
                                                         "': " + message);
}

Expected<unsigned> IntrinsicLowerer::levelOf(const CallBase &call) const {
  std::optional<unsigned> depth = handleDepth(*call.getArgOperand(0));
  if (!depth)
    return fail(call, "the node handle of a query must come from getNode or "
                      "getParentNode directly");
  if (*depth >= signature.numLevels)
    return fail(call, "a query goes " + Twine(*depth) +
                          " levels up, but only " +
                          Twine(signature.numLevels - 1) +
                          " levels lie between the leaf and the root");
  return signature.numLevels - 1 - *depth;
}

Expected<Value *> IntrinsicLowerer::lowerQuery(CallBase &call, StringRef name) {
  Expected<unsigned> level = levelOf(call);
  if (!level)
    return level.takeError();
  if (name == "getNumDims")
    return ConstantInt::get(call.getType(), spec.levels[*level].dims);
  unsigned dim = name.back() - 'x';
  return item.getArg(name.starts_with("getNodeInstanceID.")
                         ? signature.id(*level, dim)
                         : signature.extent(*level, dim));
}

Expected<Value *> IntrinsicLowerer::lowerAtomic(CallBase &call) {
  IRBuilder<> builder(&call);
  SmallVector<Value *> arguments(call.args());
  Value *value = emitAtomic(builder, hpvmAtomicOf(call)->operation, arguments,
                            call.getType());
  if (!value)
    return fail(call, "unknown atomic operation '" +
                          call.getCalledFunction()->getName() + "'");
  return value;
}

Value *IntrinsicLowerer::lowerMalloc(CallBase &call) {
  IRBuilder<> builder(&call);
  FunctionCallee function = item.getParent()->getOrInsertFunction(
      "sluiceMalloc", builder.getPtrTy(), builder.getPtrTy(),
      builder.getInt64Ty());
  CallInst *allocation = builder.CreateCall(
      function, {item.getArg(signature.invocation()), call.getArgOperand(0)});
  allocation->addRetAttr(Attribute::NoAlias);
  allocation->addRetAttr(
      Attribute::getWithAlignment(item.getContext(), Align(64)));
  return allocation;
}

static void protectBarrier(Function &barrier) {
  barrier.setAttributes(AttributeList());
  barrier.addFnAttr(Attribute::Convergent);
  barrier.addFnAttr(Attribute::NoDuplicate);
  barrier.addFnAttr(Attribute::NoUnwind);
}

Expected<Value *> IntrinsicLowerer::lower(CallBase &call, StringRef name) {
  if (name.starts_with("getNodeInstanceID.") ||
      name.starts_with("getNumNodeInstances.") || name == "getNumDims")
    return lowerQuery(call, name);
  if (hpvmAtomicOf(call))
    return lowerAtomic(call);
  if (name == "malloc")
    return lowerMalloc(call);
  return fail(call, "a leaf may not call '" +
                        call.getCalledFunction()->getName() + "'");
}

/// Variables that hold the handle refer to its node from now on.
void IntrinsicLowerer::nameHandle(CallBase &handle) const {
  std::optional<unsigned> depth = handleDepth(handle);
  SmallVector<DbgVariableRecord *> records;
  findDbgValues(&handle, records);
  for (DbgVariableRecord *record : records)
    if (depth)
      record->replaceVariableLocationOp(&handle, describeHandle(spec, *depth));
}

Error IntrinsicLowerer::run() {
  SmallVector<CallBase *> calls, handles, assumptions;
  for (Instruction &instruction : instructions(item)) {
    StringRef name = hpvmIntrinsicName(instruction);
    if (name.empty())
      continue;
    auto *call = cast<CallBase>(&instruction);
    if (name == "barrier") {
      protectBarrier(*call->getCalledFunction());
      call->setAttributes(AttributeList());
    } else if (name.starts_with("assume.")) {
      assumptions.push_back(call); // Only needed by the race check, which is
                                   // done.
    } else if (name.starts_with("reduce.") || name.starts_with("scan.")) {
      assumptions.push_back(call); // The kernel implements what the call
                                   // declares.
    } else if (name == "getNode" || name == "getParentNode")
      handles.push_back(call);
    else
      calls.push_back(call);
  }
  for (CallBase *call : assumptions)
    call->eraseFromParent();
  for (CallBase *call : calls) {
    Expected<Value *> value = lower(*call, hpvmIntrinsicName(*call));
    if (!value)
      return value.takeError();
    call->replaceAllUsesWith(*value);
    call->eraseFromParent();
  }
  for (CallBase *handle : reverse(handles)) {
    if (spec.options.debugging != Debugging::Lines)
      nameHandle(*handle);
    if (!handle->use_empty())
      handle->replaceAllUsesWith(PoisonValue::get(handle->getType()));
    handle->eraseFromParent();
  }
  return Error::success();
}

Error lowerIntrinsics(Function &item, const RangeSpec &spec) {
  return IntrinsicLowerer(item, spec).run();
}

} // namespace sluice::codegen
