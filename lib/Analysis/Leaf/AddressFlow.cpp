//===- AddressFlow.cpp - Where something is written through an address ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/AddressFlow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

/// A distance that is not known.
static constexpr int64_t anywhere = INT64_MIN;

bool AddressFlow::check(const Use &use, const Path &path) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return mayBeLost;
  if (isa<ICmpInst>(user) || user->isLifetimeStartOrEnd())
    return true;
  if (isa<LoadInst>(user))
    return path.empty() || checkLoaded(*user, path);
  if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user))
    return checkMoved(*user, path);
  if (isa<MemIntrinsic, StoreInst>(user))
    return checkStore(use, path);
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
    return !path.empty() || noteWrite(*user);
  return checkReturn(use, path) || checkCall(use, path);
}

bool AddressFlow::noteWrite(const Instruction &instruction) {
  if (!write)
    write = outermost ? outermost : &instruction;
  return false;
}

bool AddressFlow::checkAll(const Value &pointer, const Path &path) {
  return !seen.insert({&pointer, path}).second ||
         all_of(pointer.uses(),
                [&](const Use &use) { return check(use, path); });
}

bool AddressFlow::checkLoaded(const Instruction &load, const Path &path) {
  Type *type = load.getType();
  int64_t size = load.getDataLayout().getTypeStoreSize(type).getFixedValue();
  bool isThere =
      path.back() == anywhere || (path.back() >= 0 && path.back() < size);
  if (!isThere)
    return true;
  if (!type->isPointerTy())
    return mayBeLost || !type->isAggregateType();
  return checkAll(load, Path(path.begin(), path.end() - 1));
}

/// A pointer that is computed from another one.
bool AddressFlow::checkMoved(const Instruction &pointer, const Path &path) {
  if (path.empty() || isa<CastInst, SelectInst>(pointer))
    return checkAll(pointer, path);
  Path moved = path;
  APInt distance(64, 0);
  auto *address = dyn_cast<GEPOperator>(&pointer);
  // A phi may go round in a loop, further each time.
  if (!address || moved.back() == anywhere ||
      !address->accumulateConstantOffset(pointer.getDataLayout(), distance))
    moved.back() = anywhere;
  else
    moved.back() -= distance.getSExtValue();
  return checkAll(pointer, moved);
}

bool AddressFlow::checkStore(const Use &use, const Path &path) {
  const auto *user = cast<Instruction>(use.getUser());
  const auto *store = dyn_cast<StoreInst>(user);
  // A holder is written by itself.
  if (use.getOperandNo() == (store ? 1u : 0u))
    return !path.empty() || noteWrite(*user);
  if (!store) // a copy
    return path.empty() ||
           checkHolder(*cast<MemTransferInst>(user)->getRawDest(), path);
  if (path.size() == maxLoads)
    return mayBeLost;
  Path longer = path;
  longer.push_back(0);
  return checkHolder(*store->getPointerOperand(), std::move(longer));
}

/// What holds the pointer from now on must be a variable, or a place in one.
bool AddressFlow::checkHolder(const Value &place, Path path) {
  const auto *instruction = dyn_cast<Instruction>(&place);
  if (!instruction)
    return mayBeLost;
  const DataLayout &layout = instruction->getDataLayout();
  APInt distance(64, 0);
  const Value *holder = place.stripAndAccumulateConstantOffsets(
      layout, distance, /*AllowNonInbounds=*/true);
  if (!isa<AllocaInst>(holder)) {
    holder = place.stripInBoundsOffsets();
    if (!isa<AllocaInst>(holder))
      return mayBeLost;
    path.back() = anywhere;
  } else if (path.back() != anywhere) {
    path.back() += distance.getSExtValue();
  }
  return checkAll(*holder, path);
}

/// What a call gives is checked where it is called.
bool AddressFlow::checkReturn(const Use &use, const Path &path) {
  auto *end = dyn_cast<ReturnInst>(use.getUser());
  if (!end || !use->getType()->isPointerTy())
    return false;
  returned[end->getFunction()].insert(path);
  return true;
}

bool AddressFlow::checkCall(const Use &use, const Path &path) {
  auto *call = dyn_cast<CallBase>(use.getUser());
  if (!call || !call->isArgOperand(&use))
    return mayBeLost;
  if (writesByCall(use))
    return !path.empty() || noteWrite(*call);
  const Function *callee = call->getCalledFunction();
  unsigned number = call->getArgOperandNo(&use);
  if (!callee || callee->isDeclaration() || number >= callee->arg_size())
    return mayBeLost;
  const bool isPointer = call->getType()->isPointerTy();
  // Of one that calls itself it is not known yet what it returns.
  if (!mayBeLost && (call->getType()->isAggregateType() ||
                     (isPointer && followed.count(callee))))
    return false;
  const Instruction *before = outermost;
  if (!outermost)
    outermost = call;
  const bool isOutside = followed.insert(callee).second;
  bool isGood = checkAll(*callee->getArg(number), path);
  if (isOutside)
    followed.erase(callee);
  outermost = before;
  if (!isGood || !isPointer)
    return isGood;
  const std::set<Path> results = returned[callee];
  return all_of(results,
                [&](const Path &result) { return checkAll(*call, result); });
}
