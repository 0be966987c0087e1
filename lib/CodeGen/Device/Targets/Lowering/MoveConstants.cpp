//===- MoveConstants.cpp - Moving tables to constant memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The type of a pointer determines the memory that it points to. A table can
// move to constant memory if no pointer into it is mixed with pointers to other
// memory.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
using namespace sluice::codegen;

namespace {

/// Tables that may only move together, and the pointers into them.
class MovedTables {
public:
  MovedTables(Module &module, uint64_t bytesAtMost) {
    uint64_t bytes = 0;
    for (GlobalVariable &global : module.globals()) {
      if (!isTable(global))
        continue;
      uint64_t size =
          module.getDataLayout().getTypeAllocSize(global.getValueType());
      if (size > bytesAtMost - bytes)
        continue;
      bytes += size;
      tables.insert(&global);
    }
    SmallVector<Constant *> constants(tables.begin(), tables.end());
    convertUsersOfConstantsToInstructions(constants);
    while (removeOne()) {
    }
  }

  void moveTo(unsigned space) {
    for (Value *pointer : pointers) {
      auto *type = PointerType::get(pointer->getContext(), space);
      pointer->mutateType(type);
      for (Use &operand : cast<Instruction>(pointer)->operands())
        if (isa<UndefValue>(operand) && operand->getType()->isPointerTy())
          operand.set(PoisonValue::get(type));
    }
    for (GlobalVariable *table : tables)
      replace(*table, space);
    for (Instruction *cast : casts) {
      cast->replaceAllUsesWith(cast->getOperand(0));
      cast->eraseFromParent();
    }
  }

private:
  static bool isTable(const GlobalVariable &global) {
    unsigned space = global.getAddressSpace();
    return global.isConstant() && global.hasInitializer() &&
           !global.getName().starts_with("llvm.") &&
           (space == lowering::Global || space == lowering::Own);
  }

  static bool passesOn(const Instruction &user) {
    return isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst,
               AddrSpaceCastInst, BitCastInst>(user);
  }

  /// Finds all pointers into the tables. Returns the first user that prevents a
  /// table from moving, or null.
  const Instruction *findPointers() {
    pointers.clear();
    casts.clear();
    for (GlobalVariable *table : tables)
      if (const Instruction *user = follow(*table))
        return user;
    for (size_t i = 0; i < pointers.size(); ++i)
      if (const Instruction *user = follow(*pointers[i]))
        return user;
    for (Value *pointer : pointers)
      for (Value *operand : cast<Instruction>(pointer)->operands())
        if (operand->getType()->isPointerTy() && !isInside(*operand))
          return cast<Instruction>(pointer);
    return nullptr;
  }

  const Instruction *follow(Value &pointer) {
    for (User *user : pointer.users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction)
        continue;
      if (isa<LoadInst>(instruction))
        continue;
      if (!passesOn(*instruction))
        return instruction;
      if (isa<AddrSpaceCastInst>(instruction))
        casts.insert(instruction);
      pointers.insert(instruction);
    }
    return nullptr;
  }

  bool isInside(const Value &value) const {
    if (auto *global = dyn_cast<GlobalVariable>(&value))
      return tables.contains(const_cast<GlobalVariable *>(global));
    return isa<UndefValue>(value) ||
           pointers.contains(const_cast<Value *>(&value));
  }

  /// Leaves out the tables that have a use which prevents moving them.
  bool removeOne() {
    const Instruction *user = findPointers();
    if (!user)
      return false;
    SetVector<const Value *> behind;
    behind.insert(user);
    for (size_t i = 0; i < behind.size(); ++i)
      for (const Value *operand : cast<User>(behind[i])->operands())
        if (isa<GlobalVariable>(operand) ||
            pointers.contains(const_cast<Value *>(operand)))
          behind.insert(operand);
    tables.remove_if([&](GlobalVariable *t) { return behind.contains(t); });
    return true;
  }

  static void replace(GlobalVariable &table, unsigned space) {
    auto *moved =
        new GlobalVariable(*table.getParent(), table.getValueType(), true,
                           GlobalValue::InternalLinkage, table.getInitializer(),
                           "", &table, GlobalValue::NotThreadLocal, space);
    moved->setAlignment(table.getAlign());
    moved->takeName(&table);
    for (Use &use : make_early_inc_range(table.uses()))
      use.set(moved);
    table.eraseFromParent();
  }

  SetVector<GlobalVariable *> tables;
  SetVector<Value *> pointers;
  SetVector<Instruction *> casts;
};

} // namespace

void lowering::moveConstants(Module &module, unsigned space,
                             uint64_t bytesAtMost) {
  MovedTables(module, bytesAtMost).moveTo(space);
}
