//===- AddressFlow.cpp - Writes through copies of an address --------------===//
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
    return checkMoved(use, path);
  if (isa<MemIntrinsic, StoreInst>(user))
    return checkStore(use, path);
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
    return checkAtomic(use, path);
  if (const auto *end = dyn_cast<ReturnInst>(user))
    return checkReturn(*end, path);
  return checkCall(use, path);
}

bool AddressFlow::noteWrite(const Instruction &instruction) {
  if (!write)
    write = outermost ? outermost : &instruction;
  return false;
}

bool AddressFlow::checkFollowed() {
  while (!worklist.empty()) {
    const Followed next = std::move(worklist.front());
    worklist.pop_front();
    outermost = next.outermost;
    if (!all_of(next.pointer->uses(),
                [&](const Use &use) { return check(use, next.path); }))
      return false;
  }
  return true;
}

bool AddressFlow::follow(const Value &pointer, Path path,
                         const Instruction *through) {
  std::vector<Path> &paths = seen[{&pointer, path.size()}];
  if (is_contained(paths, path))
    return true;
  if (paths.size() >= maxPaths) {
    // An iterator advances in each round.
    for (size_t i = 0; i < path.size(); ++i)
      if (path[i] != paths.front()[i])
        path[i] = anywhere;
    if (is_contained(paths, path))
      return true;
  }
  paths.push_back(path);
  worklist.push_back({&pointer, std::move(path), through});
  return true;
}

/// Handles a value that is read through a pointer. An integer may be an
/// address, and smaller values a part of one.
bool AddressFlow::checkLoaded(const Instruction &load, const Path &path) {
  Type *type = load.getType();
  const DataLayout &layout = load.getDataLayout();
  const int64_t size = layout.getTypeStoreSize(type).getFixedValue();
  const int64_t pointerSize = layout.getPointerSize();
  const int64_t distance = path.back();
  // Only characters may be parts of any object.
  if (distance == anywhere ? size < pointerSize && size > 1
                           : distance <= -pointerSize || distance >= size)
    return true;
  if ((distance != 0 && distance != anywhere) ||
      !(type->isPointerTy() ||
        type->isIntegerTy(layout.getPointerSizeInBits())))
    return mayBeLost;
  return follow(load, Path(path.begin(), path.end() - 1), outermost);
}

/// Handles a pointer that is computed from another one.
bool AddressFlow::checkMoved(const Use &use, const Path &path) {
  const auto *address = dyn_cast<GEPOperator>(use.getUser());
  if (address && use.getOperandNo() != 0) // an index
    return mayBeLost;
  Path moved = path;
  if (address && !path.empty() && path.back() != anywhere) {
    APInt distance(64, 0);
    const DataLayout &layout =
        cast<Instruction>(use.getUser())->getDataLayout();
    if (address->accumulateConstantOffset(layout, distance))
      moved.back() -= distance.getSExtValue();
    else
      moved.back() = anywhere;
  }
  return follow(*use.getUser(), std::move(moved), outermost);
}

bool AddressFlow::checkStore(const Use &use, const Path &path) {
  const auto *user = cast<Instruction>(use.getUser());
  const auto *store = dyn_cast<StoreInst>(user);
  // The holder itself is written.
  if (use.getOperandNo() == (store ? 1u : 0u))
    return !path.empty() || noteWrite(*user);
  if (store)
    return checkStored(*store->getPointerOperand(), path);
  const auto *copy = dyn_cast<MemTransferInst>(user);
  if (!copy || use.getOperandNo() != 1) // a value or a size
    return mayBeLost;
  return path.empty() || checkHolder(*copy->getRawDest(), path);
}

bool AddressFlow::checkAtomic(const Use &use, const Path &path) {
  const auto &user = *cast<Instruction>(use.getUser());
  if (use.getOperandNo() == 0)
    return path.empty() ? noteWrite(user) : checkLoaded(user, path);
  const auto *update = dyn_cast<AtomicRMWInst>(&user);
  if (update && update->getOperation() != AtomicRMWInst::Xchg)
    return mayBeLost;
  // A pointer that is only compared is not stored anywhere.
  return (!update && use.getOperandNo() == 1) ||
         checkStored(*user.getOperand(0), path);
}

bool AddressFlow::checkStored(const Value &place, Path path) {
  if (path.size() == maxLoads)
    return mayBeLost;
  path.push_back(0);
  return checkHolder(place, std::move(path));
}

/// From now on, the holder of the pointer must be a variable, or a place in
/// one.
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
  return follow(*holder, std::move(path), outermost);
}

/// A returned value continues at the call sites.
bool AddressFlow::checkReturn(const ReturnInst &end, const Path &path) {
  const Function *function = end.getFunction();
  if (returned[function].insert(path).second)
    for (auto [call, through] : calls[function])
      follow(*call, path, through);
  return true;
}

bool AddressFlow::checkCall(const Use &use, const Path &path) {
  auto *call = dyn_cast<CallBase>(use.getUser());
  if (!call || !call->isArgOperand(&use))
    return mayBeLost;
  const unsigned number = call->getArgOperandNo(&use);
  if (path.empty() && call->isByValArgument(number)) // a copy
    return true;
  if (writesByCall(use))
    return !path.empty() || noteWrite(*call);
  const Function *callee = call->getCalledFunction();
  // The linker may replace an interposable definition by another one.
  if (!callee || callee->isDeclaration() || callee->isInterposable() ||
      number >= callee->arg_size())
    return mayBeLost;
  follow(*callee->getArg(number), path, outermost ? outermost : call);
  if (calls[callee].emplace(call, outermost).second)
    for (const Path &result : returned[callee])
      follow(*call, result, outermost);
  return true;
}
