//===- JamLoops.cpp - Unroll and jam of loop nests ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   before          ->  before:  if (rounds < 4) goto rest
//   outer: head         jam:     head of rounds k to k + 3
//     inner: body                inner: body of rounds k to k + 3
//   latch                        k += 4; if (k <= rounds - 4) goto jam
//                       rest:    if (k < rounds) the original loop, from k on
//
// For each place that the rounds update, the first round loads it and the last
// round stores it; intermediate values stay in registers.
//
//===----------------------------------------------------------------------===//

#include "JamLoops.h"

#include "Debug/ForgetVariables.h"
#include "Group/InstanceLoops.h"
#include "Pipeline/LeafRemarks.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#define DEBUG_TYPE "sluice-jam-loops"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numJammedLoops,
                         "Loops of which four rounds run at once");

namespace sluice::codegen {

namespace {

class LoopJammer {
public:
  LoopJammer(Loop &outer, ScalarEvolution &evolution, AAResults &aliases)
      : outer(outer), evolution(evolution), aliases(aliases),
        before(outer.getLoopPreheader()), exit(outer.getExitBlock()),
        builder(outer.getHeader()->getContext()) {}

  bool find();
  /// Returns the header of the new outer loop.
  BasicBlock *jam();

private:
  static constexpr unsigned atOnce = 4;
  /// The maximum size of code that is copied five times, for each store.
  static constexpr unsigned mostInstructions = 30;
  /// Rows whose vectors, and what each round multiplies them by, fit registers.
  static constexpr unsigned mostStores = 4;

  Loop &outer;
  ScalarEvolution &evolution;
  AAResults &aliases;
  BasicBlock *before, *exit;
  IRBuilder<> builder;
  BasicBlock *head = nullptr, *body = nullptr, *latch = nullptr;
  const SCEV *lastRound = nullptr, *lastInner = nullptr;
  SmallVector<StoreInst *, mostStores> stores; ///< each of a row of its own
  /// Rounds of the inner loop up to which rows do not reach each other.
  uint64_t mostApart = UINT64_MAX;
  /// Loads of what a store of the same round writes.
  SmallDenseMap<const LoadInst *, StoreInst *> updated;
  SmallVector<std::pair<PHINode *, const SCEVConstant *>> counters;

  bool findBlocks();
  bool findCounters();
  bool isSmall() const;
  bool findStores();
  bool areApart();
  bool isFew() const {
    return mostApart == UINT64_MAX ||
           evolution.getUnsignedRangeMax(lastInner).ult(mostApart);
  }
  bool readsOthers();
  Value *advanced(Value *counter, const SCEVConstant &step, uint64_t rounds);
  void cloneInto(BasicBlock &block, ValueToValueMapTy &map,
                 DenseMap<StoreInst *, Value *> &current, bool isLast);
};

} // namespace

/// The outer loop is a head, the inner loop, and a latch.
bool LoopJammer::findBlocks() {
  if (!before || !exit || outer.getNumBlocks() != 3 ||
      outer.getSubLoops().size() != 1 || !exit->phis().empty())
    return false;
  Loop &inner = *outer.getSubLoops().front();
  head = outer.getHeader();
  body = inner.getHeader();
  latch = outer.getLoopLatch();
  return inner.getNumBlocks() == 1 && latch && latch != head &&
         outer.getExitingBlock() == latch &&
         head->getSingleSuccessor() == body && inner.getExitBlock() == latch &&
         latch->phis().empty() && !isInstanceLoop(outer.getLoopID()) &&
         !isInstanceLoop(inner.getLoopID());
}

/// Checks that the outer loop's phis are counters, and that the inner loop
/// counts the same way each time.
bool LoopJammer::findCounters() {
  lastRound = evolution.getBackedgeTakenCount(&outer);
  if (isa<SCEVCouldNotCompute>(lastRound) ||
      evolution.getTypeSizeInBits(lastRound->getType()) > 64 ||
      !SCEVExpander(evolution, "jam")
           .isSafeToExpandAt(lastRound, before->getTerminator()))
    return false;
  for (PHINode &phi : head->phis()) {
    const auto *counter =
        phi.getType()->isIntegerTy()
            ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi))
            : nullptr;
    const auto *step =
        counter && counter->getLoop() == &outer && counter->isAffine()
            ? dyn_cast<SCEVConstant>(counter->getStepRecurrence(evolution))
            : nullptr;
    if (!step)
      return false;
    counters.push_back({&phi, step});
  }
  Loop &inner = *outer.getSubLoops().front();
  lastInner = evolution.getBackedgeTakenCount(&inner);
  if (isa<SCEVCouldNotCompute>(lastInner) ||
      !evolution.isLoopInvariant(lastInner, &outer))
    return false;
  auto *test = dyn_cast<BranchInst>(body->getTerminator());
  if (!test || !test->isConditional())
    return false;
  for (PHINode &phi : body->phis()) {
    const auto *counter = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
    if (!phi.getType()->isIntegerTy() || !counter ||
        counter->getLoop() != &inner ||
        !evolution.isLoopInvariant(counter->getStart(), &outer) ||
        !evolution.isLoopInvariant(counter->getStepRecurrence(evolution),
                                   &outer) ||
        !outer.isLoopInvariant(phi.getIncomingValueForBlock(head)))
      return false;
  }
  return true;
}

/// Accepts few, plain instructions without values used after the loop.
bool LoopJammer::isSmall() const {
  unsigned size = 0;
  for (const BasicBlock *block : outer.blocks())
    for (const Instruction &instruction : *block) {
      const auto *call = dyn_cast<IntrinsicInst>(&instruction);
      bool isPlain =
          isa<LoadInst, StoreInst>(instruction) ||
          (!instruction.mayReadOrWriteMemory() && !instruction.mayThrow() &&
           (!isa<CallBase>(instruction) || (call && call->willReturn())));
      if (++size > mostInstructions * stores.size() || !isPlain)
        return false;
      for (const User *user : instruction.users())
        if (!outer.contains(cast<Instruction>(user)))
          return false;
    }
  return true;
}

/// Finds the stores, which must write the same places in each round of the
/// outer loop.
bool LoopJammer::findStores() {
  for (BasicBlock *block : outer.blocks())
    for (Instruction &instruction : *block) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      if (!store)
        continue;
      const auto *place = dyn_cast<SCEVAddRecExpr>(
          evolution.getSCEV(store->getPointerOperand()));
      Type *type = store->getValueOperand()->getType();
      const auto *step =
          place && place->getLoop() != &outer && place->isAffine()
              ? dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution))
              : nullptr;
      if (block != body || !store->isSimple() || stores.size() == mostStores ||
          !step || !(type->isFloatingPointTy() || type->isIntegerTy()) ||
          step->getAPInt() != store->getDataLayout().getTypeStoreSize(type) ||
          !evolution.isLoopInvariant(place->getStart(), &outer))
        return false;
      stores.push_back(store);
    }
  return !stores.empty();
}

/// The memory that an access may reach in any round.
static MemoryLocation reachOf(const Instruction &access) {
  return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(&access),
                                          access.getAAMetadata());
}

/// Whether no two stores write the same memory in any rounds, provided that the
/// inner loop has at most `mostApart` rounds.
bool LoopJammer::areApart() {
  BatchAAResults batch(aliases);
  for (StoreInst *store : stores)
    for (StoreInst *other : stores) {
      if (store == other)
        break;
      if (batch.isNoAlias(reachOf(*store), reachOf(*other)))
        continue;
      const std::optional<APInt> distance = evolution.computeConstantDifference(
          evolution.getSCEV(store->getPointerOperand()),
          evolution.getSCEV(other->getPointerOperand()));
      const uint64_t size = store->getDataLayout().getTypeStoreSize(
          store->getValueOperand()->getType());
      if (!distance || store->getValueOperand()->getType() !=
                           other->getValueOperand()->getType())
        return false;
      mostApart = std::min(mostApart, distance->abs().getLimitedValue() / size);
    }
  // Rows of few rounds may just as well be interleaved.
  return mostApart >= atOnce &&
         (isFew() ||
          (evolution.getTypeSizeInBits(lastInner->getType()) <= 64 &&
           SCEVExpander(evolution, "jam")
               .isSafeToExpandAt(lastInner, before->getTerminator())));
}

/// Each load must read what a store writes, before it does, or memory that no
/// round of the outer loop writes. There must be both kinds, and one of the
/// first for each store.
bool LoopJammer::readsOthers() {
  BatchAAResults batch(aliases);
  SmallPtrSet<const StoreInst *, mostStores> read;
  bool hasOther = false;
  for (BasicBlock *block : outer.blocks())
    for (Instruction &instruction : *block) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load)
        continue;
      if (!load->isSimple() || block == latch)
        return false;
      const SCEV *place = evolution.getSCEV(load->getPointerOperand());
      const auto *own = find_if(stores, [&](StoreInst *store) {
        return block == body && load->comesBefore(store) &&
               load->getType() == store->getValueOperand()->getType() &&
               evolution.getSCEV(store->getPointerOperand()) == place;
      });
      if (own != stores.end()) {
        updated[load] = *own;
        read.insert(*own);
        continue;
      }
      for (const StoreInst *store : stores)
        if (!batch.isNoAlias(reachOf(*load), reachOf(*store)))
          return false;
      hasOther |= block == body;
    }
  return read.size() == stores.size() && hasOther;
}

bool LoopJammer::find() {
  return findBlocks() && findStores() && isSmall() && findCounters() &&
         areApart() && readsOthers();
}

//===----------------------------------------------------------------------===//
// The new loops
//===----------------------------------------------------------------------===//

/// The value of a counter this many rounds later.
Value *LoopJammer::advanced(Value *counter, const SCEVConstant &step,
                            uint64_t rounds) {
  if (rounds == 0)
    return counter;
  APInt distance = step.getAPInt() * rounds;
  return builder.CreateAdd(counter, builder.getInt(distance));
}

/// Copies the instructions of a block for one of the rounds. `current` has the
/// values that the previous rounds have computed for what stores write; none if
/// they are in memory.
void LoopJammer::cloneInto(BasicBlock &block, ValueToValueMapTy &map,
                           DenseMap<StoreInst *, Value *> &current,
                           bool isLast) {
  for (Instruction &instruction : block) {
    if (isa<PHINode>(instruction) || instruction.isTerminator())
      continue;
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
      if (Value *computed = current.lookup(updated.lookup(load))) {
        map[load] = computed;
        continue;
      }
    Instruction *copy = instruction.clone();
    builder.Insert(copy);
    copy->setDebugLoc(instruction.getDebugLoc());
    RemapInstruction(copy, map,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    map[&instruction] = copy;
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store)
      continue;
    Value *own = store->getValueOperand(), *mapped = map.lookup(own);
    current[store] = mapped ? mapped : own;
    if (!isLast)
      copy->eraseFromParent();
  }
}

BasicBlock *LoopJammer::jam() {
  LLVMContext &context = builder.getContext();
  Function *function = head->getParent();
  auto add = [&](const Twine &name) {
    return BasicBlock::Create(context, name, function, head);
  };
  BasicBlock *jamHead = add("jam"), *jamBody = add("jam.inner"),
             *jamLatch = add("jam.latch"), *rest = add("jam.rest"),
             *again = add("jam.again");
  Instruction *end = before->getTerminator();
  SCEVExpander expander(evolution, "jam");
  Value *last = expander.expandCodeFor(lastRound, lastRound->getType(), end);
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(end->getDebugLoc());
  // Excludes the last round: if all values of the type are rounds, their number
  // does not fit.
  last = builder.CreateZExt(last, builder.getInt64Ty());
  Value *most = builder.getInt64(atOnce - 1);
  Value *isMany = builder.CreateICmpUGE(last, most);
  if (!isFew()) {
    Value *lastOfRow =
        expander.expandCodeFor(lastInner, lastInner->getType(), end);
    builder.SetInsertPoint(end);
    lastOfRow = builder.CreateZExt(builder.CreateFreeze(lastOfRow),
                                   builder.getInt64Ty());
    isMany = builder.CreateAnd(
        isMany, builder.CreateICmpULT(lastOfRow, builder.getInt64(mostApart)));
  }
  builder.CreateCondBr(isMany, jamHead, rest);
  end->eraseFromParent();

  // The current round of the outer loop, and its counters there.
  builder.SetInsertPoint(jamHead);
  PHINode *round = builder.CreatePHI(builder.getInt64Ty(), 2, "jam.round");
  round->addIncoming(builder.getInt64(0), before);
  SmallVector<PHINode *> begins;
  for (auto [phi, step] : counters) {
    begins.push_back(builder.CreatePHI(phi->getType(), 2));
    begins.back()->addIncoming(phi->getIncomingValueForBlock(before), before);
  }
  ValueToValueMapTy maps[atOnce];
  DenseMap<StoreInst *, Value *> current;
  for (unsigned i = 0; i != atOnce; ++i) {
    for (auto [own, begin] : zip(counters, begins))
      maps[i][own.first] = advanced(begin, *own.second, i);
    cloneInto(*head, maps[i], current, /*isLast=*/true);
  }
  builder.CreateBr(jamBody);

  builder.SetInsertPoint(jamBody);
  SmallVector<std::pair<PHINode *, PHINode *>> inner;
  for (PHINode &phi : body->phis()) {
    PHINode *copy = builder.CreatePHI(phi.getType(), 2, phi.getName());
    copy->addIncoming(phi.getIncomingValueForBlock(head), jamHead);
    inner.push_back({&phi, copy});
    for (ValueToValueMapTy &map : maps)
      map[&phi] = copy;
  }
  for (unsigned i = 0; i != atOnce; ++i)
    cloneInto(*body, maps[i], current, i + 1 == atOnce);
  for (auto [phi, copy] : inner) {
    Value *next = phi->getIncomingValueForBlock(body);
    Value *mapped = maps[0].lookup(next);
    copy->addIncoming(mapped ? mapped : next, jamBody);
  }
  auto *back = cast<BranchInst>(body->getTerminator()->clone());
  builder.Insert(back);
  maps[0][body] = jamBody;
  maps[0][latch] = jamLatch;
  RemapInstruction(back, maps[0],
                   RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);

  builder.SetInsertPoint(jamLatch);
  Value *nextRound = builder.CreateAdd(round, builder.getInt64(atOnce));
  round->addIncoming(nextRound, jamLatch);
  for (auto [own, begin] : zip(counters, begins))
    begin->addIncoming(advanced(begin, *own.second, atOnce), jamLatch);
  // Continue while at least as many rounds are left as are done at once.
  Value *left = builder.CreateSub(last, round);
  builder.CreateCondBr(
      builder.CreateICmpUGE(left, builder.getInt64(2 * atOnce - 1)), jamHead,
      rest);

  builder.SetInsertPoint(rest);
  PHINode *done = builder.CreatePHI(builder.getInt1Ty(), 2, "jam.done");
  done->addIncoming(builder.getFalse(), before);
  for (auto [own, begin] : zip(counters, begins)) {
    PHINode *phi = own.first;
    PHINode *from = builder.CreatePHI(phi->getType(), 2);
    from->addIncoming(phi->getIncomingValueForBlock(before), before);
    from->addIncoming(begin->getIncomingValueForBlock(jamLatch), jamLatch);
    int index = phi->getBasicBlockIndex(before);
    phi->setIncomingValue(index, from);
    phi->setIncomingBlock(index, again);
  }
  builder.CreateCondBr(done, exit, again);
  builder.SetInsertPoint(jamLatch->getTerminator());
  done->addIncoming(builder.CreateICmpEQ(left, most), jamLatch);
  builder.SetInsertPoint(again);
  builder.CreateBr(head);
  forgetVariablesOf({head, body}, *jamHead);
  return jamHead;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool jamNext(Function &function, FunctionAnalysisManager &analyses,
                    SmallPtrSetImpl<BasicBlock *> &seen) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &aliases = analyses.getResult<AAManager>(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!seen.insert(loop->getHeader()).second)
      continue;
    LoopJammer jammer(*loop, evolution, aliases);
    if (!jammer.find())
      continue;
    remark(RemarkKind::Done, analyses, DEBUG_TYPE, *loop,
           "four rounds of this loop run at once, since they update the same "
           "elements");
    ++numJammedLoops;
    seen.insert(jammer.jam());
    return true;
  }
  return false;
}

PreservedAnalyses JamLoops::run(Function &function,
                                FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen;
  bool hasChanged = false;
  while (jamNext(function, analyses, seen)) {
    hasChanged = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  return hasChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
