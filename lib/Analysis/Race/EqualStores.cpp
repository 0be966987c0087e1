//===- EqualStores.cpp - Instances that store the same value --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value is the same for instances with the same address if it is uniform once
// the loads that lead to the address count as uniform.
//
//===----------------------------------------------------------------------===//

#include "EqualStores.h"
#include "Effects/LeafCode.h"

#include "sluice/Analysis/InstanceUniformity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

/// True if one instance computes the same value in both places, provided that
/// nothing writes the memory that it loads.
static bool areAlike(const Value *x, const Value *y, unsigned depth = 8) {
  if (x == y)
    return true;
  const auto *first = dyn_cast<Instruction>(x);
  const auto *second = dyn_cast<Instruction>(y);
  if (!first || !second || depth == 0)
    return false;
  if (std::optional<Symbol> query = symbolOfQuery(*first))
    return symbolOfQuery(*second) == query;
  if (isa<PHINode, AllocaInst, CallBase>(first) || first->mayWriteToMemory() ||
      !first->isSameOperationAs(second))
    return false;
  return all_of(zip(first->operands(), second->operands()), [&](auto pair) {
    return areAlike(std::get<0>(pair), std::get<1>(pair), depth - 1);
  });
}

/// The loads that an address follows from directly.
static SmallVector<const LoadInst *> loadsOn(const Value *address) {
  SmallVector<const LoadInst *> loads;
  SmallSetVector<const Value *, 16> seen;
  seen.insert(address);
  for (size_t i = 0; i != seen.size(); ++i)
    if (const auto *load = dyn_cast<LoadInst>(seen[i]))
      loads.push_back(load);
    else if (const auto *user = dyn_cast<Instruction>(seen[i]))
      seen.insert(user->op_begin(), user->op_end());
  return loads;
}

/// The value of a store or a memset; null for other instructions.
static const Use *storedValue(const Instruction *origin) {
  if (const auto *store = dyn_cast_or_null<StoreInst>(origin))
    return &store->getOperandUse(0);
  if (const auto *fill = dyn_cast_or_null<MemSetInst>(origin))
    return &fill->getArgOperandUse(1);
  return nullptr;
}

static bool isSameForAll(const Use &value) {
  if (isa<Constant>(value))
    return true;
  const auto *origin = cast<Instruction>(value.getUser());
  const auto *store = dyn_cast<StoreInst>(origin);
  const Value *address =
      store ? store->getPointerOperand() : cast<MemSetInst>(origin)->getDest();
  const SmallVector<const LoadInst *> entries = loadsOn(address);
  // The analysis changes nothing.
  InstanceUniformity uniformity(
      *const_cast<Function *>(origin->getFunction()), [&](const Value &one) {
        const auto *instruction = dyn_cast<Instruction>(&one);
        if (!instruction)
          return InstructionUniformity::Default;
        if (std::optional<Symbol> query = symbolOfQuery(one))
          return query->kind == Symbol::Kind::Id
                     ? InstructionUniformity::NeverUniform
                     : InstructionUniformity::AlwaysUniform;
        if (const auto *load = dyn_cast<LoadInst>(instruction)) {
          if (any_of(entries, [&](const LoadInst *entry) {
                return areAlike(entry, load);
              }))
            return InstructionUniformity::AlwaysUniform;
          // A value that was stored there before.
          if (getUnderlyingObject(load->getPointerOperand()) ==
              getUnderlyingObject(address))
            return InstructionUniformity::NeverUniform;
        }
        return memoryUniformity(*instruction);
      });
  return uniformity.isUniformUse(value);
}

bool races::storeTheSame(const PlacedAccess &a, const PlacedAccess &b) {
  if (!a.access->isWrite || !b.access->isWrite)
    return false;
  SmallVector<const Use *> values;
  for (const PlacedAccess *access : {&a, &b})
    for (const Instruction *origin : access->origins)
      values.push_back(storedValue(origin));
  return !values.empty() && !is_contained(values, nullptr) &&
         all_of(values,
                [&](const Use *value) {
                  return areAlike(*value, *values.front());
                }) &&
         isSameForAll(*values.front());
}
