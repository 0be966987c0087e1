//===- PrivateMemory.cpp - Variables of an instance, lane by lane ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. A variable is private if all users of its address are known, and if its
//    lifetime begins in the loop, before any use.
// 2. The origin of a pointer gives the places to which it may point, up to
//    multiples of a number, as in `12 + 16 * i`.
// 3. The distances at which accesses repeat have a common divisor, the period.
//    Within a period, two accesses meet in all of their bytes or in none.
//
//===----------------------------------------------------------------------===//

#include "PrivateMemory.h"

#include "../Group/InstanceLoops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <numeric>

#define DEBUG_TYPE "sluice-keep-copying-loops"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numCopying,
                         "Functions whose copying loops stay loops");

namespace sluice::codegen {

/// Elements that a fill or a copy may have.
static constexpr size_t mostCopied = 64;
static constexpr int64_t mostBytes = 1024;

PrivateMemory::PrivateMemory(const Loop &loop, const DominatorTree &dominators)
    : loop(loop) {
  SmallVector<AllocaInst *> all;
  for (Instruction &inst : loop.getHeader()->getParent()->getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&inst))
      if (variable->isStaticAlloca() &&
          variable->getAllocationSize(variable->getDataLayout()))
        all.push_back(variable);
  SmallVector<bool> isBad;
  for (auto [number, variable] : enumerate(all)) {
    groups.insert(number);
    isBad.push_back(!follow(*variable, number, dominators));
  }
  SmallPtrSet<const Instruction *, 8> mixed;
  auto isGroupBad = [&](unsigned group) {
    return any_of(enumerate(isBad), [&](const auto &entry) {
      return entry.value() && groups.getLeaderValue(entry.index()) == group;
    });
  };
  // Pointers of bad variables are none, so what mixes them with others is bad.
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    forget(isGroupBad);
    for (auto &[value, pointer] : places)
      for (const User *user : value->users()) {
        const auto *inst = cast<Instruction>(user);
        if (!loop.contains(inst) || !mixes(*inst) || isBad[pointer.owner])
          continue;
        isBad[pointer.owner] = hasChanged = true;
      }
  }
  findPlaces();
  forget([&](unsigned group) { return !layOut(group); });
  for (auto [number, variable] : enumerate(all))
    if (contains(variable))
      found.push_back(variable);
  for (auto &[value, pointer] : places)
    if (auto *address = dyn_cast<GetElementPtrInst>(value);
        address && !loop.contains(address) &&
        dominators.dominates(address, loop.getHeader()))
      outside.push_back(const_cast<GetElementPtrInst *>(address));
}

/// Leaves out the variables of bad groups and all pointers to them.
void PrivateMemory::forget(function_ref<bool(unsigned)> isBad) {
  DenseMap<unsigned, bool> known;
  auto isOut = [&](const Value *pointer) {
    auto [place, isNew] = known.try_emplace(groupOf(pointer), false);
    if (isNew) {
      unsigned group = place->first;
      bool result = isBad(group);
      known[group] = result;
      return result;
    }
    return place->second;
  };
  SmallPtrSet<const Value *, 16> out;
  for (auto &[value, pointer] : places)
    if (isOut(value))
      out.insert(value);
  erase_if(accesses, [&](const Instruction *access) {
    return out.contains(getLoadStorePointerOperand(access));
  });
  erase_if(intrinsics, [&](AnyMemIntrinsic *intrinsic) {
    auto *transfer = dyn_cast<AnyMemTransferInst>(intrinsic);
    return out.contains(intrinsic->getRawDest()) ||
           (transfer && out.contains(transfer->getRawSource()));
  });
  places.remove_if(
      [&](const auto &entry) { return out.contains(entry.first); });
}

//===----------------------------------------------------------------------===//
// Uses of the address
//===----------------------------------------------------------------------===//

/// Notes what `user` does with a pointer to variable `number`; false: unknown.
bool PrivateMemory::followUser(Instruction &user, const Use &use,
                               unsigned number) {
  if (isa<LoadInst, StoreInst>(user)) {
    if (getLoadStorePointerOperand(&user) != use.get() ||
        (isa<StoreInst>(user) && user.getOperand(0) == use.get()) ||
        user.isVolatile() || user.isAtomic())
      return false;
    if (loop.contains(&user) && !is_contained(accesses, &user))
      accesses.push_back(&user);
    return true;
  }
  if (auto *intrinsic = dyn_cast<AnyMemIntrinsic>(&user)) {
    if (intrinsic->isVolatile() || !isa<MemIntrinsic>(intrinsic))
      return false;
    if (loop.contains(&user) && !is_contained(intrinsics, intrinsic))
      intrinsics.push_back(intrinsic);
    return true;
  }
  if (isa<ICmpInst>(user))
    return true;
  bool isPointer = isa<PHINode, SelectInst, FreezeInst>(user) ||
                   (isa<GetElementPtrInst>(user) && use.getOperandNo() == 0);
  return isPointer && user.getType()->isPointerTy();
}

/// Contents begin in each round of the loop, and do not go on behind it.
bool PrivateMemory::isOfOneRound(ArrayRef<const Instruction *> starts,
                                 ArrayRef<const Instruction *> users,
                                 const DominatorTree &dominators) const {
  return all_of(users, [&](const Instruction *user) {
    return any_of(starts, [&](const Instruction *start) {
      return loop.contains(start) == loop.contains(user) &&
             dominators.dominates(start, user) &&
             (loop.contains(start) ||
              !dominators.dominates(start->getParent(), loop.getHeader()));
    });
  });
}

bool PrivateMemory::follow(AllocaInst &variable, unsigned number,
                           const DominatorTree &dominators) {
  SmallVector<const Instruction *> starts, users;
  SmallVector<Instruction *> open{&variable};
  bool isGood = true, isUsed = false;
  places[&variable] = {number, std::nullopt};
  while (!open.empty())
    for (Use &use : open.pop_back_val()->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
      if (user->isLifetimeStartOrEnd()) {
        if (intrinsic->getIntrinsicID() == Intrinsic::lifetime_start)
          starts.push_back(user);
        continue;
      }
      if (user->isDebugOrPseudoInst())
        continue;
      bool isInside = loop.contains(user);
      isUsed |= isInside;
      isGood &= followUser(*user, use, number);
      if (!isa<GetElementPtrInst>(user))
        users.push_back(user);
      if (!user->getType()->isPointerTy() || isa<LoadInst>(user) ||
          (!isInside && !isa<GetElementPtrInst>(user)))
        continue;
      auto [place, isNew] = places.insert({user, {number, std::nullopt}});
      if (isNew)
        open.push_back(user);
      else
        groups.unionSets(number, place->second.owner);
    }
  return isGood && isUsed && isOfOneRound(starts, users, dominators);
}

/// Whether an instruction that takes a private pointer takes one that is not,
/// too, in the place of it.
bool PrivateMemory::mixes(const Instruction &user) const {
  auto isOther = [&](const Value *value) {
    return !contains(value) && !isa<UndefValue>(value);
  };
  if (isa<ICmpInst>(user))
    return any_of(user.operands(), isOther) ||
           groupOf(user.getOperand(0)) != groupOf(user.getOperand(1));
  if (isa<SelectInst>(user))
    return any_of(drop_begin(user.operands()), isOther);
  return isa<PHINode>(user) && any_of(user.operands(), isOther);
}

//===----------------------------------------------------------------------===//
// Where pointers point to
//===----------------------------------------------------------------------===//

static int64_t restOf(int64_t value, int64_t modulus) {
  if (modulus == 0)
    return value;
  int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

std::optional<PrivateMemory::Place>
PrivateMemory::placeOf(const Value *pointer) const {
  auto found = places.find(pointer);
  return found == places.end() ? std::nullopt : found->second.place;
}

/// Nothing: of no place that is known so far.
std::optional<PrivateMemory::Place>
PrivateMemory::computePlace(const Value *pointer) const {
  if (isa<AllocaInst>(pointer))
    return Place();
  const auto *inst = cast<Instruction>(pointer);
  if (const auto *address = dyn_cast<GEPOperator>(inst)) {
    std::optional<Place> base = placeOf(address->getPointerOperand());
    if (!base)
      return std::nullopt;
    const DataLayout &layout = inst->getDataLayout();
    unsigned bits = layout.getIndexTypeSizeInBits(inst->getType());
    SmallMapVector<Value *, APInt, 4> variable;
    APInt constant(bits, 0);
    Place result{1, 0};
    if (!address->collectOffset(layout, bits, variable, constant))
      return result;
    result.modulus = base->modulus;
    for (auto &[index, scale] : variable) {
      KnownBits known = computeKnownBits(index, layout);
      unsigned zeros = std::min(known.countMinTrailingZeros(), 16u);
      APInt step = scale.abs().shl(zeros);
      if (!step.isSignedIntN(48))
        return Place{1, 0};
      result.modulus = std::gcd(result.modulus, step.getSExtValue());
    }
    result.rest = restOf(base->rest + constant.getSExtValue(), result.modulus);
    return result;
  }
  std::optional<Place> result;
  for (const Value *operand : inst->operands()) {
    std::optional<Place> other = placeOf(operand);
    if (!other)
      continue;
    if (!result) {
      result = other;
      continue;
    }
    int64_t modulus = std::gcd(std::gcd(result->modulus, other->modulus),
                               result->rest - other->rest);
    result = Place{modulus, restOf(result->rest, modulus)};
  }
  return result;
}

/// Moduli only become divisors of what they were.
void PrivateMemory::findPlaces() {
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (auto &[value, pointer] : places) {
      std::optional<Place> place = computePlace(value);
      hasChanged |= place != pointer.place;
      pointer.place = place;
    }
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// False: it shares some bytes with another element.
bool PrivateMemory::addElement(Layout &layout,
                               const Instruction &access) const {
  Type *type = getLoadStoreType(&access);
  const DataLayout &data = access.getDataLayout();
  std::optional<Place> place = placeOf(getLoadStorePointerOperand(&access));
  if (!place || (place->modulus == 0 && place->rest < 0))
    return false;
  int64_t begin = restOf(place->rest, layout.period);
  auto size = int64_t(data.getTypeStoreSize(type).getFixedValue());
  if (layout.period != 0 && begin + size > layout.period)
    return false;
  for (const Element &element : layout.elements) {
    if (element.begin == begin && element.size == size)
      return true;
    if (begin < element.begin + element.size && element.begin < begin + size)
      return false;
  }
  layout.elements.push_back({begin, size, type});
  return true;
}

bool PrivateMemory::layOut(unsigned group) {
  Layout &layout = layouts[group];
  for (const Instruction *access : accesses) {
    const Value *pointer = getLoadStorePointerOperand(access);
    if (std::optional<Place> place = placeOf(pointer);
        place && groupOf(pointer) == group)
      layout.period = std::gcd(layout.period, place->modulus);
  }
  return all_of(accesses, [&](const Instruction *access) {
    return groupOf(getLoadStorePointerOperand(access)) != group ||
           addElement(layout, *access);
  });
}

uint64_t PrivateMemory::numBytes() const {
  uint64_t result = 0;
  for (const AllocaInst *variable : found)
    result +=
        variable->getAllocationSize(variable->getDataLayout())->getFixedValue();
  return result;
}

bool PrivateMemory::isAlwaysInside(const Value *pointer, Type *type) const {
  const DataLayout &layout = loop.getHeader()->getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const auto *variable =
      dyn_cast<AllocaInst>(pointer->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true));
  if (!variable || offset.isNegative())
    return false;
  uint64_t size = variable->getAllocationSize(layout)->getFixedValue();
  return (offset + layout.getTypeStoreSize(type).getFixedValue()).ule(size);
}

//===----------------------------------------------------------------------===//
// Fills and copies
//===----------------------------------------------------------------------===//

/// An element of `type` all of whose bytes are `byte`.
static Value *filled(IRBuilder<> &builder, Value *byte, Type *type,
                     const DataLayout &layout) {
  unsigned bits = layout.getTypeSizeInBits(type);
  Type *whole = builder.getIntNTy(bits);
  Value *wide = builder.CreateZExt(byte, whole);
  wide = builder.CreateMul(
      wide, ConstantInt::get(whole, APInt::getSplat(bits, APInt(8, 1))));
  return type->isPointerTy() ? builder.CreateIntToPtr(wide, type)
                             : builder.CreateBitCast(wide, type);
}

/// Integers for the bytes [begin, end), where nobody looks at elements.
void PrivateMemory::addGap(SmallVectorImpl<Element> &copied, int64_t begin,
                           int64_t end) const {
  LLVMContext &context = loop.getHeader()->getContext();
  while (begin < end) {
    int64_t size = 8;
    while (begin % size != 0 || begin + size > end)
      size /= 2;
    copied.push_back(
        {begin, size, Type::getIntNTy(context, unsigned(8 * size))});
    begin += size;
  }
}

/// The elements that a fill or copy of `length` bytes from `pointer` on
/// accesses; empty if they are not known or too many.
SmallVector<PrivateMemory::Element>
PrivateMemory::elementsFrom(const Value *pointer, int64_t length) const {
  const Layout &layout = layouts.find(groupOf(pointer))->second;
  std::optional<Place> place = placeOf(pointer);
  if (!place || layout.elements.empty() || length > mostBytes ||
      (layout.period == 0 ? place->modulus != 0
                          : place->modulus % layout.period != 0))
    return {};
  SmallVector<Element> elements(layout.elements), copied;
  sort(elements,
       [](const Element &a, const Element &b) { return a.begin < b.begin; });
  int64_t start = -restOf(place->rest, layout.period), last = 0;
  for (; start < length; start += layout.period) {
    for (const Element &element : elements) {
      int64_t begin = start + element.begin, end = begin + element.size;
      if (end <= 0 || begin >= length)
        continue;
      if (begin < 0 || end > length)
        return {};
      addGap(copied, last, begin);
      copied.push_back({begin, element.size, element.type});
      last = end;
    }
    if (layout.period == 0)
      break;
  }
  addGap(copied, last, length);
  return copied.size() <= mostCopied ? copied : SmallVector<Element>();
}

/// Whether all of the memory are elements of one type, one after another, and
/// `pointer` points to one.
Type *PrivateMemory::onlyElement(const Value *pointer) const {
  const Layout &layout = layouts.find(groupOf(pointer))->second;
  std::optional<Place> place = placeOf(pointer);
  if (!place || layout.elements.size() != 1 ||
      layout.elements[0].size != layout.period ||
      place->modulus % layout.period != 0 ||
      restOf(place->rest - layout.elements[0].begin, layout.period) != 0)
    return nullptr;
  return layout.elements[0].type;
}

/// Fills and copies of any length go round a loop.
bool PrivateMemory::expandLong(AnyMemIntrinsic &intrinsic) {
  if (isa<MemMoveInst>(intrinsic))
    return false;
  auto *transfer = dyn_cast<AnyMemTransferInst>(&intrinsic);
  Value *to = intrinsic.getRawDest();
  Value *from = transfer ? transfer->getRawSource() : nullptr;
  Type *type = contains(to) ? onlyElement(to) : nullptr;
  if (!type && from && contains(from))
    type = onlyElement(from);
  const DataLayout &data = intrinsic.getDataLayout();
  if (!type)
    return false;
  uint64_t size = data.getTypeStoreSize(type);
  Value *length = intrinsic.getLength();
  if (!isPowerOf2_64(size) ||
      computeKnownBits(length, data).countMinTrailingZeros() < Log2_64(size))
    return false;
  IRBuilder<> builder(&intrinsic);
  Value *count = builder.CreateLShr(length, Log2_64(size));
  Instruction *some = SplitBlockAndInsertIfThen(
      builder.CreateICmpNE(count, ConstantInt::get(count->getType(), 0)),
      intrinsic.getIterator(), /*Unreachable=*/false);
  auto [body, index] =
      SplitBlockAndInsertSimpleForLoop(count, some->getIterator());
  builder.SetInsertPoint(body);
  MDNode *group = intrinsic.getMetadata(LLVMContext::MD_access_group);
  auto place = [&](Value *pointer) {
    return builder.CreateInBoundsGEP(type, pointer, index);
  };
  Value *value;
  if (transfer) {
    LoadInst *load = builder.CreateAlignedLoad(
        type, place(from),
        commonAlignment(transfer->getSourceAlign().valueOrOne(), size));
    load->setMetadata(LLVMContext::MD_access_group, group);
    value = load;
  } else {
    value = filled(builder, cast<MemSetInst>(intrinsic).getValue(), type, data);
  }
  builder
      .CreateAlignedStore(
          value, place(to),
          commonAlignment(intrinsic.getDestAlign().valueOrOne(), size))
      ->setMetadata(LLVMContext::MD_access_group, group);
  intrinsic.eraseFromParent();
  return true;
}

bool PrivateMemory::expand(AnyMemIntrinsic &intrinsic) {
  auto *transfer = dyn_cast<AnyMemTransferInst>(&intrinsic);
  Value *to = intrinsic.getRawDest();
  Value *from = transfer ? transfer->getRawSource() : nullptr;
  const auto *known = dyn_cast<ConstantInt>(intrinsic.getLength());
  if (!known)
    return expandLong(intrinsic);
  int64_t length = known->getSExtValue();
  SmallVector<Element> copied;
  if (contains(to))
    copied = elementsFrom(to, length);
  if (copied.empty() && from && contains(from))
    copied = elementsFrom(from, length);
  if (copied.empty())
    return expandLong(intrinsic);
  // Copies may overlap: everything is read before it is written.
  IRBuilder<> builder(&intrinsic);
  const DataLayout &data = intrinsic.getDataLayout();
  MDNode *accessGroup = intrinsic.getMetadata(LLVMContext::MD_access_group);
  SmallVector<Value *> values;
  for (const Element &element : copied) {
    if (!transfer) {
      values.push_back(filled(builder, cast<MemSetInst>(intrinsic).getValue(),
                              element.type, data));
      continue;
    }
    Align align = commonAlignment(transfer->getSourceAlign().valueOrOne(),
                                  uint64_t(element.begin));
    LoadInst *load = builder.CreateAlignedLoad(
        element.type,
        builder.CreateConstGEP1_64(builder.getInt8Ty(), from,
                                   uint64_t(element.begin)),
        align);
    load->setMetadata(LLVMContext::MD_access_group, accessGroup);
    values.push_back(load);
  }
  for (auto [element, value] : zip(copied, values)) {
    Align align = commonAlignment(intrinsic.getDestAlign().valueOrOne(),
                                  uint64_t(element.begin));
    builder
        .CreateAlignedStore(value,
                            builder.CreateConstGEP1_64(builder.getInt8Ty(), to,
                                                       uint64_t(element.begin)),
                            align)
        ->setMetadata(LLVMContext::MD_access_group, accessGroup);
  }
  intrinsic.eraseFromParent();
  return true;
}

static bool hasVariables(const Function &function) {
  bool hasLoop = false, hasVariable = false;
  for (const BasicBlock &block : function)
    hasLoop |= isInstanceLoop(
        block.getTerminator()->getMetadata(LLVMContext::MD_loop));
  if (hasLoop)
    for (const Instruction &inst : function.getEntryBlock())
      hasVariable |=
          isa<AllocaInst>(inst) && !isInstanceArray(cast<AllocaInst>(inst));
  return hasVariable;
}

/// So do those into which they are inlined, as LLVM demands.
PreservedAnalyses KeepCopyingLoops::run(Module &module,
                                        ModuleAnalysisManager &) {
  SetVector<Function *> all;
  for (Function &function : module)
    if (!function.isDeclaration() && hasVariables(function))
      all.insert(&function);
  for (size_t i = 0; i != all.size(); ++i)
    for (const User *user : all[i]->users())
      if (const auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledOperand() == all[i])
        all.insert(const_cast<Function *>(call->getFunction()));
  for (Function *function : all)
    for (StringRef name : {"memcpy", "memset", "memmove"})
      function->addFnAttr(("no-builtin-" + name).str());
  numCopying += all.size();
  return all.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

bool PrivateMemory::expandIntrinsics() {
  bool hasChanged = false;
  for (AnyMemIntrinsic *intrinsic : intrinsics)
    hasChanged |= expand(*intrinsic);
  intrinsics.clear();
  return hasChanged;
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
