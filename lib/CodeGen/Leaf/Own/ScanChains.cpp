//===- ScanChains.cpp - Carried minima and maxima as vectors --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   before:  if (rounds < w, or rounds meet, or x may overflow) goto rest
//   strip:     for t = 0 to m: limits[t] = q of round s + t
//              for t = 0 to m by w:
//                v = limits[t ... t + w - 1]
//                for d = 1, 2, 4 ... w / 2:
//                  v = min(v, v of d lanes before + d * c)
//                v = min(v, x + (c, 2 * c, 3 * c ...))
//                store v; x = v's last lane
//            s += m; while (s < rounds - rounds % w) goto strip
//   rest:    the original loop, from there on
//
// LLVM makes vectors of the first loop of a strip. x grows by c a round at
// most, so that all values are at most x + c * rounds: if that leaves room for
// w rounds more, limits beyond it do not matter, and no sum here overflows.
//
//===----------------------------------------------------------------------===//

#include "ScanChains.h"

#include "../Group/InstanceLoops.h"
#include "../Lanes/LaneLoop.h"
#include "../Lanes/LoopRounds.h"
#include "../Lanes/PrivateMemory.h"
#include "../Pipeline/LeafRemarks.h"
#include "ApartRounds.h"
#include "FreeRounds.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#define DEBUG_TYPE "sluice-scan-chains"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numScanned,
                         "Loops whose carried minima or maxima are vectors");

namespace sluice::codegen {

namespace {

class ChainScanner {
public:
  ChainScanner(Loop &loop, FunctionAnalysisManager &analyses,
               const PrivateMemory &memory, ScalarEvolution &evolution,
               AAResults &aliases)
      : loop(loop), evolution(evolution), body(loop.getHeader()),
        before(loop.getLoopPreheader()), exit(loop.getExitBlock()),
        target(analyses.getResult<TargetIRAnalysis>(*body->getParent())),
        apart(loop, memory, evolution, aliases), builder(body->getContext()) {}

  bool find();
  void scan();

private:
  static constexpr unsigned mostLinks = 16, mostVisited = 200,
                            mostInstructions = 100;
  /// Elements of the limits of a strip, and the largest constant.
  static constexpr unsigned stripLength = 512;
  static constexpr int64_t largestStep = 1 << 16;

  /// An operation between x and what is stored.
  struct Link {
    Instruction *instruction;
    Value *other;
  };

  Loop &loop;
  ScalarEvolution &evolution;
  BasicBlock *body, *before, *exit;
  const TargetTransformInfo &target;
  ApartRounds apart;
  IRBuilder<> builder;
  StoreInst *store = nullptr;
  const SCEVAddRecExpr *place = nullptr; ///< of the store
  Instruction *carried = nullptr; ///< x of the round before, a phi or a load
  SmallVector<Link> links;        ///< from `carried` on
  SmallVector<std::pair<PHINode *, int64_t>> counters;
  bool isMin = true, hasLimit = false;
  int64_t step = 0; ///< c
  unsigned numLanes = 0;

  bool findStore();
  bool findLinks();
  bool findCounters();
  bool isPlain(const Instruction &instruction) const;
  Value *choose(Value *a, Value *b) {
    return builder.CreateBinaryIntrinsic(
        isMin ? Intrinsic::smin : Intrinsic::smax, a, b);
  }
  /// The extreme number, less what `rounds` rounds add.
  int64_t farthest(int64_t rounds) const {
    return (isMin ? INT32_MAX : INT32_MIN) - rounds * step;
  }
  Value *inRound(Value *start, int64_t growth, Value *round);
  Value *staysSmall(Value *first, Value *rounds);
  Value *emitLimit(const ValueToValueMapTy &map);
  void emitFill(BasicBlock *fill, BasicBlock *next, Value *limits, Value *done,
                Value *length);
  Value *emitScan(Value *carry, Value *limits, Value *round, Value *base);
};

} // namespace

/// The only access that writes stores a value of 32 bits behind the last one.
bool ChainScanner::findStore() {
  unsigned size = 0;
  for (Instruction &instruction : *body) {
    if (++size > mostInstructions)
      return false;
    auto *own = dyn_cast<StoreInst>(&instruction);
    if (own && store)
      return false;
    store = own ? own : store;
  }
  if (!store || !store->isSimple() ||
      !store->getValueOperand()->getType()->isIntegerTy(32))
    return false;
  place =
      dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(store->getPointerOperand()));
  const auto *growth =
      place && place->getLoop() == &loop && place->isAffine()
          ? dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution))
          : nullptr;
  return growth && growth->getAPInt() == 4 &&
         SCEVExpander(evolution, "scan")
             .isSafeToExpandAt(place->getStart(), before->getTerminator());
}

/// Goes back from what is stored to the value of the round before.
bool ChainScanner::findLinks() {
  const SCEV *previous = evolution.getMinusSCEV(
      place,
      evolution.getConstant(place->getStepRecurrence(evolution)->getType(), 4));
  auto isCarried = [&](Value *value) {
    if (auto *phi = dyn_cast<PHINode>(value))
      return phi->getParent() == body &&
             phi->getIncomingValueForBlock(body) == store->getValueOperand();
    auto *load = dyn_cast<LoadInst>(value);
    return load && load->getParent() == body && load->isSimple() &&
           load->comesBefore(store) &&
           evolution.getSCEV(load->getPointerOperand()) == previous;
  };
  SmallVector<std::pair<Value *, unsigned>> open{{store->getValueOperand(), 0}};
  for (unsigned i = 0; i != mostVisited && !open.empty(); ++i) {
    auto [value, depth] = open.pop_back_val();
    links.truncate(depth);
    if (isCarried(value)) {
      carried = cast<Instruction>(value);
      break;
    }
    auto *own = dyn_cast<Instruction>(value);
    if (!own || own->getParent() != body || depth == mostLinks)
      continue;
    const auto *choice = dyn_cast<MinMaxIntrinsic>(own);
    if (!(choice && choice->isSigned()) &&
        !(own->getOpcode() == Instruction::Add && own->hasNoSignedWrap()))
      continue;
    // Of two ways, the one in `links` belongs to the operand on top.
    links.push_back({own, nullptr});
    open.push_back({own->getOperand(1), depth + 1});
    open.push_back({own->getOperand(0), depth + 1});
  }
  if (!carried || links.empty())
    return false;
  std::reverse(links.begin(), links.end());
  Value *last = carried;
  for (Link &link : links) {
    link.other = link.instruction->getOperand(
        link.instruction->getOperand(0) == last ? 1 : 0);
    last = link.instruction;
    if (const auto *choice = dyn_cast<MinMaxIntrinsic>(link.instruction)) {
      const bool isOwn = choice->getIntrinsicID() == Intrinsic::smin;
      if (hasLimit && isMin != isOwn)
        return false;
      isMin = isOwn;
      hasLimit = true;
    } else if (const auto *number = dyn_cast<ConstantInt>(link.other)) {
      step += number->getSExtValue();
      if (std::abs(step) > largestStep)
        return false;
    } else {
      return false;
    }
  }
  // What is carried is used for nothing else.
  last = carried;
  for (const Link &link : links) {
    if (!last->hasOneUse())
      return false;
    last = link.instruction;
  }
  for (const User *user : last->users())
    if (user != store && user != carried &&
        !(isa<PHINode>(user) && cast<PHINode>(user)->getParent() == exit))
      return false;
  return hasLimit && (isMin ? step >= 0 : step <= 0);
}

bool ChainScanner::findCounters() {
  for (PHINode &phi : body->phis()) {
    if (&phi == carried)
      continue;
    InductionDescriptor induction;
    if (!evolution.isSCEVable(phi.getType()) ||
        !InductionDescriptor::isInductionPHI(&phi, &loop, &evolution,
                                             induction))
      return false;
    const ConstantInt *growth = induction.getConstIntStepValue();
    if (!growth || growth->getBitWidth() > 64)
      return false;
    counters.push_back({&phi, growth->getSExtValue()});
  }
  return !counters.empty();
}

/// Whether LLVM makes vectors of it that load neighbouring elements.
bool ChainScanner::isPlain(const Instruction &instruction) const {
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    const SCEV *address =
        evolution.getSCEV(const_cast<Value *>(load->getPointerOperand()));
    if (!load->isSimple() || !load->getType()->isIntegerTy())
      return false;
    if (evolution.isLoopInvariant(address, &loop) || load == carried)
      return true;
    const auto *moving = dyn_cast<SCEVAddRecExpr>(address);
    const auto *growth =
        moving && moving->getLoop() == &loop && moving->isAffine()
            ? dyn_cast<SCEVConstant>(moving->getStepRecurrence(evolution))
            : nullptr;
    return growth &&
           growth->getAPInt().abs() ==
               load->getDataLayout().getTypeStoreSize(load->getType());
  }
  return &instruction == store || instruction.isTerminator() ||
         (isa<PHINode, BinaryOperator, CmpInst, CastInst, SelectInst,
              MinMaxIntrinsic, GetElementPtrInst, FreezeInst>(instruction) &&
          !instruction.isIntDivRem() && !instruction.getType()->isVectorTy());
}

bool ChainScanner::find() {
  LaneRefusal refusal;
  const auto *last = dyn_cast<BranchInst>(body->getTerminator());
  if (!before || !exit || loop.getNumBlocks() != 1 || !last ||
      !last->isConditional() || !findStore() || !findLinks() ||
      !findCounters() || !knowsLastRound(loop, evolution) ||
      !all_of(*body, [&](const Instruction &own) { return isPlain(own); }))
    return false;
  for (const Instruction &own : *body)
    for (const User *user : own.users())
      if (!loop.contains(cast<Instruction>(user)) &&
          &own != store->getValueOperand())
        return false;
  numLanes =
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue() /
      32;
  return numLanes >= 4 && apart.find(refusal, carried);
}

//===----------------------------------------------------------------------===//
// The new loops
//===----------------------------------------------------------------------===//

Value *ChainScanner::inRound(Value *start, int64_t growth, Value *round) {
  Value *offset = builder.CreateMul(
      round, ConstantInt::getSigned(round->getType(), growth));
  if (start->getType()->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), start, offset);
  return builder.CreateAdd(start,
                           builder.CreateSExtOrTrunc(offset, start->getType()));
}

/// Whether no value overflows, even some rounds after the last one.
Value *ChainScanner::staysSmall(Value *first, Value *rounds) {
  Value *few = builder.CreateICmpULT(rounds, builder.getInt64(1u << 31));
  if (step == 0)
    return few;
  first = builder.CreateSExt(builder.CreateFreeze(first), builder.getInt64Ty());
  Value *grown =
      builder.CreateMul(builder.CreateAdd(rounds, builder.getInt64(numLanes)),
                        ConstantInt::getSigned(builder.getInt64Ty(), step));
  Value *end = ConstantInt::getSigned(builder.getInt64Ty(), farthest(0));
  Value *value = builder.CreateAdd(first, grown);
  return builder.CreateAnd(few, isMin ? builder.CreateICmpSLE(value, end)
                                      : builder.CreateICmpSGE(value, end));
}

/// q in a copy of the body. Where a sum of a limit would overflow, the limit is
/// not chosen.
Value *ChainScanner::emitLimit(const ValueToValueMapTy &map) {
  Value *limit = nullptr;
  for (const Link &link : links) {
    Value *other = link.other;
    if (Value *mapped = map.lookup(other))
      other = mapped;
    if (isa<MinMaxIntrinsic>(link.instruction)) {
      limit = limit ? choose(limit, other) : other;
    } else if (limit) {
      const int64_t added = cast<ConstantInt>(other)->getSExtValue();
      const int64_t end = (isMin ? INT32_MAX : INT32_MIN) - added;
      if (isMin == (added > 0))
        limit = choose(limit, builder.getInt32(uint32_t(end)));
      limit = builder.CreateAdd(limit, other);
    }
  }
  return limit;
}

/// The loop that computes `length` limits, from round `done` on.
void ChainScanner::emitFill(BasicBlock *fill, BasicBlock *next, Value *limits,
                            Value *done, Value *length) {
  ValueToValueMapTy map;
  BasicBlock *from = builder.GetInsertBlock();
  SmallVector<std::pair<PHINode *, PHINode *>> phis;
  SmallVector<Value *> starts;
  for (auto [phi, growth] : counters)
    starts.push_back(
        inRound(phi->getIncomingValueForBlock(before), growth, done));
  builder.CreateBr(fill);
  builder.SetInsertPoint(fill);
  PHINode *at = builder.CreatePHI(builder.getInt64Ty(), 2, "at");
  at->addIncoming(builder.getInt64(0), from);
  for (auto [own, start] : zip(counters, starts)) {
    PHINode *phi = own.first;
    PHINode *copy = builder.CreatePHI(phi->getType(), 2, phi->getName());
    copy->addIncoming(start, from);
    phis.push_back({phi, copy});
    map[phi] = copy;
  }
  SmallPtrSet<const Instruction *, 16> left{store, carried};
  for (const Link &link : links)
    left.insert(link.instruction);
  for (Instruction &own : *body) {
    if (isa<PHINode>(own) || own.isTerminator() || left.contains(&own))
      continue;
    Instruction *copy = own.clone();
    builder.Insert(copy);
    copy->setDebugLoc(own.getDebugLoc());
    RemapInstruction(copy, map,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    map[&own] = copy;
  }
  builder.CreateStore(emitLimit(map),
                      builder.CreateGEP(builder.getInt32Ty(), limits, at));
  Value *following = builder.CreateAdd(at, builder.getInt64(1), "", true, true);
  at->addIncoming(following, fill);
  for (auto [phi, copy] : phis) {
    Value *value = phi->getIncomingValueForBlock(body);
    Value *mapped = map.lookup(value);
    copy->addIncoming(mapped ? mapped : value, fill);
  }
  builder.CreateCondBr(builder.CreateICmpEQ(following, length), next, fill);
}

/// A vector of rounds, the first of which is `round` in the strip. Returns the
/// value of the last round in all lanes.
Value *ChainScanner::emitScan(Value *carry, Value *limits, Value *round,
                              Value *base) {
  auto *type = FixedVectorType::get(builder.getInt32Ty(), numLanes);
  auto splat = [&](int64_t value) {
    return ConstantInt::getSigned(type, value);
  };
  auto address = [&](Value *start) {
    return builder.CreateGEP(builder.getInt32Ty(), start, round);
  };
  Value *value = builder.CreateAlignedLoad(type, address(limits), Align(4));
  if (step != 0)
    value = choose(value, splat(farthest(numLanes)));
  for (unsigned apart = 1; apart < numLanes; apart *= 2) {
    // Lanes without one before them compare with themselves, which are better.
    SmallVector<int> lanes;
    for (unsigned lane = 0; lane < numLanes; ++lane)
      lanes.push_back(int(lane < apart ? lane : lane - apart));
    Value *earlier = builder.CreateShuffleVector(value, lanes);
    if (step != 0)
      earlier = builder.CreateAdd(earlier, splat(step * int64_t(apart)));
    value = choose(value, earlier);
  }
  SmallVector<Constant *> growth;
  for (unsigned lane = 1; lane <= numLanes; ++lane)
    growth.push_back(
        ConstantInt::getSigned(builder.getInt32Ty(), step * int64_t(lane)));
  if (step != 0)
    carry = builder.CreateAdd(carry, ConstantVector::get(growth));
  value = choose(value, carry);
  builder.CreateAlignedStore(value, address(base), store->getAlign());
  return builder.CreateShuffleVector(
      value, SmallVector<int>(numLanes, int(numLanes - 1)));
}

void ChainScanner::scan() {
  Value *lastRound = emitLastRound(loop, evolution);
  Value *isMeet = apart.emitMeet();
  Instruction *end = before->getTerminator();
  SCEVExpander expander(evolution, "scan");
  Value *base = expander.expandCodeFor(place->getStart(),
                                       place->getStart()->getType(), end);
  Function &function = *body->getParent();
  auto add = [&](const Twine &name) {
    return BasicBlock::Create(function.getContext(), name, &function, body);
  };
  BasicBlock *strip = add("scan.strip"), *fill = add("scan.fill"),
             *vectors = add("scan.vectors"), *vector = add("scan.vector"),
             *stripEnd = add("scan.end"), *rest = add("scan.rest"),
             *again = add("scan.again");
  builder.SetInsertPoint(&function.getEntryBlock(),
                         function.getEntryBlock().begin());
  AllocaInst *limits = builder.CreateAlloca(
      ArrayType::get(builder.getInt32Ty(), stripLength), nullptr, "limits");
  limits->setAlignment(Align(64));

  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(end->getDebugLoc());
  Value *zero = builder.getInt64(0);
  Value *rounds =
      builder.CreateAdd(builder.CreateZExt(lastRound, builder.getInt64Ty()),
                        builder.getInt64(1), "rounds");
  Value *whole = builder.CreateAnd(
      rounds, builder.getInt64(~uint64_t(numLanes - 1)), "whole");
  auto *phi = dyn_cast<PHINode>(carried);
  Value *first = nullptr;
  if (phi) {
    first = phi->getIncomingValueForBlock(before);
  } else {
    auto *load = cast<LoadInst>(carried);
    first = builder.CreateAlignedLoad(
        builder.getInt32Ty(),
        builder.CreateGEP(builder.getInt8Ty(), base, builder.getInt64(-4)),
        load->getAlign(), "first");
  }
  Value *usable = builder.CreateAnd(builder.CreateICmpNE(whole, zero),
                                    staysSmall(first, rounds));
  if (isMeet)
    usable = builder.CreateAnd(usable, builder.CreateNot(isMeet));
  builder.CreateCondBr(usable, strip, rest);
  end->eraseFromParent();

  builder.SetInsertPoint(strip);
  PHINode *done = builder.CreatePHI(builder.getInt64Ty(), 2, "done");
  PHINode *value = builder.CreatePHI(builder.getInt32Ty(), 2, "carried");
  done->addIncoming(zero, before);
  value->addIncoming(first, before);
  Value *length = builder.CreateBinaryIntrinsic(Intrinsic::umin,
                                                builder.CreateSub(whole, done),
                                                builder.getInt64(stripLength));
  emitFill(fill, vectors, limits, done, length);

  builder.SetInsertPoint(vectors);
  Value *splat = builder.CreateVectorSplat(numLanes, value);
  Value *own = builder.CreateGEP(builder.getInt32Ty(), base, done);
  builder.CreateBr(vector);
  builder.SetInsertPoint(vector);
  PHINode *at = builder.CreatePHI(builder.getInt64Ty(), 2, "at");
  PHINode *carry = builder.CreatePHI(splat->getType(), 2, "carry");
  at->addIncoming(zero, vectors);
  carry->addIncoming(splat, vectors);
  Value *last = emitScan(carry, limits, at, own);
  Value *following =
      builder.CreateAdd(at, builder.getInt64(numLanes), "", true, true);
  at->addIncoming(following, vector);
  carry->addIncoming(last, vector);
  builder.CreateCondBr(builder.CreateICmpEQ(following, length), stripEnd,
                       vector);

  builder.SetInsertPoint(stripEnd);
  Value *result = builder.CreateExtractElement(last, uint64_t(0));
  Value *stripDone = builder.CreateAdd(done, length, "", true, true);
  done->addIncoming(stripDone, stripEnd);
  value->addIncoming(result, stripEnd);
  builder.CreateCondBr(builder.CreateICmpEQ(stripDone, whole), rest, strip);

  builder.SetInsertPoint(rest);
  PHINode *start = builder.CreatePHI(builder.getInt64Ty(), 2, "start");
  PHINode *now = builder.CreatePHI(builder.getInt32Ty(), 2, "now");
  start->addIncoming(zero, before);
  start->addIncoming(whole, stripEnd);
  now->addIncoming(first, before);
  now->addIncoming(result, stripEnd);
  builder.CreateCondBr(builder.CreateICmpEQ(start, rounds), exit, again);
  for (PHINode &left : exit->phis()) {
    Value *last = left.getIncomingValueForBlock(body);
    left.addIncoming(last == store->getValueOperand() ? now : last, rest);
  }

  builder.SetInsertPoint(again);
  for (auto [counter, growth] : counters) {
    const int index = counter->getBasicBlockIndex(before);
    counter->setIncomingValue(
        index, inRound(counter->getIncomingValue(index), growth, start));
    counter->setIncomingBlock(index, again);
  }
  if (phi) {
    const int index = phi->getBasicBlockIndex(before);
    phi->setIncomingValue(index, now);
    phi->setIncomingBlock(index, again);
  }
  builder.CreateBr(body);
  addStringMetadataToLoop(&loop, "llvm.loop.unroll.disable", 1);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static bool scanNext(Function &function, FunctionAnalysisManager &analyses,
                     SmallPtrSetImpl<BasicBlock *> &seen) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  auto &aliases = analyses.getResult<AAManager>(function);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!isPlainOwnLoop(*loop) || !seen.insert(loop->getHeader()).second)
      continue;
    simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions,
                 /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
    formLCSSARecursively(*loop, dominators, &loops, &evolution);
    PrivateMemory memory(*loop, dominators);
    if (!memory.variables().empty())
      continue;
    ChainScanner scanner(*loop, analyses, memory, evolution, aliases);
    if (!scanner.find())
      continue;
    remark(
        RemarkKind::Done, analyses, DEBUG_TYPE, *loop,
        "rounds of this loop run as lanes of a vector, with what they carry");
    ++numScanned;
    scanner.scan();
    return true;
  }
  return false;
}

PreservedAnalyses ScanChains::run(Function &function,
                                  FunctionAnalysisManager &analyses) {
  SmallPtrSet<BasicBlock *, 8> seen;
  bool hasChanged = false;
  while (scanNext(function, analyses, seen)) {
    hasChanged = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  // Even what was not changed may have been brought into simple form.
  return hasChanged || !seen.empty() ? PreservedAnalyses::none()
                                     : PreservedAnalyses::all();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
