//===- KernelParameters.cpp - What a device kernel is handed --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
// Values of any type
//===----------------------------------------------------------------------===//

/// A scalar of `type` somewhere in a value.
using ScalarPart =
    function_ref<Value *(Type *type, uint64_t offset, ArrayRef<unsigned> path)>;

/// Calls `part` for each scalar of `type`, vectors' elements included, with its
/// offset in bytes. The last index into a vector is the element's.
static void
forEachScalar(Type *type, const DataLayout &layout, uint64_t offset,
              SmallVectorImpl<unsigned> &path,
              function_ref<void(Type *, uint64_t, ArrayRef<unsigned>)> part) {
  auto element = [&](Type *inner, uint64_t at, unsigned index) {
    path.push_back(index);
    forEachScalar(inner, layout, at, path, part);
    path.pop_back();
  };
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *places = layout.getStructLayout(structure);
    for (unsigned i = 0; i != structure->getNumElements(); ++i)
      element(structure->getElementType(i),
              offset + places->getElementOffset(i), i);
    return;
  }
  uint64_t count = 0;
  Type *inner = nullptr;
  if (auto *array = dyn_cast<ArrayType>(type)) {
    count = array->getNumElements();
    inner = array->getElementType();
  } else if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    count = vector->getNumElements();
    inner = vector->getElementType();
  }
  if (!inner)
    return part(type, offset, path);
  for (uint64_t i = 0; i != count; ++i)
    element(inner, offset + i * layout.getTypeAllocSize(inner), i);
}

/// Where a path ends in a vector: its length up to there, or all.
static Value *insertPart(IRBuilderBase &b, Value *whole, Value *part,
                         ArrayRef<unsigned> path) {
  if (path.empty())
    return part;
  Type *holder =
      ExtractValueInst::getIndexedType(whole->getType(), path.drop_back());
  if (!holder->isVectorTy())
    return b.CreateInsertValue(whole, part, path);
  ArrayRef<unsigned> outer = path.drop_back();
  Value *vector = outer.empty() ? whole : b.CreateExtractValue(whole, outer);
  vector = b.CreateInsertElement(vector, part, path.back());
  return outer.empty() ? vector : b.CreateInsertValue(whole, vector, outer);
}

static Value *extractPart(IRBuilderBase &b, Value *whole,
                          ArrayRef<unsigned> path) {
  if (path.empty())
    return whole;
  ArrayRef<unsigned> outer = path.drop_back();
  Type *holder = ExtractValueInst::getIndexedType(whole->getType(), outer);
  if (!holder->isVectorTy())
    return b.CreateExtractValue(whole, path);
  Value *vector = outer.empty() ? whole : b.CreateExtractValue(whole, outer);
  return b.CreateExtractElement(vector, path.back());
}

static const DataLayout &layoutOf(IRBuilderBase &b) {
  return b.GetInsertBlock()->getModule()->getDataLayout();
}

static Value *buildValue(IRBuilderBase &b, Type *type, ScalarPart part) {
  Value *whole = PoisonValue::get(type);
  SmallVector<unsigned> path;
  forEachScalar(type, layoutOf(b), 0, path,
                [&](Type *scalar, uint64_t offset, ArrayRef<unsigned> at) {
                  whole = insertPart(b, whole, part(scalar, offset, at), at);
                });
  return whole;
}

/// How a scalar stands in memory: whole bytes.
static Type *storedType(Type *type) {
  auto *integer = dyn_cast<IntegerType>(type);
  if (!integer || integer->getBitWidth() % 8 == 0)
    return type;
  unsigned bits = PowerOf2Ceil(std::max(8u, integer->getBitWidth()));
  return IntegerType::get(type->getContext(), bits);
}

static Value *addressAt(IRBuilderBase &b, Value *address, uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, offset);
}

Value *codegen::loadScalars(IRBuilderBase &b, Type *type, Value *address) {
  return buildValue(
      b, type, [&](Type *scalar, uint64_t offset, ArrayRef<unsigned>) {
        Value *stored =
            b.CreateLoad(storedType(scalar), addressAt(b, address, offset));
        return stored->getType() == scalar ? stored
                                           : b.CreateTrunc(stored, scalar);
      });
}

void codegen::storeScalars(IRBuilderBase &b, Value *value, Value *address) {
  SmallVector<unsigned> path;
  forEachScalar(value->getType(), layoutOf(b), 0, path,
                [&](Type *scalar, uint64_t offset, ArrayRef<unsigned> at) {
                  Value *part = extractPart(b, value, at);
                  if (storedType(scalar) != scalar)
                    part = b.CreateZExt(part, storedType(scalar));
                  b.CreateStore(part, addressAt(b, address, offset));
                });
}

Value *codegen::convertTo(IRBuilderBase &b, Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  return buildValue(b, type, [&](Type *, uint64_t, ArrayRef<unsigned> path) {
    return extractPart(b, value, path);
  });
}

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
    // An address within a structure: refused where it is used.
    Value *number = scalar(entry.getInt64Ty(), frameOffset);
    auto *address = cast<Instruction>(entry.CreateIntToPtr(number, type));
    address->setMetadata(memberMetadata, MDNode::get(entry.getContext(), {}));
    return address;
  }
  Type *passed = storedType(type);
  uint64_t size = layoutOf(entry).getTypeStoreSize(passed);
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
  // The same bytes may be asked for as another type of the same size.
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
  return loadScalars(b, type, addressAt(b, frame(), frameOffset));
}

void KernelParameters::storeToFrame(IRBuilderBase &b, Value *value,
                                    uint64_t frameOffset) {
  storeScalars(b, value, addressAt(b, frame(), frameOffset));
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

/// What the kernel does to the memory that starts at `start`.
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

/// Ports may declare more than the code does, and atomics read what is
/// declared as written only.
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
