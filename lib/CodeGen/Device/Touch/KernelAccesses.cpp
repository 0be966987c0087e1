//===- KernelAccesses.cpp - Accesses of a kernel to memory ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelAccesses.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static std::optional<KernelAccess> accessOf(const Instruction &inst) {
  const DataLayout &layout = inst.getDataLayout();
  auto sizeOf = [&](Type *type) {
    return layout.getTypeStoreSize(type).getFixedValue();
  };
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return KernelAccess{&inst,   load->getPointerOperand(),
                        nullptr, sizeOf(load->getType()),
                        true,    false};
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return KernelAccess{&inst,   store->getPointerOperand(),
                        nullptr, sizeOf(store->getValueOperand()->getType()),
                        false,   true};
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
    return KernelAccess{&inst,   atomic->getPointerOperand(),
                        nullptr, sizeOf(atomic->getType()),
                        true,    true};
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    return KernelAccess{
        &inst,   exchange->getPointerOperand(),
        nullptr, sizeOf(exchange->getNewValOperand()->getType()),
        true,    true};
  if (auto *set = dyn_cast<MemSetInst>(&inst))
    return KernelAccess{&inst, set->getDest(), set->getLength(),
                        0,     false,          true};
  return std::nullopt;
}

std::optional<SmallVector<KernelAccess>>
codegen::accessesOf(const Function &kernel) {
  SmallVector<KernelAccess> accesses;
  for (const Instruction &inst : instructions(kernel)) {
    if (auto *transfer = dyn_cast<MemTransferInst>(&inst)) {
      accesses.push_back(
          {&inst, transfer->getDest(), transfer->getLength(), 0, false, true});
      accesses.push_back({&inst, transfer->getSource(), transfer->getLength(),
                          0, true, false});
      continue;
    }
    if (std::optional<KernelAccess> access = accessOf(inst))
      accesses.push_back(*access);
    else if (auto *call = dyn_cast<CallBase>(&inst);
             call &&
             any_of(call->args(),
                    [](const Use &argument) {
                      return argument->getType()->isPointerTy();
                    }) &&
             !call->isLifetimeStartOrEnd())
      return std::nullopt;
    else if (!call && inst.mayReadOrWriteMemory() && !isa<FenceInst>(inst))
      return std::nullopt;
  }
  return accesses;
}

bool codegen::mayConcern(const KernelAccess &access, const Argument *start) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(access.pointer, objects, nullptr, /*MaxLookup=*/0);
  return any_of(objects, [&](const Value *object) {
    return object == start ||
           !isa<Argument, AllocaInst, GlobalVariable>(object);
  });
}

bool codegen::concernsOnly(const KernelAccess &access, const Argument *start) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(access.pointer, objects, nullptr, /*MaxLookup=*/0);
  return objects.size() == 1 && objects.front() == start;
}

/// The operation of SLUICE_ACCUMULATE that an atomic one is, if any.
static std::optional<uint32_t> accumulationOf(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
    return SLUICE_ACCUMULATE_ADD;
  case AtomicRMWInst::And:
    return SLUICE_ACCUMULATE_AND;
  case AtomicRMWInst::Or:
    return SLUICE_ACCUMULATE_OR;
  case AtomicRMWInst::Xor:
    return SLUICE_ACCUMULATE_XOR;
  case AtomicRMWInst::Min:
    return SLUICE_ACCUMULATE_MIN;
  case AtomicRMWInst::Max:
    return SLUICE_ACCUMULATE_MAX;
  case AtomicRMWInst::UMin:
    return SLUICE_ACCUMULATE_UMIN;
  case AtomicRMWInst::UMax:
    return SLUICE_ACCUMULATE_UMAX;
  default:
    return std::nullopt;
  }
}

std::optional<SluiceAccumulated>
codegen::accumulation(unsigned number, const Argument *start,
                      ArrayRef<KernelAccess> accesses) {
  std::optional<SluiceAccumulated> result;
  for (const KernelAccess &access : accesses) {
    auto *atomic = dyn_cast<AtomicRMWInst>(access.instruction);
    if (!atomic || !atomic->use_empty() || !atomic->getType()->isIntegerTy())
      return std::nullopt;
    const unsigned bits = atomic->getType()->getIntegerBitWidth();
    std::optional<uint32_t> operation = accumulationOf(atomic->getOperation());
    if (!concernsOnly(access, start) || !operation || bits < 8 || bits > 64 ||
        !isPowerOf2_32(bits))
      return std::nullopt;
    const SluiceAccumulated next = {number, *operation, bits / 8, 0};
    if (result && (result->operation != next.operation ||
                   result->elementBytes != next.elementBytes))
      return std::nullopt;
    result = next;
  }
  return result;
}

bool codegen::isAtomicOrVolatile(const KernelAccess &access) {
  return access.instruction->isAtomic() || access.instruction->isVolatile();
}
