//===- SeparateFolds.cpp - Folds after their instances --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   strip:     the next instances, as many as the arrays hold
//   (loop):    the original loop without the folds; stores their inputs
//   fold:      only the folds, with selects instead of branches
//   next:      the next strip, or the end
//
// The path that an instance took to a phi is a number that it stores as well.
//
//===----------------------------------------------------------------------===//

#include "SeparateFolds.h"

#include "../Group/InstanceLoops.h"
#include "../Pipeline/LeafRemarks.h"
#include "LoopRounds.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-separate-folds"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numSeparated, "Loops whose folds run apart");

namespace sluice::codegen {

/// The number of instances per strip: their arrays stay in the first-level
/// cache.
static constexpr unsigned stripLength = 256;
static constexpr unsigned mostArrays = 8;

namespace {

/// A value that instances pass on.
struct HandedOn {
  PHINode *phi;
  Value *next;
};

/// Examines one loop, and changes it.
class FoldSeparator {
public:
  FoldSeparator(Loop &loop, LoopInfo &loops, ScalarEvolution &evolution)
      : loop(loop), loops(loops), evolution(evolution),
        header(*loop.getHeader()), b(header.getContext()) {}

  /// Whether a value is passed on that can be folded later.
  bool find();
  void separate();

private:
  Loop &loop;
  LoopInfo &loops;
  ScalarEvolution &evolution;
  BasicBlock &header;
  IRBuilder<> b;
  SmallVector<HandedOn, 4> handedOn;
  /// The phis of the header that grow by a constant.
  MapVector<PHINode *, int64_t> steps;
  /// Everything that depends on values passed on.
  SmallSetVector<Instruction *, 16> folds;

  /// The values that folds take from an instance, and the arrays that store
  /// them.
  MapVector<Value *, AllocaInst *> arrays;
  /// For a phi among the folds: the predecessor block that an instance came
  /// from, and the incoming values that are not folds.
  struct Choice {
    PHINode *way;
    PHINode *other;
  };
  DenseMap<PHINode *, Choice> choices;

  bool findHeaderPhis();
  bool findFolds();
  void addWidenings();
  bool canBeFolded(const Instruction &inst) const;
  bool isFromInstance(const Value *value) const;
  bool isHandedOn(const Value *value) const;
  unsigned countArrays() const;
  void describeChoice(PHINode &phi);
  void keep(Value *value, PHINode &number, MDNode *group);
  void keepAll(PHINode &number);
  MDNode *independentGroup();
  Value *emitFold(Instruction &fold, const DenseMap<Value *, Value *> &values);
};

} // namespace

static bool isScalarNumber(const Type *type) {
  return type->isFloatTy() || type->isDoubleTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

/// True if the instruction may also be computed where the instance would not
/// have executed it.
bool FoldSeparator::canBeFolded(const Instruction &inst) const {
  if (loops.getLoopFor(inst.getParent()) != &loop ||
      !isScalarNumber(inst.getType()) ||
      !all_of(inst.operands(), [](const Use &use) {
        return isa<BasicBlock, Function>(use.get()) ||
               isScalarNumber(use->getType());
      }))
    return false;
  if (isa<PHINode, SelectInst, CmpInst, CastInst, FreezeInst, UnaryOperator>(
          inst))
    return true;
  if (isa<BinaryOperator>(inst))
    return isSafeToSpeculativelyExecute(&inst);
  const auto *call = dyn_cast<IntrinsicInst>(&inst);
  return call && isTriviallyVectorizable(call->getIntrinsicID()) &&
         call->doesNotAccessMemory() && isSafeToSpeculativelyExecute(call);
}

bool FoldSeparator::isHandedOn(const Value *value) const {
  return any_of(handedOn,
                [&](const HandedOn &entry) { return entry.phi == value; });
}

/// True if the instance computes the value without any fold.
bool FoldSeparator::isFromInstance(const Value *value) const {
  const auto *inst = dyn_cast<Instruction>(value);
  return inst && loop.contains(inst) &&
         !folds.contains(const_cast<Instruction *>(inst)) && !isHandedOn(inst);
}

bool FoldSeparator::findHeaderPhis() {
  BasicBlock *latch = loop.getLoopLatch();
  for (PHINode &phi : header.phis()) {
    InductionDescriptor induction;
    if (evolution.isSCEVable(phi.getType()) &&
        InductionDescriptor::isInductionPHI(&phi, &loop, &evolution,
                                            induction)) {
      const ConstantInt *step = induction.getConstIntStepValue();
      if (!step || step->getBitWidth() > 64)
        return false;
      steps[&phi] = step->getSExtValue();
      continue;
    }
    if (!isScalarNumber(phi.getType()))
      return false;
    handedOn.push_back({&phi, phi.getIncomingValueForBlock(latch)});
  }
  return !handedOn.empty();
}

bool FoldSeparator::findFolds() {
  SmallVector<Instruction *> open;
  for (const HandedOn &entry : handedOn)
    open.push_back(entry.phi);
  while (!open.empty())
    for (User *user : open.pop_back_val()->users()) {
      auto *inst = cast<Instruction>(user);
      if (isHandedOn(inst))
        continue;
      if (!loop.contains(inst)) {
        if (inst->getParent() != loop.getExitBlock() || !isa<PHINode>(inst))
          return false;
        continue;
      }
      if (!canBeFolded(*inst))
        return false;
      if (folds.insert(inst))
        open.push_back(inst);
    }
  return all_of(handedOn, [&](const HandedOn &entry) {
    auto *next = dyn_cast<Instruction>(entry.next);
    return next && folds.contains(next);
  });
}

/// Values that are only widened for the folds are stored unwidened, which
/// allows more lanes.
void FoldSeparator::addWidenings() {
  for (size_t i = 0; i != folds.size(); ++i)
    for (Value *operand : folds[i]->operands()) {
      auto *cast = dyn_cast<CastInst>(operand);
      if (cast && isFromInstance(cast) &&
          isa<FPExtInst, SExtInst, ZExtInst>(cast) && canBeFolded(*cast) &&
          all_of(cast->users(), [&](User *user) {
            return folds.contains(llvm::cast<Instruction>(user));
          }))
        folds.insert(cast);
    }
}

/// The maximum number of arrays that the folds need.
unsigned FoldSeparator::countArrays() const {
  SmallPtrSet<const Value *, 8> taken;
  unsigned count = 0;
  for (const Instruction *fold : folds) {
    count += isa<PHINode>(fold) ? 2 : 0;
    for (const Value *operand : fold->operands())
      if (!isa<PHINode>(fold) && isFromInstance(operand) &&
          taken.insert(operand).second)
        ++count;
  }
  return count;
}

bool FoldSeparator::find() {
  if (!loop.isLoopSimplifyForm() || !loop.getExitBlock() ||
      loop.getExitingBlock() != loop.getLoopLatch() ||
      loop.getExitBlock()->getSinglePredecessor() != loop.getLoopLatch())
    return false;
  // Each block of the loop itself runs once per instance.
  LoopBlocksRPO order(&loop);
  order.perform(&loops);
  if (containsIrreducibleCFG<BasicBlock *>(order, loops) ||
      header.getParent()->hasFnAttribute(Attribute::StrictFP))
    return false;
  if (!knowsLastRound(loop, evolution) || !findHeaderPhis() || !findFolds())
    return false;
  addWidenings();
  return countArrays() <= mostArrays;
}

//===----------------------------------------------------------------------===//
// What instances keep
//===----------------------------------------------------------------------===//

/// A block has one number, even if several edges come from it.
static unsigned wayOf(const PHINode &phi, unsigned incoming) {
  return static_cast<unsigned>(
      phi.getBasicBlockIndex(phi.getIncomingBlock(incoming)));
}

void FoldSeparator::describeChoice(PHINode &phi) {
  BasicBlock &block = *phi.getParent();
  b.SetInsertPoint(&block, block.begin());
  Choice choice{b.CreatePHI(b.getInt32Ty(), phi.getNumIncomingValues()),
                nullptr};
  bool hasOther = any_of(phi.incoming_values(), [&](const Use &value) {
    return isFromInstance(value.get());
  });
  if (hasOther)
    choice.other = b.CreatePHI(phi.getType(), phi.getNumIncomingValues());
  for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
    BasicBlock *from = phi.getIncomingBlock(i);
    Value *value = phi.getIncomingValue(i);
    choice.way->addIncoming(b.getInt32(wayOf(phi, i)), from);
    if (hasOther)
      choice.other->addIncoming(
          isFromInstance(value) ? value : Constant::getNullValue(phi.getType()),
          from);
  }
  choices[&phi] = choice;
}

/// Adds an array in which the instance stores the value as soon as it has it.
void FoldSeparator::keep(Value *value, PHINode &number, MDNode *group) {
  AllocaInst *&array = arrays[value];
  if (array)
    return;
  auto *inst = cast<Instruction>(value);
  BasicBlock &entry = header.getParent()->getEntryBlock();
  b.SetInsertPoint(&entry, entry.begin());
  // A bit takes a byte.
  Type *type = value->getType();
  if (type->isIntegerTy() && type->getIntegerBitWidth() % 8 != 0)
    type = b.getIntNTy(static_cast<unsigned>(
        PowerOf2Ceil(std::max(8u, type->getIntegerBitWidth()))));
  array = b.CreateAlloca(ArrayType::get(type, stripLength), nullptr, "kept");
  array->setAlignment(Align(64));
  if (isa<PHINode>(inst))
    b.SetInsertPoint(inst->getParent()->getFirstNonPHIIt());
  else
    b.SetInsertPoint(inst->getParent(), std::next(inst->getIterator()));
  Value *place = b.CreateInBoundsGEP(type, array, &number);
  StoreInst *store = b.CreateStore(
      type == value->getType() ? value : b.CreateZExt(value, type), place);
  store->setMetadata(LLVMContext::MD_access_group, group);
}

void FoldSeparator::keepAll(PHINode &number) {
  for (Instruction *fold : folds)
    if (auto *phi = dyn_cast<PHINode>(fold))
      describeChoice(*phi);
  MDNode *group = independentGroup();
  for (Instruction *fold : folds) {
    if (auto *phi = dyn_cast<PHINode>(fold)) {
      const Choice &choice = choices.at(phi);
      keep(choice.way, number, group);
      if (choice.other)
        keep(choice.other, number, group);
      continue;
    }
    for (Value *operand : fold->operands())
      if (isFromInstance(operand))
        keep(operand, number, group);
  }
}

/// A group of accesses that the loop declares independent.
MDNode *FoldSeparator::independentGroup() {
  if (MDNode *property =
          findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses");
      property && property->getNumOperands() > 1)
    return cast<MDNode>(property->getOperand(1));
  LLVMContext &context = header.getContext();
  MDNode *group = MDNode::getDistinct(context, {});
  MDNode *property = MDNode::get(
      context, {MDString::get(context, "llvm.loop.parallel_accesses"), group});
  SmallVector<Metadata *> operands{nullptr};
  append_range(operands, drop_begin(loop.getLoopID()->operands()));
  operands.push_back(property);
  MDNode *id = MDNode::getDistinct(context, operands);
  id->replaceOperandWith(0, id);
  loop.setLoopID(id);
  return group;
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Emits a fold in the loop of folds, where `values` replace those of the
/// instance.
Value *FoldSeparator::emitFold(Instruction &fold,
                               const DenseMap<Value *, Value *> &values) {
  auto valueOf = [&](Value *value) {
    Value *known = values.lookup(value);
    return known ? known : value;
  };
  if (auto *phi = dyn_cast<PHINode>(&fold)) {
    const Choice &choice = choices.at(phi);
    Value *way = valueOf(choice.way), *result = nullptr;
    for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i) {
      Value *value = phi->getIncomingValue(i);
      value = isFromInstance(value) ? valueOf(choice.other) : valueOf(value);
      if (wayOf(*phi, i) != i)
        continue;
      result = result ? b.CreateSelect(b.CreateICmpEQ(way, b.getInt32(i)),
                                       value, result)
                      : value;
    }
    return result;
  }
  Instruction *copy = fold.clone();
  // It may operate on values that no instance stored; its result is then not
  // selected.
  copy->dropUBImplyingAttrsAndMetadata();
  for (Use &operand : copy->operands())
    operand.set(valueOf(operand.get()));
  b.Insert(copy);
  return copy;
}

void FoldSeparator::separate() {
  LLVMContext &context = header.getContext();
  BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch(),
             *exit = loop.getExitBlock();
  Type *i64 = b.getInt64Ty();
  auto addBlock = [&](const Twine &name) {
    return BasicBlock::Create(context, name, header.getParent(), exit);
  };
  BasicBlock *strip = addBlock("folds.strip"), *fold = addBlock("folds"),
             *next = addBlock("folds.next");

  Value *last = emitLastRound(loop, evolution);
  b.SetInsertPoint(before->getTerminator());
  Value *rounds = b.CreateAdd(b.CreateZExt(last, i64), b.getInt64(1));

  // The instances of a strip.
  b.SetInsertPoint(strip);
  PHINode *first = b.CreatePHI(i64, 2, "first");
  SmallVector<PHINode *, 4> begun;
  for (const HandedOn &entry : handedOn)
    begun.push_back(b.CreatePHI(entry.phi->getType(), 2));
  Value *count = b.CreateBinaryIntrinsic(
      Intrinsic::umin, b.CreateSub(rounds, first), b.getInt64(stripLength));
  for (auto &[phi, step] : steps) {
    Value *start = phi->getIncomingValueForBlock(before);
    Value *offset = b.CreateMul(first, b.getInt64(step));
    Value *moved =
        start->getType()->isPointerTy()
            ? b.CreateGEP(b.getInt8Ty(), start, offset)
            : b.CreateAdd(start, b.CreateZExtOrTrunc(offset, start->getType()));
    phi->setIncomingValueForBlock(before, moved);
    phi->replaceIncomingBlockWith(before, strip);
  }
  b.CreateBr(&header);
  before->getTerminator()->replaceSuccessorWith(&header, strip);
  first->addIncoming(b.getInt64(0), before);
  for (auto [phi, entry] : zip(begun, handedOn))
    phi->addIncoming(entry.phi->getIncomingValueForBlock(before), before);

  b.SetInsertPoint(&header, header.begin());
  PHINode *number = b.CreatePHI(i64, 2, "number");
  keepAll(*number);
  auto *end = cast<BranchInst>(latch->getTerminator());
  b.SetInsertPoint(end);
  Value *done = b.CreateAdd(number, b.getInt64(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  number->addIncoming(b.getInt64(0), strip);
  number->addIncoming(done, latch);
  BranchInst *goesOn =
      b.CreateCondBr(b.CreateICmpNE(done, count), &header, fold);
  goesOn->copyMetadata(*end, {LLVMContext::MD_loop, LLVMContext::MD_dbg});
  end->eraseFromParent();

  // The values that the instances stored, in order.
  b.SetInsertPoint(fold);
  PHINode *position = b.CreatePHI(i64, 2, "position");
  DenseMap<Value *, Value *> values;
  SmallVector<PHINode *, 4> running;
  for (auto [phi, entry] : zip(begun, handedOn)) {
    running.push_back(b.CreatePHI(phi->getType(), 2));
    running.back()->addIncoming(phi, latch);
    values[entry.phi] = running.back();
  }
  for (auto &[value, array] : arrays) {
    Type *type = array->getAllocatedType()->getArrayElementType();
    Value *kept =
        b.CreateLoad(type, b.CreateInBoundsGEP(type, array, position));
    values[value] =
        type == value->getType() ? kept : b.CreateTrunc(kept, value->getType());
  }
  // The blocks of the loop in order, so that operands of a fold come before it.
  SmallVector<Instruction *> ordered;
  LoopBlocksRPO order(&loop);
  order.perform(&loops);
  for (BasicBlock *block : order)
    for (Instruction &inst : *block)
      if (folds.contains(&inst))
        ordered.push_back(&inst);
  for (Instruction *inst : ordered)
    values[inst] = emitFold(*inst, values);
  Value *through = b.CreateAdd(position, b.getInt64(1), "", /*HasNUW=*/true,
                               /*HasNSW=*/true);
  position->addIncoming(b.getInt64(0), latch);
  position->addIncoming(through, fold);
  for (auto [phi, entry] : zip(running, handedOn))
    phi->addIncoming(values.lookup(entry.next), fold);
  b.CreateCondBr(b.CreateICmpNE(through, count), fold, next);

  b.SetInsertPoint(next);
  Value *after = b.CreateAdd(first, b.getInt64(stripLength));
  first->addIncoming(after, next);
  for (auto [phi, entry] : zip(begun, handedOn))
    phi->addIncoming(values.lookup(entry.next), next);
  b.CreateCondBr(b.CreateICmpULT(after, rounds), strip, exit);

  for (PHINode &phi : exit->phis()) {
    Value *value = phi.getIncomingValueForBlock(latch);
    if (Value *folded = values.lookup(value); folded && !isFromInstance(value))
      phi.setIncomingValueForBlock(latch, folded);
    phi.replaceIncomingBlockWith(latch, next);
  }
  for (const HandedOn &entry : handedOn)
    folds.insert(entry.phi);
  for (Instruction *inst : folds)
    inst->replaceAllUsesWith(PoisonValue::get(inst->getType()));
  for (Instruction *inst : folds)
    inst->eraseFromParent();
}

PreservedAnalyses SeparateFolds::run(Function &function,
                                     FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen;
  bool hasChanged = false;
  auto changeNext = [&] {
    auto &loops = analyses.getResult<LoopAnalysis>(function);
    auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
    for (Loop *loop : loops.getLoopsInPreorder()) {
      if (!isInstanceLoop(loop->getLoopID()) || loop->isInnermost() ||
          hasInstanceLoop(*loop) || !seen.insert(loop->getHeader()).second)
        continue;
      simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions,
                   /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
      formLCSSARecursively(*loop, dominators, &loops, &evolution);
      FoldSeparator separator(*loop, loops, evolution);
      if (!separator.find())
        continue;
      remark(RemarkKind::Done, analyses, DEBUG_TYPE, *loop,
             "instances first compute what they add, and are then combined in "
             "their order");
      ++numSeparated;
      separator.separate();
      return true;
    }
    return false;
  };
  while (changeNext()) {
    hasChanged = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  return hasChanged || !seen.empty() ? PreservedAnalyses::none()
                                     : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
