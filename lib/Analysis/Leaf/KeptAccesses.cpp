//===- KeptAccesses.cpp - Accesses that no pass removes or adds -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls write memory that nothing else reaches, so they stay, and hinder
// neither loads nor stores.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/KeptAccesses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;

bool sluice::isOwnVariable(const Value &pointer) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(&pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return all_of(objects,
                [](const Value *object) { return isa<AllocaInst>(object); });
}

//===----------------------------------------------------------------------===//
// Calls beside accesses
//===----------------------------------------------------------------------===//

Function *KeptAccesses::standIn(Function *&known, StringRef name,
                                bool hasPlace) {
  if (known)
    return known;
  LLVMContext &context = function.getContext();
  SmallVector<Type *> parameters;
  if (hasPlace)
    parameters = {PointerType::getUnqual(context), Type::getInt64Ty(context)};
  known = Function::Create(FunctionType::get(Type::getVoidTy(context),
                                             parameters, /*isVarArg=*/true),
                           GlobalValue::ExternalLinkage, name,
                           function.getParent());
  known->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  known->setDoesNotThrow();
  known->setWillReturn();
  known->setNoSync();
  known->setDoesNotFreeMemory();
  if (hasPlace)
    known->addParamAttr(
        0, Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
  return known;
}

/// Arguments of a call: the place, the alignment, and what is stored or a value
/// of the type that is loaded.
void KeptAccesses::note(Instruction &access) {
  IRBuilder<> builder(&access);
  if (isa<LoadInst, StoreInst>(access)) {
    auto *store = dyn_cast<StoreInst>(&access);
    Value *place = getLoadStorePointerOperand(&access);
    if (access.isAtomic() || access.isVolatile() ||
        place->getType()->getPointerAddressSpace() != 0 ||
        isa<ConstantData>(place) || isOwnVariable(*place))
      return;
    Function *callee = store ? standIn(writes, "sluice.kept.write", true)
                             : standIn(reads, "sluice.kept.read", true);
    Value *value =
        store ? store->getValueOperand() : PoisonValue::get(access.getType());
    Value *align = builder.getInt64(getLoadStoreAlignment(&access).value());
    builder.CreateCall(callee, {place, align, value});
    return;
  }
  // A function that only reads is called as often as its result is needed.
  auto *call = dyn_cast<CallInst>(&access);
  if (!call || isa<IntrinsicInst>(call) || call->doesNotAccessMemory() ||
      !call->onlyReadsMemory() || call->getType()->isVoidTy() ||
      call->getType()->isTokenTy())
    return;
  builder.SetInsertPoint(access.getNextNode());
  builder.SetCurrentDebugLocation(access.getDebugLoc());
  Value *result = &access;
  builder.CreateCall(standIn(results, "sluice.kept.result", false), result);
}

KeptAccesses::KeptAccesses(Function &function,
                           function_ref<bool(const Instruction &)> isKept)
    : function(function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (!isKept || isKept(instruction))
      note(instruction);
}

//===----------------------------------------------------------------------===//
// Accesses that are put back
//===----------------------------------------------------------------------===//

/// Whether an instance may wait here for others, or let others go on.
static bool mayOrder(const Instruction &instruction) {
  if (instruction.isAtomic() || isa<FenceInst>(instruction))
    return true;
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call || !call->mayWriteToMemory())
    return false;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      intrinsic &&
      (intrinsic->isAssumeLikeIntrinsic() || isa<MemIntrinsic>(intrinsic)))
    return false;
  return !call->hasFnAttr(Attribute::NoSync) || !call->doesNotThrow();
}

namespace {
/// The position of an instruction, in numbers that grow along the code.
struct CodePosition {
  unsigned number = 0;
  /// Before it: the instructions behind which an instance may not go on; and
  /// those that may order instances, on the only way that leads here.
  unsigned numStops = 0, numOrders = 0;
  /// The block in which that path begins.
  const BasicBlock *root = nullptr;
};

/// Finds accesses that stand for those which passes have removed.
class StandingAccesses {
public:
  /// `reads` and `writes`: whose calls are beside accesses.
  StandingAccesses(Function &function, const Function *reads,
                   const Function *writes);

  /// The calls, in the order of the code.
  SmallVector<std::pair<CallInst *, CodePosition>> calls;

  bool contain(const CallInst &removed, const CodePosition &position,
               bool isWrite);
  /// Of one that was put back.
  void add(Instruction &access, const CodePosition &position);

private:
  struct Access {
    const Instruction *instruction;
    CodePosition position;
  };

  void readBlock(BasicBlock &block, CodePosition &position,
                 const Function *reads, const Function *writes);
  SmallVector<Access>::iterator placeOf(SmallVector<Access> &accesses,
                                        const CodePosition &position);
  bool comesFrom(const Access &before, const BasicBlock &block,
                 const CodePosition &after) const;

  DominatorTree dominators;
  bool hasOrder = false;
  DenseMap<const Value *, SmallVector<Access>> places;
};
} // namespace

StandingAccesses::StandingAccesses(Function &function, const Function *reads,
                                   const Function *writes)
    : dominators(function) {
  dominators.updateDFSNumbers();
  // The ends of blocks with only one path through them.
  DenseMap<const BasicBlock *, CodePosition> ends;
  CodePosition position;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    const BasicBlock *above = block->getSinglePredecessor();
    position.root = above ? ends.lookup(above).root : block;
    position.numOrders = above ? ends.lookup(above).numOrders : 0;
    readBlock(*block, position, reads, writes);
    ends[block] = position;
  }
}

void StandingAccesses::readBlock(BasicBlock &block, CodePosition &position,
                                 const Function *reads,
                                 const Function *writes) {
  for (Instruction &instruction : block) {
    auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && (callee == reads || callee == writes))
      calls.push_back({call, position});
    else if (const Value *place = getLoadStorePointerOperand(&instruction);
             place && !instruction.isAtomic() && !instruction.isVolatile())
      places[place].push_back({&instruction, position});
    ++position.number;
    const bool orders = mayOrder(instruction);
    hasOrder |= orders;
    position.numOrders += orders;
    position.numStops +=
        orders || !isGuaranteedToTransferExecutionToSuccessor(&instruction);
  }
}

SmallVector<StandingAccesses::Access>::iterator
StandingAccesses::placeOf(SmallVector<Access> &accesses,
                          const CodePosition &position) {
  return partition_point(accesses, [&](const Access &access) {
    return access.position.number < position.number;
  });
}

void StandingAccesses::add(Instruction &access, const CodePosition &position) {
  SmallVector<Access> &accesses = places[getLoadStorePointerOperand(&access)];
  accesses.insert(placeOf(accesses, position), Access{&access, position});
}

/// Whether an instance always comes from an access to a place in `block`, and
/// nothing orders it on the way.
bool StandingAccesses::comesFrom(const Access &before, const BasicBlock &block,
                                 const CodePosition &after) const {
  const BasicBlock *from = before.instruction->getParent();
  return (from == &block || dominators.dominates(from, &block)) &&
         (!hasOrder || (before.position.root == after.root &&
                        before.position.numOrders == after.numOrders));
}

bool StandingAccesses::contain(const CallInst &removed,
                               const CodePosition &position, bool isWrite) {
  // Those that are near are most likely to do.
  constexpr unsigned mostSteps = 64;
  auto found = places.find(removed.getArgOperand(0));
  if (found == places.end())
    return false;
  const DataLayout &layout = removed.getDataLayout();
  const TypeSize size =
      layout.getTypeStoreSize(removed.getArgOperand(2)->getType());
  auto does = [&](const Access &access) {
    return (!isWrite || isa<StoreInst>(access.instruction)) &&
           TypeSize::isKnownGE(
               layout.getTypeStoreSize(getLoadStoreType(access.instruction)),
               size);
  };
  const BasicBlock &block = *removed.getParent();
  SmallVector<Access> &accesses = found->second;
  auto here = placeOf(accesses, position);
  unsigned numSteps = 0;
  for (auto later = here; later != accesses.end() && ++numSteps != mostSteps;
       ++later) {
    if (later->instruction->getParent() != &block ||
        later->position.numStops != position.numStops)
      break;
    if (does(*later))
      return true;
  }
  numSteps = 0;
  for (auto earlier = here; earlier != accesses.begin();) {
    --earlier;
    if (++numSteps == mostSteps)
      break;
    if (does(*earlier) && comesFrom(*earlier, block, position))
      return true;
  }
  return false;
}

KeptAccesses::~KeptAccesses() {
  if (results)
    for (User *user : make_early_inc_range(results->users()))
      cast<Instruction>(user)->eraseFromParent();
  if (reads || writes) {
    StandingAccesses standing(function, reads, writes);
    for (auto [call, position] : standing.calls) {
      const bool isWrite = call->getCalledFunction() == writes;
      if (!standing.contain(*call, position, isWrite)) {
        IRBuilder<> builder(call);
        Value *place = call->getArgOperand(0), *value = call->getArgOperand(2);
        const Align align(
            cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
        Instruction *access =
            isWrite ? cast<Instruction>(
                          builder.CreateAlignedStore(value, place, align))
                    : builder.CreateAlignedLoad(value->getType(), place, align);
        standing.add(*access, position);
      }
      call->eraseFromParent();
    }
    // Nobody gets to those that are left.
    for (Function *known : {reads, writes})
      if (known)
        for (User *user : make_early_inc_range(known->users()))
          cast<Instruction>(user)->eraseFromParent();
  }
  for (Function *known : {reads, writes, results})
    if (known)
      known->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Places of others
//===----------------------------------------------------------------------===//

/// Whether a pointer leads to a variable that is not the function's own.
static bool leadsToOthers(const Value &pointer) {
  return pointer.getType()->isPointerTy() &&
         pointer.getType()->getPointerAddressSpace() == 0 &&
         isa<GlobalVariable, Argument>(getUnderlyingObject(&pointer));
}

HiddenPlaces::HiddenPlaces(Function &function) {
  SmallVector<std::pair<Use *, Instruction *>> uses;
  for (Instruction &instruction : instructions(function)) {
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      if (isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())))
        uses.push_back({&store->getOperandUse(0), store});
    } else if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      for (Use &use : phi->incoming_values())
        uses.push_back({&use, phi->getIncomingBlock(use)->getTerminator()});
    } else if (isa<SelectInst>(instruction)) {
      for (unsigned index : {1u, 2u})
        uses.push_back({&instruction.getOperandUse(index), &instruction});
    }
  }
  // A block that leads to another one by several ways has one value for it.
  DenseMap<std::pair<Value *, Instruction *>, Value *> known;
  for (auto [use, place] : uses) {
    if (!leadsToOthers(*use->get()) || place->isEHPad())
      continue;
    Value *&hidden = known[{use->get(), place}];
    if (!hidden) {
      IRBuilder<> builder(place);
      if (!standIn) {
        Type *pointer = builder.getPtrTy();
        standIn = Function::Create(FunctionType::get(pointer, {pointer}, false),
                                   GlobalValue::ExternalLinkage,
                                   "sluice.hidden.place", function.getParent());
        standIn->setDoesNotAccessMemory();
        standIn->setDoesNotThrow();
        standIn->setWillReturn();
      }
      hidden = builder.CreateCall(standIn, {use->get()});
    }
    use->set(hidden);
  }
}

HiddenPlaces::~HiddenPlaces() {
  if (!standIn)
    return;
  for (User *user : make_early_inc_range(standIn->users())) {
    auto *call = cast<CallInst>(user);
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
  standIn->eraseFromParent();
}
