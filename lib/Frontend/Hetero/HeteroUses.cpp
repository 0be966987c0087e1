//===- HeteroUses.cpp - What a region does with variables -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable of the code around is a value that a node takes, unless the node
// changes it. Addresses of variables go to many places where nothing is
// written, such as into closures.
//
//===----------------------------------------------------------------------===//

#include "HeteroGraph.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

/// True if the source says that the callee does not write through a parameter:
/// it is a pointer or reference to const.
static bool isConstParameter(const CallBase &call, unsigned argument) {
  const Function *callee = call.getCalledFunction();
  const DISubprogram *subprogram = callee ? callee->getSubprogram() : nullptr;
  if (!subprogram || !subprogram->getType())
    return false;
  DITypeRefArray types = subprogram->getType()->getTypeArray();
  // Where the ABI splits or adds parameters, they do not correspond.
  if (types.size() != call.arg_size() + 1 ||
      callee->getReturnType()->isVoidTy() != (types[0] == nullptr))
    return false;
  auto *type = dyn_cast_or_null<DIDerivedType>(types[argument + 1]);
  if (!type || (type->getTag() != dwarf::DW_TAG_reference_type &&
                type->getTag() != dwarf::DW_TAG_pointer_type))
    return false;
  auto *pointee = dyn_cast_or_null<DIDerivedType>(type->getBaseType());
  return pointee && pointee->getTag() == dwarf::DW_TAG_const_type;
}

namespace {
/// Finds out whether nothing is written through the address of a variable where
/// it goes: into functions whose code is here, and into objects such as
/// closures that hold it and go into functions themselves.
///
/// A pointer has a level: 0 is the address, 1 leads to an object that holds the
/// address, 2 to one that holds such a pointer, as a function's variable for
/// `this` does. All that is loaded from a holder counts as what it holds.
class AddressFlow {
public:
  /// `mayBeLost`: where the address goes to places that are not followed,
  /// nothing is written.
  explicit AddressFlow(bool mayBeLost) : mayBeLost(mayBeLost) {}

  /// True if nothing is written; `use` is one of the address.
  bool check(const Use &use) { return check(use, /*level=*/0); }
  bool checkAll(const Value &address) { return checkAll(address, /*level=*/0); }
  /// What writes, or the call that leads there.
  const Instruction *getWrite() const { return write; }

private:
  static constexpr unsigned maxLevel = 4;

  bool check(const Use &use, unsigned level) {
    const auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user)
      return mayBeLost;
    if (isa<ICmpInst>(user) || user->isLifetimeStartOrEnd())
      return true;
    if (isa<LoadInst>(user))
      return level == 0 || checkLoaded(*user, level - 1);
    if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(user))
      return checkAll(*user, level);
    if (isa<MemIntrinsic, StoreInst>(user))
      return checkStore(use, level);
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
      return level > 0 || noteWrite(*user);
    return checkReturn(use) || checkCall(use, level);
  }

  bool noteWrite(const Instruction &instruction) {
    if (!write)
      write = outermost ? outermost : &instruction;
    return false;
  }

  bool checkAll(const Value &pointer, unsigned level) {
    return !seen.insert({&pointer, level}).second ||
           all_of(pointer.uses(),
                  [&](const Use &use) { return check(use, level); });
  }

  bool checkLoaded(const Instruction &load, unsigned level) {
    Type *type = load.getType();
    return type->isPointerTy() ? checkAll(load, level)
                               : mayBeLost || !type->isAggregateType();
  }

  bool checkStore(const Use &use, unsigned level) {
    const auto *user = cast<Instruction>(use.getUser());
    const auto *store = dyn_cast<StoreInst>(user);
    if (use.getOperandNo() == (store ? 1u : 0u))
      return level > 0 || noteWrite(*user); // a holder is written by itself
    if (store)
      return level == maxLevel
                 ? mayBeLost
                 : checkHolder(*store->getPointerOperand(), level + 1);
    return level == 0 ||
           checkHolder(*cast<MemTransferInst>(user)->getRawDest(), level);
  }

  /// What holds the pointer from now on must be known as a whole.
  bool checkHolder(const Value &place, unsigned level) {
    const Value *holder = place.stripInBoundsOffsets();
    return isa<AllocaInst>(holder) ? checkAll(*holder, level) : mayBeLost;
  }

  /// What a call gives is checked where it is called.
  static bool checkReturn(const Use &use) {
    return isa<ReturnInst>(use.getUser()) && use->getType()->isPointerTy();
  }

  bool checkCall(const Use &use, unsigned level) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (!call || !call->isArgOperand(&use))
      return mayBeLost;
    StringRef operation = calledHPVM(*call);
    if (operation.starts_with("atomic_") && use.getOperandNo() == 0 &&
        !operation.starts_with("atomic_load"))
      return level > 0 || noteWrite(*call);
    const Function *callee = call->getCalledFunction();
    unsigned number = call->getArgOperandNo(&use);
    if (!callee || callee->isDeclaration() || number >= callee->arg_size())
      return mayBeLost;
    const Instruction *before = outermost;
    if (!outermost)
      outermost = call;
    bool isGood = checkAll(*callee->getArg(number), level);
    outermost = before;
    if (!isGood)
      return false;
    // It may return the pointer, or what it has loaded from a holder.
    if (!call->getType()->isPointerTy())
      return mayBeLost || !call->getType()->isAggregateType();
    for (unsigned result = 0; result <= level; ++result)
      if (!checkAll(*call, result))
        return false;
    return true;
  }

  const bool mayBeLost;
  const Instruction *write = nullptr, *outermost = nullptr;
  std::set<std::pair<const Value *, unsigned>> seen;
};
} // namespace

/// Notes what `user` does with (a part of) a variable.
static void noteUse(const Use &use, VariableUse &result) {
  auto *user = cast<Instruction>(use.getUser());
  if (!result.first)
    result.first = user;
  if (isa<LoadInst>(user)) {
    result.reads = true;
    return;
  }
  if (isa<StoreInst>(user) && use.getOperandNo() == 1) {
    // Problems are about the write, where there is one.
    if (!result.writes)
      result.first = user;
    result.writes = true;
    return;
  }
  if (isa<MemIntrinsic>(user)) {
    (use.getOperandNo() == 0 ? result.writes : result.reads) = true;
    return;
  }
  result.reads = true;
  if (isa<ICmpInst>(user))
    return;
  if (isa<GetElementPtrInst, CastInst>(user)) {
    for (const Use &inner : user->uses())
      noteUse(inner, result);
    return;
  }
  auto *call = dyn_cast<CallBase>(user);
  if (call && call->isArgOperand(&use)) {
    unsigned argument = call->getArgOperandNo(&use);
    if (call->isByValArgument(argument) || call->onlyReadsMemory(argument) ||
        isConstParameter(*call, argument))
      return;
  }
  if (!AddressFlow(/*mayBeLost=*/false).check(use))
    result.escapes = true;
}

/// Keeps a handle in its variable.
static bool storesHandle(const Instruction &instruction) {
  auto *store = dyn_cast<StoreInst>(&instruction);
  auto *value =
      store ? dyn_cast<Instruction>(store->getValueOperand()) : nullptr;
  return value && calledHetero(*value) != HeteroFunction::None;
}

/// Computes nothing that is used, but perhaps by a mark.
static bool isDead(const Instruction &instruction) {
  return !instruction.isTerminator() && !instruction.mayHaveSideEffects() &&
         all_of(instruction.users(), [](const User *user) {
           auto &inner = *cast<Instruction>(user);
           return calledHetero(inner) != HeteroFunction::None || isDead(inner);
         });
}

bool sluice::hetero::findUses(const Region &region, StringRef what,
                              Context &context,
                              MapVector<Value *, VariableUse> &uses) {
  for (BasicBlock *block : region.blocks) {
    if (block != region.entry)
      for (BasicBlock *before : predecessors(block))
        if (!region.blocks.contains(before)) {
          context.error(*before->getTerminator(),
                        "code outside of " + what.str() + " jumps into it",
                        "hetero-region");
          return false;
        }
    for (Instruction &instruction : *block) {
      if (calledHetero(instruction) != HeteroFunction::None ||
          instruction.isLifetimeStartOrEnd() || isDead(instruction) ||
          storesHandle(instruction))
        continue;
      for (Use &use : instruction.operands()) {
        Value *value = use.get();
        if (auto *variable = dyn_cast<AllocaInst>(value);
            variable && variable->isStaticAlloca()) {
          // Without a name it is a temporary of the compiler.
          if (!nameOfVariable(*variable).empty() &&
              !isDeclaredIn(*variable, region))
            noteUse(use, uses[variable]);
          continue;
        }
        auto *outside = dyn_cast<Instruction>(value);
        if (!isa<Argument>(value) &&
            (!outside || region.blocks.contains(outside->getParent())))
          continue;
        context.error(instruction,
                      what.str() + " uses a value that is computed before it, "
                                   "as the size of an array; compute it in "
                                   "the region",
                      "hetero-region");
        return false;
      }
    }
  }
  return true;
}

bool sluice::hetero::isUsedBeyond(const Value &variable, const Region &region) {
  return any_of(variable.users(), [&](const User *user) {
    auto *instruction = cast<Instruction>(user);
    if (region.blocks.contains(
            const_cast<BasicBlock *>(instruction->getParent())) ||
        calledHetero(*instruction) != HeteroFunction::None ||
        instruction->isLifetimeStartOrEnd())
      return false;
    auto *store = dyn_cast<StoreInst>(instruction);
    return !store || !isa<Argument>(store->getValueOperand());
  });
}

const Instruction *sluice::hetero::findWrite(const Value &buffer) {
  AddressFlow flow(/*mayBeLost=*/true);
  flow.checkAll(buffer);
  return flow.getWrite();
}
