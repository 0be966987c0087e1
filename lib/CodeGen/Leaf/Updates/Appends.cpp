//===- Appends.cpp - Elements appended to arrays, per range ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that depends on the counter's old value `k` is cut out of the
// leaf: address arithmetic, stores, and a condition such as `k < capacity`
// around them. Instead, the leaf records the other values that this code needs:
//
//     k = atomic add tail, 1           notes[n++] = {x}
//     if (k < capacity)          =>    if (n == 512) { write(notes, n); n = 0;
//     }
//       buffer[k] = x
//
//     write(notes, n): k = atomic add tail, n
//                      for each note: if (k < capacity) buffer[k] = x; ++k
//
// The remaining notes are written when the range ends. No other code can see
// the difference, since nothing else in the range reads or writes the counter
// or the arrays.
//
//===----------------------------------------------------------------------===//

#include "Appends.h"

#include "AtomicUpdates.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

#define DEBUG_TYPE "sluice-join-appends"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numJoinedCounters,
                         "Counters of which many places are reserved at once");

namespace sluice::codegen {

/// The size in bytes of the notes, which are on the stack.
static constexpr uint64_t notesSize = 4096;

namespace {

class Append {
public:
  Append(Function &range, const SmallPtrSetImpl<Argument *> &apart,
         AtomicRMWInst &reserve)
      : range(range), apart(apart), reserve(reserve),
        home(*reserve.getParent()) {}

  /// Whether everything that depends on the old value can be cut out.
  bool find() {
    return followOld(reserve) && checkGuard() && checkStores() && findNotes();
  }

  void join();

private:
  Function &range;
  /// The arguments that are the only way for the range to reach their memory.
  const SmallPtrSetImpl<Argument *> &apart;
  AtomicRMWInst &reserve;
  BasicBlock &home;
  /// The instructions to cut out, without the branch to `guarded`, if there is
  /// one.
  SmallSetVector<Instruction *, 16> cut;
  BranchInst *guard = nullptr;
  BasicBlock *guarded = nullptr, *after = nullptr;
  /// The inputs of the cut code: values to record, and arguments of the range.
  SmallSetVector<Value *, 8> notes;
  SmallSetVector<Argument *, 8> arguments;
  StructType *note = nullptr;

  bool followOld(Instruction &value);
  bool addGuard(BranchInst &branch);
  bool checkGuard();
  bool checkStores();
  bool findNotes();
  bool mayCut(Instruction &instruction) const;
  bool isOnlyRead(Argument &array) const;
  bool isOnlyAppendedTo(Argument &array) const;
  Argument *arrayOf(const Value *address) const;
  SmallVector<Instruction *> inOrder(BasicBlock &block) const;
  Function *createWriter();
  void cutOut();
};

} // namespace

//===----------------------------------------------------------------------===//
// Code that can be cut out
//===----------------------------------------------------------------------===//

/// The array that `address` points into, if it overlaps no other array.
Argument *Append::arrayOf(const Value *address) const {
  auto *array = dyn_cast<Argument>(
      const_cast<Value *>(getUnderlyingObject(address, /*MaxLookup=*/0)));
  return array && apart.contains(array) ? array : nullptr;
}

bool Append::isOnlyRead(Argument &array) const {
  return followPointer(array, [](Use &use) {
    auto *load = dyn_cast<LoadInst>(use.getUser());
    return load && load->isSimple();
  });
}

/// Other functions, used for ranges that cannot run here, may also store.
bool Append::isOnlyAppendedTo(Argument &array) const {
  return followPointer(array, [&](Use &use) {
    auto *store = dyn_cast<StoreInst>(use.getUser());
    return store && store->isSimple() &&
           use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
           (store->getFunction() != &range || cut.contains(store));
  });
}

/// True for code that, except for stores, has the same effect when executed
/// later.
bool Append::mayCut(Instruction &instruction) const {
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    Argument *array = arrayOf(load->getPointerOperand());
    return load->isSimple() && array && isOnlyRead(*array);
  }
  return !isa<PHINode, AllocaInst>(instruction) &&
         !instruction.isTerminator() && !instruction.mayReadOrWriteMemory() &&
         !instruction.mayHaveSideEffects();
}

/// Adds everything that depends on `value`.
bool Append::followOld(Instruction &value) {
  for (User *user : value.users()) {
    auto *instruction = cast<Instruction>(user);
    if (auto *branch = dyn_cast<BranchInst>(instruction)) {
      if (!addGuard(*branch))
        return false;
      continue;
    }
    if (instruction->getParent() != &home &&
        instruction->getParent() != guarded) {
      // The guard may be found later; then the whole block is examined.
      BasicBlock *own = instruction->getParent();
      auto *branch = dyn_cast<BranchInst>(home.getTerminator());
      if (!branch || !addGuard(*branch) || own != guarded)
        return false;
    }
    if (!isa<StoreInst>(instruction) && !mayCut(*instruction))
      return false;
    if (cut.insert(instruction) && !followOld(*instruction))
      return false;
  }
  return true;
}

/// Takes the entire block guarded by the condition `branch`.
bool Append::addGuard(BranchInst &branch) {
  if (guard)
    return guard == &branch;
  if (branch.getParent() != &home || !branch.isConditional())
    return false;
  for (unsigned way : {0u, 1u}) {
    BasicBlock *inner = branch.getSuccessor(way);
    BasicBlock *outer = branch.getSuccessor(1 - way);
    if (inner == outer || inner->getSinglePredecessor() != &home ||
        inner->getSingleSuccessor() != outer)
      continue;
    guard = &branch;
    guarded = inner;
    after = outer;
  }
  if (!guard)
    return false;
  for (Instruction &instruction : *guarded) {
    if (instruction.isTerminator())
      continue;
    if (!isa<StoreInst>(instruction) && !mayCut(instruction))
      return false;
    cut.insert(&instruction);
  }
  return true;
}

/// Code after the guarded block must not depend on whether it was executed. A
/// condition that does not depend on the old value stays in place.
bool Append::checkGuard() {
  if (!guard)
    return true;
  auto *condition = dyn_cast<Instruction>(guard->getCondition());
  if (!condition || !cut.contains(condition))
    return false;
  return all_of(after->phis(), [&](PHINode &phi) {
    return phi.getIncomingValueForBlock(guarded) ==
           phi.getIncomingValueForBlock(&home);
  });
}

bool Append::checkStores() {
  bool stores = false;
  for (Instruction *instruction : cut) {
    auto *store = dyn_cast<StoreInst>(instruction);
    if (!store)
      continue;
    Argument *array = arrayOf(store->getPointerOperand());
    if (!array || !isOnlyAppendedTo(*array))
      return false;
    stores = true;
  }
  return stores;
}

bool Append::findNotes() {
  SmallVector<Value *> used;
  for (Instruction *instruction : cut)
    used.append(instruction->value_op_begin(), instruction->value_op_end());
  SmallVector<Type *> types;
  for (Value *value : used) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (auto *argument = dyn_cast<Argument>(value))
      arguments.insert(argument);
    else if (!instruction && !isa<Constant>(value))
      return false;
    else if (instruction && instruction != &reserve &&
             !cut.contains(instruction) && notes.insert(value)) {
      if (!value->getType()->isSized() || value->getType()->isScalableTy())
        return false;
      types.push_back(value->getType());
    }
  }
  note = StructType::get(range.getContext(), types);
  uint64_t size = range.getDataLayout().getTypeAllocSize(note);
  return size <= notesSize / 16;
}

//===----------------------------------------------------------------------===//
// The new code
//===----------------------------------------------------------------------===//

SmallVector<Instruction *> Append::inOrder(BasicBlock &block) const {
  SmallVector<Instruction *> result;
  for (Instruction &instruction : block)
    if (cut.contains(&instruction))
      result.push_back(&instruction);
  return result;
}

/// `void write(ptr notes, i64 count, ptr counter, <arguments>)`
Function *Append::createWriter() {
  LLVMContext &context = range.getContext();
  IRBuilder<> builder(context);
  Type *i64 = builder.getInt64Ty(), *pointer = builder.getPtrTy();
  SmallVector<Type *> parameters{pointer, i64, pointer};
  for (Argument *argument : arguments)
    parameters.push_back(argument->getType());
  Function *writer = Function::Create(
      FunctionType::get(builder.getVoidTy(), parameters, false),
      GlobalValue::InternalLinkage, range.getName() + ".append",
      range.getParent());
  for (Attribute attribute : range.getAttributes().getFnAttrs())
    writer->addFnAttr(attribute);
  writer->addFnAttr(Attribute::NoInline);
  ValueToValueMapTy map;
  for (auto [index, argument] : enumerate(arguments)) {
    map[argument] = writer->getArg(3 + index);
    if (apart.contains(argument))
      writer->addParamAttr(3 + index, Attribute::NoAlias);
  }

  BasicBlock *entry = BasicBlock::Create(context, "entry", writer);
  BasicBlock *body = BasicBlock::Create(context, "body", writer);
  BasicBlock *next = BasicBlock::Create(context, "next", writer);
  BasicBlock *exit = BasicBlock::Create(context, "exit", writer);
  builder.SetInsertPoint(entry);
  Type *type = reserve.getType();
  Value *step = reserve.getValOperand(), *count = writer->getArg(1);
  Value *first = builder.CreateAtomicRMW(
      AtomicRMWInst::Add, writer->getArg(2),
      builder.CreateMul(builder.CreateTrunc(count, type), step), MaybeAlign(),
      AtomicOrdering::Monotonic);
  builder.CreateBr(body);

  builder.SetInsertPoint(body);
  PHINode *index = builder.CreatePHI(i64, 2, "index");
  index->addIncoming(builder.getInt64(0), entry);
  map[&reserve] = builder.CreateAdd(
      first, builder.CreateMul(builder.CreateTrunc(index, type), step));
  Value *own = builder.CreateInBoundsGEP(note, writer->getArg(0), index);
  for (auto [field, value] : enumerate(notes))
    map[value] = builder.CreateLoad(value->getType(),
                                    builder.CreateStructGEP(note, own, field));
  auto copy = [&](BasicBlock &from) {
    for (Instruction *instruction : inOrder(from)) {
      Instruction *clone = builder.Insert(instruction->clone());
      RemapInstruction(clone, map, RF_NoModuleLevelChanges);
      clone->dropUnknownNonDebugMetadata();
      clone->setDebugLoc(DebugLoc());
      map[instruction] = clone;
    }
  };
  copy(home);
  if (guard) {
    BasicBlock *inner = BasicBlock::Create(context, "guarded", writer, next);
    bool whenTrue = guard->getSuccessor(0) == guarded;
    builder.CreateCondBr(map[guard->getCondition()], whenTrue ? inner : next,
                         whenTrue ? next : inner);
    builder.SetInsertPoint(inner);
    copy(*guarded);
  }
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  Value *following = builder.CreateNUWAdd(index, builder.getInt64(1));
  index->addIncoming(following, next);
  builder.CreateCondBr(builder.CreateICmpULT(following, count), body, exit);
  builder.SetInsertPoint(exit);
  builder.CreateRetVoid();
  return writer;
}

void Append::cutOut() {
  SmallVector<Instruction *> order = inOrder(home);
  if (guard) {
    order.append(inOrder(*guarded));
    BranchInst::Create(after, guard->getIterator())
        ->setDebugLoc(guard->getDebugLoc());
    guard->eraseFromParent();
  }
  for (Instruction *instruction : reverse(order))
    instruction->eraseFromParent();
  reserve.eraseFromParent();
  if (guarded)
    DeleteDeadBlock(guarded);
}

void Append::join() {
  Function *writer = createWriter();
  Value *counter = reserve.getPointerOperand();
  DebugLoc place = reserve.getDebugLoc();
  uint64_t size = range.getDataLayout().getTypeAllocSize(note);
  BasicBlock &entry = range.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
  Type *i64 = builder.getInt64Ty();
  uint64_t capacity = notesSize / std::max<uint64_t>(size, 8);
  AllocaInst *memory =
      builder.CreateAlloca(ArrayType::get(note, capacity), nullptr, "notes");
  AllocaInst *number = builder.CreateAlloca(i64, nullptr, "noted");
  builder.CreateStore(builder.getInt64(0), number);

  cutOut();
  auto write = [&](Value *count) {
    SmallVector<Value *> values{memory, count, counter};
    values.append(arguments.begin(), arguments.end());
    builder.CreateCall(writer, values);
  };
  builder.SetInsertPoint(home.getTerminator());
  builder.SetCurrentDebugLocation(place);
  Value *index = builder.CreateLoad(i64, number);
  Value *own = builder.CreateInBoundsGEP(note, memory, index);
  for (auto [field, value] : enumerate(notes))
    builder.CreateStore(value, builder.CreateStructGEP(note, own, field));
  Value *count = builder.CreateNUWAdd(index, builder.getInt64(1));
  builder.CreateStore(count, number);
  Instruction *full = SplitBlockAndInsertIfThen(
      builder.CreateICmpEQ(count, builder.getInt64(capacity)),
      builder.GetInsertPoint(), /*Unreachable=*/false,
      MDBuilder(range.getContext()).createUnlikelyBranchWeights());
  builder.SetInsertPoint(full);
  builder.SetCurrentDebugLocation(place);
  write(builder.getInt64(capacity));
  builder.CreateStore(builder.getInt64(0), number);

  SmallVector<ReturnInst *> ends;
  for (BasicBlock &block : range)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      ends.push_back(end);
  for (ReturnInst *end : ends) {
    builder.SetInsertPoint(end);
    Value *rest = builder.CreateLoad(i64, number);
    Instruction *some = SplitBlockAndInsertIfThen(
        builder.CreateICmpNE(rest, builder.getInt64(0)), end->getIterator(),
        /*Unreachable=*/false);
    builder.SetInsertPoint(some);
    builder.SetCurrentDebugLocation(place);
    write(rest);
  }
}

//===----------------------------------------------------------------------===//
// Which counters
//===----------------------------------------------------------------------===//

/// The only atomic of `range` that uses `counter`, if it adds a constant in a
/// loop. Called functions may add as well.
static AtomicRMWInst *findReservation(Function &range, Argument &counter) {
  AtomicRMWInst *result = nullptr;
  bool isCounter = followPointer(counter, [&](Use &use) {
    auto *atomic = dyn_cast<AtomicRMWInst>(use.getUser());
    if (!atomic || atomic->getOperation() != AtomicRMWInst::Add ||
        use.get() != atomic->getPointerOperand())
      return false;
    if (atomic->getFunction() != &range)
      return true;
    bool isFirst = !result;
    result = atomic;
    return isFirst;
  });
  if (!isCounter || !result || result->use_empty() || ordersMemory(*result) ||
      result->getSyncScopeID() != SyncScope::System ||
      !result->getType()->isIntegerTy() ||
      result->getType()->getIntegerBitWidth() > 64 ||
      !isa<ConstantInt>(result->getValOperand()) ||
      result->getPointerOperand() != &counter)
    return nullptr;
  DominatorTree dominators(range);
  return LoopInfo(dominators).getLoopFor(result->getParent()) ? result
                                                              : nullptr;
}

PreservedAnalyses JoinAppends::run(Function &range,
                                   FunctionAnalysisManager &analyses) {
  bool hasAtomic = any_of(instructions(range), [](const Instruction &i) {
    return isa<AtomicRMWInst>(i) && !i.use_empty();
  });
  ContainedFunctions containedFunctions;
  if (!hasAtomic || !containedFunctions.contains(range))
    return PreservedAnalyses::all();
  SmallPtrSet<Argument *, 8> apart;
  for (Argument &argument : range.args())
    if (argument.hasNoAliasAttr())
      apart.insert(&argument);
  bool hasChanged = false;
  for (Argument &counter : range.args()) {
    if (!apart.contains(&counter))
      continue;
    AtomicRMWInst *reserve = findReservation(range, counter);
    if (!reserve)
      continue;
    Append append(range, apart, *reserve);
    if (!append.find())
      continue;
    append.join();
    hasChanged = true;
    ++numJoinedCounters;
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  analyses.invalidate(range, PreservedAnalyses::none());
  SROAPass(SROAOptions::PreserveCFG).run(range, analyses);
  return PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
