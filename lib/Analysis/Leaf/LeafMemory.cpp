//===- LeafMemory.cpp - Globals that leaves use, pointers they write ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A leaf may use memory that none of its ports names: globals, and what loaded
// pointers point to. This file finds it, since the race check, devices and
// checked runs have to know.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafMemory.h"
#include "sluice/Analysis/LeafAtomics.h"
#include "sluice/Analysis/LibraryCalls.h"
#include "sluice/Analysis/ReachedCode.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace sluice {

/// How `instruction` uses the memory that its operand `use` points to; both
/// kinds if the address may escape.
static MemoryUseKinds kindsOf(const Instruction &instruction, const Use &use) {
  if (isa<LoadInst>(instruction))
    return {.isRead = true};
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return {.isRead = use.get() == store->getValueOperand(), .isWritten = true};
  if (const auto *transfer = dyn_cast<MemTransferInst>(&instruction);
      transfer && use.getOperandNo() == 1)
    return {.isRead = true};
  if (isa<MemIntrinsic>(instruction))
    return {.isWritten = true};
  if (isa<ICmpInst>(instruction))
    return {};
  if (std::optional<HPVMAtomic> atomic = hpvmAtomicOf(instruction))
    return {atomic->isRead, atomic->isWritten};
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (call && call->isArgOperand(&use) &&
      call->onlyReadsMemory(call->getArgOperandNo(&use)))
    return {.isRead = true};
  return {.isRead = true, .isWritten = true};
}

namespace {
/// Follows addresses of globals through offsets, phis and selects.
class GlobalUses {
public:
  std::map<std::string, MemoryUseKinds> found;

  void visit(const Instruction &instruction) {
    // Offsets, phis and selects are looked through where they are used.
    if (isa<GetElementPtrInst, PHINode, SelectInst>(instruction) &&
        instruction.getType()->isPointerTy())
      return;
    for (const Use &operand : instruction.operands())
      if (operand->getType()->isPointerTy())
        add(operand, kindsOf(instruction, operand));
  }

private:
  void add(const Use &operand, MemoryUseKinds kinds) {
    SmallVector<const Value *> objects;
    getUnderlyingObjects(operand.get(), objects, nullptr, /*MaxLookup=*/0);
    for (const Value *object : objects) {
      const auto *global = dyn_cast<GlobalVariable>(object);
      if (!global || global->isConstant() || global->isThreadLocal() ||
          global->getName().starts_with("llvm."))
        continue;
      MemoryUseKinds &known = found[global->getName().str()];
      known.isRead |= kinds.isRead;
      known.isWritten |= kinds.isWritten;
    }
  }
};
} // namespace

std::map<std::string, MemoryUseKinds> globalsUsedBy(const Function &leaf) {
  GlobalUses uses;
  for (const Function *function : reachedFrom(leaf, ReachedBy::Name))
    for (const Instruction &instruction : instructions(function))
      uses.visit(instruction);
  return std::move(uses.found);
}

bool isOfThread(const Value &object) {
  if (const auto *global = dyn_cast<GlobalVariable>(&object))
    return global->isThreadLocal();
  // Tables of characters, to which a pointer of the thread points.
  if (const auto *load = dyn_cast<LoadInst>(&object)) {
    std::optional<LibraryCall> known =
        libraryCallOf(*load->getPointerOperand());
    return known && known->returnsOwn;
  }
  if (std::optional<LibraryCall> known = libraryCallOf(object))
    return known->returnsOwn;
  const auto *call = dyn_cast<CallBase>(&object);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName() == "__errno_location" ||
                    callee->getName().starts_with("llvm.threadlocal"));
}

std::vector<bool> parametersWrittenBy(const Function &leaf) {
  std::vector<bool> written(leaf.arg_size(), false);
  for (const Instruction &instruction : instructions(leaf)) {
    const Value *memory = nullptr;
    if (const auto *store = dyn_cast<StoreInst>(&instruction))
      memory = store->getPointerOperand();
    else if (const auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      memory = update->getPointerOperand();
    else if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      memory = exchange->getPointerOperand();
    else if (const auto *transfer = dyn_cast<MemIntrinsic>(&instruction))
      memory = transfer->getRawDest();
    else if (auto atomic = hpvmAtomicOf(instruction);
             atomic && atomic->isWritten)
      memory = atomic->address;
    if (!memory)
      continue;
    SmallVector<const Value *> objects;
    getUnderlyingObjects(memory, objects, nullptr, /*MaxLookup=*/0);
    for (const Value *object : objects)
      if (const auto *argument = dyn_cast<Argument>(object))
        written[argument->getArgNo()] = true;
  }
  return written;
}

} // namespace sluice
