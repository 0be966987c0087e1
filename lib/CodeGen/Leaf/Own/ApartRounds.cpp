//===- ApartRounds.cpp - Loops whose rounds do not meet in memory ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. The places of one group, which lie a constant apart, are apart if a round
//    accesses fewer bytes than the loop steps on by.
// 2. Two groups are apart if their objects are, or all their bytes in all
//    rounds.
//
// Offsets are computed with 64 bits from numbers that are small enough never to
// overflow; where numbers are not, rounds count as meeting.
//
//===----------------------------------------------------------------------===//

#include "ApartRounds.h"

#include "../Lanes/LaneLoop.h"
#include "../Lanes/PrivateMemory.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace sluice::codegen {

/// Groups, and pairs of them, or of all groups of two bases, that are compared
/// before the loop.
static constexpr unsigned mostGroups = 40, mostPairs = 10;
/// Pairs of groups of one base where those of two bases are not compared one by
/// one: as of the planes of an array.
static constexpr unsigned mostOfOneBase = 48;
/// Bits of numbers, and of factors of products; the rest is for sums.
static constexpr unsigned numberBits = 58, factorBits = 29;
/// Terms of a sum.
static constexpr unsigned mostTerms = 12;
/// Bytes between the first place of a group and another one.
static constexpr int64_t farthestInGroup = 1 << 20;
static constexpr unsigned groupBits = 22;
/// The same of groups that are only read, where a round goes on by constant
/// bytes.
static constexpr int64_t farthestRead = 64;
/// Rounds that the loop is expected to have.
static constexpr int64_t closestRounds = 16;

//===----------------------------------------------------------------------===//
// What is accessed
//===----------------------------------------------------------------------===//

/// How often `inner` goes back at most, known before the loop.
const SCEV *ApartRounds::roundsOf(const Loop &inner) const {
  const SCEV *rounds = evolution.getSymbolicMaxBackedgeTakenCount(&inner);
  if (!isa<SCEVCouldNotCompute>(rounds) &&
      evolution.isLoopInvariant(rounds, &loop))
    return rounds;
  rounds = evolution.getConstantMaxBackedgeTakenCount(&inner);
  return isa<SCEVCouldNotCompute>(rounds) ? nullptr : rounds;
}

bool ApartRounds::walkOf(const SCEV *offset, Walk &walk) const {
  walk.start = offset;
  while (!evolution.isLoopInvariant(walk.start, &loop)) {
    const auto *sum = dyn_cast<SCEVAddRecExpr>(walk.start);
    if (!sum || !sum->isAffine() || !loop.contains(sum->getLoop()))
      return false;
    const SCEV *step = sum->getStepRecurrence(evolution);
    const SCEV *rounds = roundsOf(*sum->getLoop());
    if (!rounds || !evolution.isLoopInvariant(step, &loop))
      return false;
    if (sum->getLoop() == &loop)
      walk.ownStep = step;
    else
      walk.inside.push_back({step, rounds});
    walk.start = sum->getStart();
  }
  return walk.inside.size() + 2 <= mostTerms;
}

/// Whether the emitter can say between what numbers `number` is.
bool ApartRounds::isBounded(const SCEV *number) const {
  SCEVExpander expander(evolution, "apart");
  Instruction *end = loop.getLoopPreheader()->getTerminator();
  auto isKnown = [&](const SCEV *value) {
    return evolution.getTypeSizeInBits(value->getType()) <= 64 &&
           expander.isSafeToExpandAt(value, end);
  };
  if (evolution.isLoopInvariant(number, &loop))
    return isKnown(number);
  if (const auto *sum = dyn_cast<SCEVAddRecExpr>(number)) {
    if (!sum->isAffine() || !loop.contains(sum->getLoop()))
      return false;
    const SCEV *step = sum->getStepRecurrence(evolution);
    const SCEV *rounds = roundsOf(*sum->getLoop());
    return rounds && isKnown(rounds) &&
           evolution.isLoopInvariant(step, &loop) && isKnown(step) &&
           isBounded(sum->getStart());
  }
  if (isa<SCEVAddExpr, SCEVMulExpr, SCEVIntegralCastExpr>(number))
    return evolution.getTypeSizeInBits(number->getType()) <= 64 &&
           number->operands().size() <= 4 &&
           all_of(number->operands(),
                  [&](const SCEV *operand) { return isBounded(operand); });
  return false;
}

static MemoryLocation anywhere(const Instruction &access) {
  // What metadata say holds for one round.
  return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(&access));
}

/// By how many bytes places move from round to round; 0: not by a constant, or
/// there are loops inside.
int64_t ApartRounds::constantStep(const SCEV *offset) const {
  const auto *row = dyn_cast<SCEVAddRecExpr>(offset);
  const auto *step =
      row && row->getLoop() == &loop && row->isAffine()
          ? dyn_cast<SCEVConstant>(row->getStepRecurrence(evolution))
          : nullptr;
  return step && step->getAPInt().getSignificantBits() <= groupBits
             ? std::abs(step->getAPInt().getSExtValue())
             : 0;
}

/// Puts a load or store into a group; false if nothing is known of a store.
bool ApartRounds::addAccess(Instruction &access) {
  const bool isWritten = isa<StoreInst>(access);
  const DataLayout &layout = access.getDataLayout();
  const int64_t size = layout.getTypeStoreSize(getLoadStoreType(&access));
  const SCEV *place = evolution.getSCEV(
      const_cast<Value *>(getLoadStorePointerOperand(&access)));
  const SCEV *base = evolution.getPointerBase(place);
  const SCEV *offset = nullptr;
  if (base->getType()->isPointerTy() && evolution.isLoopInvariant(base, &loop))
    offset = evolution.removePointerBase(place);
  if (!offset || evolution.getTypeSizeInBits(offset->getType()) != 64 ||
      !isBounded(offset) || !isBounded(base)) {
    others.push_back(&access);
    return !isWritten;
  }
  const int64_t step = constantStep(offset);
  for (auto [number, group] : enumerate(groups)) {
    if (group.base != base)
      continue;
    std::optional<APInt> distance =
        evolution.computeConstantDifference(offset, group.offset);
    if (!distance || distance->abs().ugt(farthestInGroup))
      continue;
    const int64_t low = std::min(group.low, distance->getSExtValue());
    const int64_t high = std::max(group.high, distance->getSExtValue() + size);
    const bool isAnyWritten = group.isWritten || isWritten;
    if (step &&
        high - low > (isAnyWritten ? step : std::max(step, farthestRead)))
      continue; // perhaps of other rows
    group.low = low;
    group.high = high;
    group.isWritten = isAnyWritten;
    groupOf[&access] = number;
    return true;
  }
  groupOf[&access] = groups.size();
  groups.push_back({&access, base, offset, 0, size, isWritten});
  return groups.size() <= mostGroups;
}

/// Whether the groups meet unless the loop has very few rounds.
bool ApartRounds::areClose(const Group &a, const Group &b) const {
  const int64_t step = constantStep(a.offset);
  if (a.base != b.base || !step)
    return false;
  const std::optional<APInt> distance =
      evolution.computeConstantDifference(a.offset, b.offset);
  return distance && distance->abs().ult(uint64_t(closestRounds * step));
}

bool ApartRounds::find(LaneRefusal &refusal, const Instruction *carried) {
  auto refuse = [&](const Instruction *place) {
    refusal = {"this access may meet one of another round", place};
    return false;
  };
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block) {
      if (!inst.mayReadOrWriteMemory() || &inst == carried)
        continue;
      const Value *pointer = getLoadStorePointerOperand(&inst);
      const auto *call = dyn_cast<IntrinsicInst>(&inst);
      if ((call && call->isAssumeLikeIntrinsic()) ||
          (pointer && memory.contains(pointer)))
        continue;
      if (!pointer || !addAccess(inst))
        return refuse(&inst);
    }
  BatchAAResults batch(aliases);
  batch.enableCrossIterationMode();
  for (auto [number, group] : enumerate(groups)) {
    if (!group.isWritten)
      continue;
    Walk walk;
    if (!walkOf(group.offset, walk) || !walk.ownStep)
      return refuse(group.first);
    if (const auto *step = dyn_cast<SCEVConstant>(walk.ownStep);
        step && walk.inside.empty() &&
        step->getAPInt().abs().slt(group.high - group.low))
      return refuse(group.first);
    for (const Instruction *other : others)
      if (!batch.isNoAlias(anywhere(*group.first), anywhere(*other)))
        return refuse(other);
    for (auto [otherNumber, other] : enumerate(groups)) {
      const bool isSeen = other.isWritten && otherNumber <= number;
      if (otherNumber == number || isSeen ||
          batch.isNoAlias(anywhere(*group.first), anywhere(*other.first)))
        continue;
      if (areClose(group, other))
        return refuse(other.first);
      pairs.push_back({number, otherNumber});
    }
  }
  return pairs.size() <= mostPairs || joinPairs() || refuse(nullptr);
}

/// Compares from the first byte of all groups of a base to the last one with
/// those of another, in the place of each group with each other.
bool ApartRounds::joinPairs() {
  erase_if(pairs, [&](std::pair<unsigned, unsigned> pair) {
    std::pair<const SCEV *, const SCEV *> both{groups[pair.first].base,
                                               groups[pair.second].base};
    if (both.first == both.second)
      return false;
    if (std::less<const SCEV *>()(both.second, both.first))
      std::swap(both.first, both.second);
    if (!is_contained(bases, both))
      bases.push_back(both);
    return true;
  });
  return pairs.size() <= mostOfOneBase && bases.size() <= mostPairs;
}

/// The group of an access; nothing: there is none.
std::optional<unsigned> ApartRounds::findGroup(Instruction &access) {
  if (!groupOf.contains(&access) && !addAccess(access))
    return std::nullopt;
  const auto found = groupOf.find(&access);
  return found == groupOf.end() ? std::nullopt : std::optional(found->second);
}

bool ApartRounds::findApart(ArrayRef<Instruction *> accesses) {
  for (Instruction *access : accesses) {
    // Types do not count: rows are merged without them.
    AAMDNodes scopes = access->getAAMetadata();
    scopes.TBAA = scopes.TBAAStruct = nullptr;
    const MemoryLocation all = MemoryLocation::getBeforeOrAfter(
        getLoadStorePointerOperand(access), scopes);
    for (Instruction &other : *access->getParent()) {
      const Value *place = getLoadStorePointerOperand(&other);
      if (!(isa<StoreInst>(access) ? other.mayReadOrWriteMemory()
                                   : other.mayWriteToMemory()) ||
          &other == access || memory.contains(place) ||
          !isModOrRefSet(aliases.getModRefInfo(&other, all)))
        continue;
      const auto own = findGroup(*access);
      const auto met = place ? findGroup(other) : std::nullopt;
      if (!own || !met || groups[*own].base == groups[*met].base)
        return false;
      const std::pair<unsigned, unsigned> pair = std::minmax(*own, *met);
      if (!is_contained(pairs, pair))
        pairs.push_back(pair);
    }
  }
  return pairs.size() <= mostPairs;
}

//===----------------------------------------------------------------------===//
// Code that finds out
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of 64 bits from `low` to `high`, with so many bits and a sign.
struct OffsetRange {
  Value *low = nullptr, *high = nullptr;
  unsigned bits = 0;
};

/// Counters of loops around the loop, in terms of their phis: the expander
/// would add counters to them.
class OuterCounters : public SCEVRewriteVisitor<OuterCounters> {
public:
  OuterCounters(ScalarEvolution &evolution, const BasicBlock &place)
      : SCEVRewriteVisitor(evolution), place(place) {}

  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *sum) {
    const Loop *around = sum->getLoop();
    if (!sum->isAffine() || !around->contains(&place))
      return sum;
    for (PHINode &phi : around->getHeader()->phis()) {
      if (phi.getType() != sum->getType())
        continue;
      const auto *counter = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&phi));
      if (!counter || counter->getLoop() != around || !counter->isAffine() ||
          !counter->getStepRecurrence(SE)->isOne())
        continue;
      const SCEV *round =
          SE.getMinusSCEV(SE.getUnknown(&phi), counter->getStart());
      return visit(SE.getAddExpr(
          sum->getStart(), SE.getMulExpr(sum->getStepRecurrence(SE), round)));
    }
    return sum;
  }

private:
  const BasicBlock &place;
};

} // namespace

class ApartRounds::Emitter {
public:
  explicit Emitter(ApartRounds &rounds)
      : rounds(rounds), evolution(rounds.evolution),
        end(rounds.loop.getLoopPreheader()->getTerminator()),
        expander(evolution, "apart"),
        builder(end->getContext(), InstSimplifyFolder(end->getDataLayout())) {
    builder.SetInsertPoint(end);
  }

  void meetIf(Value *condition) {
    meet = meet ? builder.CreateOr(meet, condition) : condition;
  }
  void meetIfWithin(const Group &group);
  void meetIfOverlap(const Group &a, const Group &b) {
    meetIfOverlap(a.base, bytesOf(a), b.base, bytesOf(b));
  }
  void meetIfOverlap(const SCEV *a, const SCEV *b) {
    meetIfOverlap(a, bytesOf(a), b, bytesOf(b));
  }
  Value *result() const {
    const auto *known = dyn_cast_or_null<ConstantInt>(meet);
    return known && known->isZero() ? nullptr : meet;
  }

private:
  ApartRounds &rounds;
  ScalarEvolution &evolution;
  Instruction *end;
  SCEVExpander expander;
  IRBuilder<InstSimplifyFolder> builder;
  Value *meet = nullptr;
  DenseMap<const Group *, OffsetRange> bytes;
  DenseMap<const SCEV *, Value *> expanded;

  ConstantInt *number(int64_t value) { return builder.getInt64(value); }
  Value *expand(const SCEV *value);
  Value *lesser(Value *a, Value *b) {
    return builder.CreateSelect(builder.CreateICmpSLT(a, b), a, b);
  }
  Value *greater(Value *a, Value *b) {
    return builder.CreateSelect(builder.CreateICmpSGT(a, b), a, b);
  }
  OffsetRange invariant(const SCEV *value, bool isSigned);
  OffsetRange narrow(OffsetRange interval, unsigned bits);
  OffsetRange sum(OffsetRange a, OffsetRange b);
  OffsetRange product(OffsetRange a, OffsetRange b);
  OffsetRange steps(const SCEV *step, const SCEV *count);
  OffsetRange bound(const SCEV *value);
  OffsetRange bytesOf(const Group &group);
  OffsetRange bytesOf(const SCEV *base);
  void meetIfOverlap(const SCEV *baseA, const OffsetRange &ofA,
                     const SCEV *baseB, const OffsetRange &ofB);
};

Value *ApartRounds::Emitter::expand(const SCEV *value) {
  Value *&known = expanded[value];
  if (!known) {
    const SCEV *here = OuterCounters(evolution, *end->getParent()).visit(value);
    known = expander.expandCodeFor(here, value->getType(), end);
    builder.SetInsertPoint(end);
    // Of accesses that no round does, addresses may be poison.
    if (!isa<ConstantInt>(known))
      known = builder.CreateFreeze(known);
  }
  builder.SetInsertPoint(end);
  return known;
}

OffsetRange ApartRounds::Emitter::invariant(const SCEV *value, bool isSigned) {
  const ConstantRange range = isSigned ? evolution.getSignedRange(value)
                                       : evolution.getUnsignedRange(value);
  const unsigned bits =
      isSigned ? std::max(range.getSignedMin().getSignificantBits(),
                          range.getSignedMax().getSignificantBits()) -
                     1
               : range.getUnsignedMax().getActiveBits();
  Value *own =
      builder.CreateIntCast(expand(value), builder.getInt64Ty(), isSigned);
  return {own, own, bits};
}

/// The same with fewer bits; rounds meet where it has more.
OffsetRange ApartRounds::Emitter::narrow(OffsetRange interval, unsigned bits) {
  if (interval.bits <= bits)
    return interval;
  const int64_t limit = int64_t(1) << bits;
  meetIf(builder.CreateICmpSLT(interval.low, number(-limit)));
  meetIf(builder.CreateICmpSGE(interval.high, number(limit)));
  return {interval.low, interval.high, bits};
}

OffsetRange ApartRounds::Emitter::sum(OffsetRange a, OffsetRange b) {
  a = narrow(a, numberBits);
  b = narrow(b, numberBits);
  return {builder.CreateAdd(a.low, b.low), builder.CreateAdd(a.high, b.high),
          std::max(a.bits, b.bits) + 1};
}

OffsetRange ApartRounds::Emitter::product(OffsetRange a, OffsetRange b) {
  if (a.bits + b.bits > numberBits) {
    a = narrow(a, factorBits);
    b = narrow(b, factorBits);
  }
  Value *low = builder.CreateMul(a.low, b.low), *high = low;
  auto add = [&](Value *corner) {
    low = lesser(low, corner);
    high = greater(high, corner);
  };
  if (b.low != b.high)
    add(builder.CreateMul(a.low, b.high));
  if (a.low != a.high)
    add(builder.CreateMul(a.high, b.low));
  if (a.low != a.high && b.low != b.high)
    add(builder.CreateMul(a.high, b.high));
  return {low, high, a.bits + b.bits + 1};
}

/// From no step to `count` steps.
OffsetRange ApartRounds::Emitter::steps(const SCEV *step, const SCEV *count) {
  OffsetRange counts = invariant(count, /*isSigned=*/false);
  if (counts.bits == 64) {
    // A count beyond signed numbers would seem to be negative.
    meetIf(builder.CreateICmpSLT(counts.high, number(0)));
    counts.bits = 63;
  }
  counts.low = number(0);
  return product(invariant(step, /*isSigned=*/true), counts);
}

OffsetRange ApartRounds::Emitter::bound(const SCEV *value) {
  if (evolution.isLoopInvariant(value, &rounds.loop))
    return invariant(value, /*isSigned=*/true);
  const unsigned ownBits = evolution.getTypeSizeInBits(value->getType()) - 1;
  // Whoever uses the interval may rely on it only if nothing wraps.
  auto unwrapped = [&](OffsetRange interval) {
    return narrow(interval, std::min(ownBits, numberBits));
  };
  if (const auto *counter = dyn_cast<SCEVAddRecExpr>(value))
    return unwrapped(sum(bound(counter->getStart()),
                         steps(counter->getStepRecurrence(evolution),
                               rounds.roundsOf(*counter->getLoop()))));
  OffsetRange result = bound(value->operands().front());
  if (isa<SCEVZeroExtendExpr>(value))
    meetIf(builder.CreateICmpSLT(result.low, number(0)));
  for (const SCEV *operand : drop_begin(value->operands()))
    result = isa<SCEVAddExpr>(value) ? sum(result, bound(operand))
                                     : product(result, bound(operand));
  return unwrapped(result);
}

/// The bytes of a group in all rounds; the end is behind them.
OffsetRange ApartRounds::Emitter::bytesOf(const Group &group) {
  if (auto known = bytes.find(&group); known != bytes.end())
    return known->second;
  OffsetRange all = bound(group.offset);
  return bytes[&group] = narrow(
             sum(all, {number(group.low), number(group.high), groupBits}),
             numberBits);
}

/// From the first byte of all groups of a base to the last one.
OffsetRange ApartRounds::Emitter::bytesOf(const SCEV *base) {
  OffsetRange all;
  for (const Group &group : rounds.groups) {
    if (group.base != base)
      continue;
    const OffsetRange own = bytesOf(group);
    all = all.low ? OffsetRange{lesser(all.low, own.low),
                                greater(all.high, own.high),
                                std::max(all.bits, own.bits)}
                  : own;
  }
  return all;
}

/// Rounds of one group meet if one of them accesses more bytes than lie between
/// it and the next one.
void ApartRounds::Emitter::meetIfWithin(const Group &group) {
  Walk walk;
  rounds.walkOf(group.offset, walk);
  OffsetRange bytes{number(group.low), number(group.high), groupBits};
  for (auto [step, count] : walk.inside)
    bytes = sum(bytes, steps(step, count));
  OffsetRange step =
      narrow(invariant(walk.ownStep, /*isSigned=*/true), factorBits);
  // The distance of any two rounds must not wrap either.
  steps(walk.ownStep, rounds.roundsOf(rounds.loop));
  Value *distance = greater(step.low, builder.CreateSub(number(0), step.low));
  bytes = narrow(bytes, numberBits);
  meetIf(builder.CreateICmpSLT(distance,
                               builder.CreateSub(bytes.high, bytes.low)));
}

/// Places are points of a circle of 2^64 bytes.
void ApartRounds::Emitter::meetIfOverlap(const SCEV *baseA,
                                         const OffsetRange &ofA,
                                         const SCEV *baseB,
                                         const OffsetRange &ofB) {
  auto place = [&](const SCEV *base, const OffsetRange &bytes) {
    return builder.CreateAdd(
        builder.CreatePtrToInt(expand(base), builder.getInt64Ty()), bytes.low);
  };
  auto length = [&](const OffsetRange &bytes) {
    return builder.CreateSub(bytes.high, bytes.low);
  };
  Value *apart = builder.CreateSub(place(baseB, ofB), place(baseA, ofA));
  Value *back = builder.CreateSub(number(0), apart);
  meetIf(builder.CreateICmpULT(apart, length(ofA)));
  meetIf(builder.CreateICmpULT(back, length(ofB)));
}

Value *ApartRounds::emitOverlap() {
  Emitter emitter(*this);
  for (auto [a, b] : pairs)
    emitter.meetIfOverlap(groups[a], groups[b]);
  return emitter.result();
}

void ApartRounds::markApart() const {
  MDBuilder builder(loop.getHeader()->getContext());
  MDNode *domain = builder.createAnonymousAliasScopeDomain("sluice.apart");
  SmallVector<Metadata *> scopes;
  for ([[maybe_unused]] const Group &group : groups)
    scopes.push_back(builder.createAnonymousAliasScope(domain, "group"));
  auto add = [&](Instruction &access, unsigned kind, ArrayRef<Metadata *> all) {
    if (!all.empty())
      access.setMetadata(
          kind, MDNode::concatenate(access.getMetadata(kind),
                                    MDNode::get(access.getContext(), all)));
  };
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block) {
      const auto found = groupOf.find(&inst);
      if (found == groupOf.end())
        continue;
      SmallVector<Metadata *> others;
      for (auto [a, b] : pairs)
        if (a == found->second || b == found->second)
          others.push_back(scopes[a == found->second ? b : a]);
      add(inst, LLVMContext::MD_noalias, others);
      if (!others.empty())
        add(inst, LLVMContext::MD_alias_scope, scopes[found->second]);
    }
}

Value *ApartRounds::emitMeet() {
  Emitter emitter(*this);
  for (const Group &group : groups)
    if (group.isWritten)
      emitter.meetIfWithin(group);
  for (auto [a, b] : pairs)
    emitter.meetIfOverlap(groups[a], groups[b]);
  for (auto [a, b] : bases)
    emitter.meetIfOverlap(a, b);
  return emitter.result();
}

} // namespace sluice::codegen
