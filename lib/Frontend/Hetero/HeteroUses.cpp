//===- HeteroUses.cpp - Uses of variables in a region ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable of the surrounding code is a value that a node takes, unless the
// node changes it. Addresses of variables are passed to many places that do not
// write, such as closures.
//
//===----------------------------------------------------------------------===//

#include "HeteroGraph.h"
#include "sluice/Analysis/AddressFlow.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hetero;

/// True if the source declares that the callee does not write through a
/// parameter: it is a pointer or reference to const.
static bool isConstParameter(const CallBase &call, unsigned argument) {
  const Function *callee = call.getCalledFunction();
  const DISubprogram *subprogram = callee ? callee->getSubprogram() : nullptr;
  if (!subprogram || !subprogram->getType())
    return false;
  DITypeRefArray types = subprogram->getType()->getTypeArray();
  // If the ABI splits or adds parameters, they do not correspond.
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

/// Atomic operations of the program, which are still calls.
static bool writesByCall(const Use &use) {
  auto *call = dyn_cast<CallBase>(use.getUser());
  StringRef operation = call ? calledHPVM(*call) : StringRef();
  return operation.starts_with("atomic_") && use.getOperandNo() == 0 &&
         !operation.starts_with("atomic_load");
}

/// Records the use of (a part of) a variable by `user`.
static void noteUse(const Use &use, VariableUse &result) {
  auto *user = cast<Instruction>(use.getUser());
  if (!result.first)
    result.first = user;
  if (isa<LoadInst>(user)) {
    result.reads = true;
    return;
  }
  if (isa<StoreInst>(user) && use.getOperandNo() == 1) {
    // Problems refer to the write, if there is one.
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
  if (!AddressFlow(/*mayBeLost=*/false, writesByCall).check(use))
    result.escapes = true;
}

/// True if the instruction stores a handle in its variable.
static bool storesHandle(const Instruction &instruction) {
  auto *store = dyn_cast<StoreInst>(&instruction);
  auto *value =
      store ? dyn_cast<Instruction>(store->getValueOperand()) : nullptr;
  return value && calledHetero(*value) != HeteroFunction::None;
}

/// True if the result is unused, except possibly by a marker.
static bool isDead(const Instruction &instruction) {
  return !instruction.isTerminator() && !instruction.mayHaveSideEffects() &&
         all_of(instruction.users(), [](const User *user) {
           auto &inner = *cast<Instruction>(user);
           return calledHetero(inner) != HeteroFunction::None || isDead(inner);
         });
}

bool sluice::hetero::findUses(const CodeRegion &region, StringRef what,
                              HeteroContext &context,
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
          // A variable without a name is a temporary of the compiler.
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

bool sluice::hetero::isUsedBeyond(const Value &variable,
                                  const CodeRegion &region) {
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
  AddressFlow flow(/*mayBeLost=*/true, writesByCall);
  flow.checkAll(buffer);
  return flow.getWrite();
}
