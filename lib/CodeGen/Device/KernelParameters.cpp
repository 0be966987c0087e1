//===- KernelParameters.cpp - Parameters of a device kernel ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime passes arguments to a kernel and must move memory for them. This
// file decides what the parameters are and how the kernel uses the memory
// behind each.
//
//===----------------------------------------------------------------------===//

#include "KernelParameters.h"
#include "NeutralForm.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

KernelParameters::~KernelParameters() {
  if (isAttached)
    return;
  for (Entry &parameter : entries)
    for (Argument *standIn : parameter.arguments) {
      if (!standIn->use_empty())
        standIn->replaceAllUsesWith(PoisonValue::get(standIn->getType()));
      delete standIn;
    }
}

KernelParameters::Entry *KernelParameters::find(uint32_t kind,
                                                uint64_t frameOffset,
                                                uint32_t index,
                                                const GlobalVariable *dataset) {
  for (Entry &known : entries)
    if (known.description.kind == kind &&
        known.description.frameOffset == frameOffset &&
        known.description.index == index &&
        known.description.dataset == dataset)
      return &known;
  return nullptr;
}

KernelParameters::Entry &KernelParameters::add(DeviceParameter description,
                                               ArrayRef<Type *> types) {
  Entry added{description, {}, nullptr};
  for (Type *type : types)
    added.arguments.push_back(new Argument(type));
  added.unpacked = added.arguments.front();
  entries.push_back(std::move(added));
  return entries.back();
}

Value *KernelParameters::scalar(Type *type, uint64_t frameOffset) {
  if (type->isPointerTy()) {
    // An address within a structure; it is rejected where it is used.
    Value *number = scalar(entry.getInt64Ty(), frameOffset);
    auto *address = cast<Instruction>(entry.CreateIntToPtr(number, type));
    address->setMetadata(memberMetadata, MDNode::get(entry.getContext(), {}));
    return address;
  }
  Type *passed = storedType(type);
  uint64_t size =
      entry.GetInsertBlock()->getDataLayout().getTypeStoreSize(passed);
  Entry *known = nullptr;
  for (Entry &parameter : entries)
    if (parameter.description.kind == SLUICE_DEVICE_VALUE &&
        parameter.description.frameOffset == frameOffset &&
        parameter.description.size == size)
      known = &parameter;
  if (!known) {
    DeviceParameter description;
    description.kind = SLUICE_DEVICE_VALUE;
    description.frameOffset = frameOffset;
    description.size = size;
    known = &add(description, passed);
  }
  // The same bytes may be requested as another type of the same size.
  Value *value = known->arguments.front();
  if (value->getType() != passed)
    value = entry.CreateBitCast(value, passed);
  return passed == type ? value : entry.CreateTrunc(value, type);
}

Value *KernelParameters::value(Type *type, uint64_t frameOffset) {
  return buildValue(entry, type,
                    [&](Type *part, uint64_t offset, ArrayRef<unsigned>) {
                      return scalar(part, frameOffset + offset);
                    });
}

Value *KernelParameters::frame() {
  if (Entry *known = find(SLUICE_DEVICE_FRAME, 0, 0))
    return known->unpacked;
  DeviceParameter description;
  description.kind = SLUICE_DEVICE_FRAME;
  return add(description, PointerType::get(entry.getContext(), globalSpace))
      .unpacked;
}

Value *KernelParameters::frameValue(IRBuilderBase &b, Type *type,
                                    uint64_t frameOffset) {
  return loadScalars(
      b, type,
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame(), frameOffset));
}

void KernelParameters::storeToFrame(IRBuilderBase &b, Value *value,
                                    uint64_t frameOffset) {
  storeScalars(
      b, value,
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame(), frameOffset));
}

/// (start, offset) as one flat address.
Value *KernelParameters::address(Entry &parameter) {
  Value *start = entry.CreateGEP(entry.getInt8Ty(), parameter.arguments[0],
                                 parameter.arguments[1]);
  return parameter.unpacked =
             entry.CreateAddrSpaceCast(start, entry.getPtrTy());
}

Value *KernelParameters::memory(const DeviceParameter &wanted, bool isNoAlias) {
  Entry *known =
      find(SLUICE_DEVICE_POINTER, wanted.frameOffset, 0, wanted.dataset);
  if (known) {
    known->description.access |= wanted.access;
    if (known->description.sizeOffset == SLUICE_NO_OFFSET)
      known->description.sizeOffset = wanted.sizeOffset;
    known->isNoAlias &= isNoAlias;
    return known->unpacked;
  }
  Entry &added = add(wanted, {PointerType::get(entry.getContext(), globalSpace),
                              entry.getInt64Ty()});
  added.description.kind = SLUICE_DEVICE_POINTER;
  added.isNoAlias = isNoAlias;
  return address(added);
}

Value *KernelParameters::array(uint64_t frameOffset, uint64_t elementSize,
                               unsigned numLevels, uint32_t access) {
  if (Entry *known = find(SLUICE_DEVICE_ARRAY, frameOffset, numLevels)) {
    known->description.access |= access;
    return known->unpacked;
  }
  DeviceParameter description;
  description.kind = SLUICE_DEVICE_ARRAY;
  description.access = access;
  description.frameOffset = frameOffset;
  description.size = elementSize;
  description.index = numLevels;
  return address(
      add(description, {PointerType::get(entry.getContext(), globalSpace),
                        entry.getInt64Ty()}));
}

Value *KernelParameters::extent(unsigned index) {
  if (Entry *known = find(SLUICE_DEVICE_EXTENT, 0, index))
    return known->unpacked;
  DeviceParameter description;
  description.kind = SLUICE_DEVICE_EXTENT;
  description.size = 8;
  description.index = index;
  return add(description, entry.getInt64Ty()).unpacked;
}

Value *KernelParameters::launchWord(SluiceDeviceParameterKind kind) {
  if (Entry *known = find(kind, 0, 0))
    return known->unpacked;
  DeviceParameter description;
  description.kind = kind;
  description.size = 8;
  return add(description, entry.getInt64Ty()).unpacked;
}

Value *KernelParameters::local(unsigned index) {
  if (Entry *known = find(SLUICE_DEVICE_LOCAL, 0, index))
    return known->unpacked;
  DeviceParameter description;
  description.kind = SLUICE_DEVICE_LOCAL;
  description.index = index;
  Entry &added =
      add(description, PointerType::get(entry.getContext(), localSpace));
  return added.unpacked =
             entry.CreateAddrSpaceCast(added.arguments[0], entry.getPtrTy());
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool KernelParameters::Entry::isUsed() const {
  return any_of(arguments,
                [](const Argument *standIn) { return !standIn->use_empty(); });
}

/// Reads and writes at once.
static constexpr uint32_t accessUpdate = 4;

/// The accesses of the kernel to the memory that starts at `start`.
static uint32_t accessThrough(const Argument &start) {
  uint32_t access = 0;
  SmallVector<const Value *> worklist{&start};
  SmallPtrSet<const Value *, 16> visited;
  while (!worklist.empty()) {
    const Value *pointer = worklist.pop_back_val();
    if (!visited.insert(pointer).second)
      continue;
    for (const User *user : pointer->users()) {
      if (isa<LoadInst>(user))
        access |= SLUICE_ACCESS_IN;
      else if (isa<StoreInst>(user))
        access |= SLUICE_ACCESS_OUT;
      else if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(user))
        worklist.push_back(user);
      else if (!isa<ICmpInst>(user))
        access |= SLUICE_ACCESS_IN | SLUICE_ACCESS_OUT | accessUpdate;
    }
  }
  return access;
}

/// Ports may declare more accesses than the code makes, and atomics read memory
/// that is only declared as written.
void KernelParameters::refineAccess(Entry &parameter, const Argument &start) {
  uint32_t does = accessThrough(start);
  uint32_t &declared = parameter.description.access;
  if (!(does & SLUICE_ACCESS_OUT))
    declared = SLUICE_ACCESS_IN;
  else
    declared |= SLUICE_ACCESS_OUT;
  if (does & accessUpdate)
    declared |= SLUICE_ACCESS_IN;
}

static bool isMemory(const DeviceParameter &parameter) {
  return parameter.kind == SLUICE_DEVICE_POINTER ||
         parameter.kind == SLUICE_DEVICE_ARRAY;
}

Function *KernelParameters::attach(Function &body, bool hasBarrier) {
  SmallVector<Type *> types;
  for (Entry &parameter : entries)
    for (Argument *argument : parameter.arguments)
      types.push_back(argument->getType());
  Function *function =
      Function::Create(FunctionType::get(body.getReturnType(), types, false),
                       GlobalValue::ExternalLinkage, "", body.getParent());
  function->splice(function->end(), &body);
  unsigned next = 0;
  for (Entry &parameter : entries) {
    bool isWritten = parameter.description.access & SLUICE_ACCESS_OUT;
    parameter.isNoAlias &= !(hasBarrier && isWritten);
    if (parameter.isNoAlias)
      function->addParamAttr(next, Attribute::NoAlias);
    for (Argument *&argument : parameter.arguments) {
      Argument *standIn = argument;
      argument = function->getArg(next++);
      standIn->replaceAllUsesWith(argument);
      delete standIn;
    }
  }
  isAttached = true;
  body.eraseFromParent();
  return function;
}

Function *KernelParameters::finish(Function &body, StringRef name,
                                   std::vector<DeviceParameter> &list) {
  erase_if(entries, [](const Entry &parameter) { return !parameter.isUsed(); });
  SmallVector<Type *> types;
  for (Entry &parameter : entries)
    for (Argument *argument : parameter.arguments)
      types.push_back(argument->getType());
  Function *kernel =
      Function::Create(FunctionType::get(body.getReturnType(), types, false),
                       GlobalValue::ExternalLinkage, name, body.getParent());
  kernel->addFnAttr(kernelAttribute);
  kernel->setDoesNotThrow();
  kernel->splice(kernel->end(), &body);
  unsigned next = 0;
  for (Entry &parameter : entries) {
    if (isMemory(parameter.description))
      refineAccess(parameter, *parameter.arguments.front());
    if (parameter.isNoAlias)
      kernel->addParamAttr(next, Attribute::NoAlias);
    if (isMemory(parameter.description) &&
        parameter.description.access == SLUICE_ACCESS_IN)
      kernel->addParamAttr(next, Attribute::ReadOnly);
    for (Argument *argument : parameter.arguments)
      argument->replaceAllUsesWith(kernel->getArg(next++));
    list.push_back(parameter.description);
  }
  body.eraseFromParent();
  return kernel;
}
