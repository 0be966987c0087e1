//===- ScanUses.cpp - Uses of scanned memory in a leaf --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of some instances become their scan while others still run. So
// an instance may use only its own element: every access is at the parameter,
// indexed by the instance's own number, with a known offset within the element.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/ReductionUses.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

namespace {
class ScanCheck {
public:
  ScanCheck(const LeafReduction &scan, std::vector<ReductionMisuse> &found)
      : scan(scan), layout(scan.call->getModule()->getDataLayout()),
        found(found) {}

  void run() {
    for (const Use &use : scan.memory->uses())
      checkBase(use);
  }

private:
  void checkBase(const Use &use);
  void followElement(const Value &address, uint64_t offset);
  void checkElement(const Use &use, uint64_t offset);
  void checkSize(const Instruction &access, uint64_t offset, uint64_t size);
  void report(const Instruction &instruction, std::string what);

  const LeafReduction &scan;
  const DataLayout &layout;
  std::vector<ReductionMisuse> &found;
};
} // namespace

void ScanCheck::report(const Instruction &instruction, std::string what) {
  auto isHere = [&](const ReductionMisuse &misuse) {
    return misuse.place->getDebugLoc() == instruction.getDebugLoc() &&
           misuse.memory == scan.memory;
  };
  if (none_of(found, isHere))
    found.push_back({&instruction, scan.memory, std::move(what)});
}

/// Whether `index` is the number of the instance in this node.
static bool isOwnNumber(const Value &index) {
  const auto *call = dyn_cast<CallBase>(&index);
  if (!call || hpvmIntrinsicName(*call) != "getNodeInstanceID.x")
    return false;
  const auto *node = dyn_cast<CallBase>(call->getArgOperand(0));
  return node && hpvmIntrinsicName(*node) == "getNode";
}

/// Uses that are not accesses.
static bool isNoAccess(const Use &use) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  const auto *call = dyn_cast_or_null<CallBase>(user);
  return !user || reductionOf(*user) ||
         (call && (isa<DbgInfoIntrinsic>(call) || call->isDroppable() ||
                   call->isLifetimeStartOrEnd() ||
                   hpvmIntrinsicName(*call).starts_with("assume.")));
}

void ScanCheck::checkBase(const Use &use) {
  if (isNoAccess(use))
    return;
  const auto *user = cast<Instruction>(use.getUser());
  const auto *address = dyn_cast<GEPOperator>(user);
  uint64_t offset = 0;
  bool isOwn = address && use.getOperandNo() == 0 &&
               isOwnNumber(**address->idx_begin()) &&
               layout.getTypeAllocSize(address->getSourceElementType()) ==
                   scan.elementBytes;
  if (isOwn && address->getNumIndices() > 1) {
    SmallVector<Value *> rest;
    rest.push_back(ConstantInt::get(Type::getInt64Ty(user->getContext()), 0));
    for (const Use &index : drop_begin(address->indices())) {
      isOwn &= isa<ConstantInt>(*index);
      rest.push_back(index);
    }
    if (isOwn)
      offset =
          layout.getIndexedOffsetInType(address->getSourceElementType(), rest);
  }
  if (isOwn)
    return followElement(*address, offset);
  if (isa<ReturnInst, InsertValueInst>(user))
    return report(*user, "hands the address on as an output; bind the input "
                         "to the next node instead");
  report(*user, "uses another element than that of the instance; index it by "
                "'__hpvm__getNodeInstanceID_x' of the leaf's own node, as a "
                "'long', and by nothing else");
}

void ScanCheck::followElement(const Value &address, uint64_t offset) {
  for (const Use &use : address.uses())
    checkElement(use, offset);
}

void ScanCheck::checkSize(const Instruction &access, uint64_t offset,
                          uint64_t size) {
  if (offset > scan.elementBytes || size > scan.elementBytes - offset)
    report(access, "accesses " + std::to_string(size) + " bytes at byte " +
                       std::to_string(offset) + " of an element, which has " +
                       std::to_string(scan.elementBytes));
}

void ScanCheck::checkElement(const Use &use, uint64_t offset) {
  if (isNoAccess(use))
    return;
  const auto *user = cast<Instruction>(use.getUser());
  if (isa<LoadInst>(user))
    return checkSize(*user, offset, layout.getTypeStoreSize(user->getType()));
  if (const auto *store = dyn_cast<StoreInst>(user);
      store && use.getOperandNo() == 1)
    return checkSize(
        *user, offset,
        layout.getTypeStoreSize(store->getValueOperand()->getType()));
  if (const auto *transfer = dyn_cast<MemIntrinsic>(user))
    if (const auto *size = dyn_cast<ConstantInt>(transfer->getLength()))
      return checkSize(*user, offset, size->getZExtValue());
  if (const auto *address = dyn_cast<GEPOperator>(user)) {
    APInt distance(layout.getIndexTypeSizeInBits(address->getType()), 0);
    if (address->accumulateConstantOffset(layout, distance) &&
        !distance.isNegative())
      return followElement(*user, offset + distance.getZExtValue());
  }
  report(*user, isa<StoreInst>(user) ? "stores the address of an element"
                : isa<CallBase>(user)
                    ? "passes the address of an element to a call; compute in "
                      "a variable, and assign that to the element"
                    : "does something with the address of an element that is "
                      "no access to it");
}

std::vector<ReductionMisuse>
sluice::findScanMisuses(const LeafReduction &scan) {
  std::vector<ReductionMisuse> found;
  ScanCheck(scan, found).run();
  return found;
}
