//===- LaneRows.cpp - Neighbours of each lane -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads move up to the first of their row and stores down to the last, over
// nothing that may access the same memory.
//
//===----------------------------------------------------------------------===//

#include "LaneRows.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace sluice::codegen {

/// Elements between lanes up to which rows are accessed as one.
static constexpr unsigned longestPeriod = 4;
/// Elements between the first access of a row and any other.
static constexpr int64_t farthest = 64;
/// Rounds of a loop that are a row, and instructions of all of them.
static constexpr unsigned fewestRounds = 4, longestRow = 16, mostUnrolled = 600;
/// Registers whose elements are merged at a time.
static constexpr uint64_t mostMerged = 16;
/// Rows of a block that may get longer at a time, which bounds the work.
static constexpr size_t mostOpen = 32;

std::optional<unsigned> LaneRow::period() const {
  int64_t bytes = anchor->getDataLayout().getTypeStoreSize(type());
  if (!stride || *stride <= 0 || *stride % bytes != 0)
    return std::nullopt;
  int64_t elements = *stride / bytes;
  if (elements > longestPeriod || size() > elements ||
      (!isLoad() && size() != elements))
    return std::nullopt;
  return unsigned(elements);
}

/// A row that may get longer.
struct LaneRows::Open {
  Instruction *leader;
  SmallVector<std::pair<int64_t, Instruction *>> members;

  bool isLoad() const { return isa<LoadInst>(leader); }
  /// All that the row may access, whatever types its members have.
  MemoryLocation location() const {
    AAMDNodes scopes;
    scopes.Scope = leader->getMetadata(LLVMContext::MD_alias_scope);
    scopes.NoAlias = leader->getMetadata(LLVMContext::MD_noalias);
    for (auto [offset, access] : members)
      scopes = scopes.intersect(access->getAAMetadata());
    return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(leader),
                                            scopes);
  }
};

LaneRows::LaneRows(const LaneRegions &regions, const LaneShapes &shapes,
                   const TargetTransformInfo &target,
                   ScalarEvolution &evolution, AAResults &aliases, bool goAlong)
    : numBytes(
          target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
              .getFixedValue() /
          8) {
  for (BasicBlock *block : regions.blocks())
    if (shapes.isForAll(block))
      addBlock(*block, shapes, evolution, aliases);
  for (Loop *loop : regions.outer().getLoopsInPreorder())
    if (goAlong && loop != &regions.outer() && !shapes.isDivergent(loop) &&
        shapes.isForAll(loop->getHeader()))
      addLoop(*loop, shapes, evolution);
}

/// Accesses that are alone in their round are rows of several rounds.
void LaneRows::addLoop(Loop &loop, const LaneShapes &shapes,
                       ScalarEvolution &evolution) {
  if (loop.getNumBlocks() != 1 ||
      hasUnrollTransformation(&loop) == TM_SuppressedByUser ||
      isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(&loop)))
    return;
  BasicBlock &block = *loop.getHeader();
  SmallVector<Instruction *> found;
  unsigned widest = 0;
  for (Instruction &inst : block) {
    Value *pointer = getLoadStorePointerOperand(&inst);
    if (!pointer || shapes.ownMemory().contains(pointer) || rowOf(inst))
      continue;
    unsigned bytes =
        inst.getDataLayout().getTypeStoreSize(getLoadStoreType(&inst));
    std::optional<int64_t> stride = shapes.stride(pointer);
    const auto *place = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(pointer));
    const auto *step =
        place && place->getLoop() == &loop && place->isAffine()
            ? dyn_cast<SCEVConstant>(place->getStepRecurrence(evolution))
            : nullptr;
    if (!step || step->getAPInt().abs() != bytes || stride == 0 ||
        stride == bytes || stride == -int64_t(bytes))
      continue;
    found.push_back(&inst);
    widest = std::max(widest, bytes);
  }
  unsigned rounds = evolution.getSmallConstantTripCount(&loop);
  if (found.empty() || (rounds != 0 && rounds < fewestRounds))
    return;
  unsigned count = std::min(numBytes / widest, longestRow);
  if (rounds != 0)
    count = std::min(count, rounds);
  while (count > 1 && count * block.size() > mostUnrolled)
    count /= 2;
  if (count < fewestRounds)
    return;
  along.push_back({&loop, count});
  for (Instruction *inst : found)
    add({.accesses = {inst},
         .numRounds = count,
         .anchor = inst,
         .offset = 0,
         .stride = shapes.stride(getLoadStorePointerOperand(inst))});
}

SmallVector<Instruction *> LaneRows::accessesAlong() const {
  SmallVector<Instruction *> result;
  for (const LaneRow &row : rows)
    if (row.numRounds > 1)
      result.append(row.accesses.begin(), row.accesses.end());
  return result;
}

void LaneRows::add(LaneRow row) {
  for (const Instruction *access : row.accesses)
    numbers[access] = rows.size();
  rows.push_back(std::move(row));
}

/// Elements side by side, as many as fill a register, are a row; without known
/// neighbours their number is a power of two.
void LaneRows::close(Open &open, const LaneShapes &shapes) {
  sort(open.members);
  const Value *pointer = getLoadStorePointerOperand(open.leader);
  int64_t bytes = open.leader->getDataLayout().getTypeStoreSize(
      getLoadStoreType(open.leader));
  size_t most = numBytes / bytes;
  ArrayRef<std::pair<int64_t, Instruction *>> left = open.members;
  while (!left.empty()) {
    size_t length = 1;
    while (length < left.size() && length < most &&
           left[length].first == left[length - 1].first + bytes)
      ++length;
    LaneRow row;
    auto take = [&](size_t number) {
      row.accesses.clear();
      row.anchor = nullptr;
      for (auto [offset, access] : left.take_front(number)) {
        row.accesses.push_back(access);
        bool isAnchor =
            !row.anchor || access->comesBefore(row.anchor) == open.isLoad();
        if (!isAnchor)
          continue;
        row.anchor = access;
        row.offset = left.front().first - offset;
      }
      row.stride = shapes.stride(pointer);
    };
    take(length);
    if (!row.period()) {
      length = bit_floor(length);
      take(length);
    }
    if (length > 1 || row.period())
      add(row);
    left = left.drop_front(length);
  }
}

/// How far `access` is behind the first one of a row that it makes longer.
std::optional<int64_t> LaneRows::distanceOf(Instruction &access,
                                            const Open &open,
                                            ScalarEvolution &evolution) {
  Type *type = getLoadStoreType(&access);
  if (open.leader->getOpcode() != access.getOpcode() ||
      getLoadStoreType(open.leader) != type)
    return std::nullopt;
  std::optional<APInt> distance = evolution.computeConstantDifference(
      evolution.getSCEV(getLoadStorePointerOperand(&access)),
      evolution.getSCEV(getLoadStorePointerOperand(open.leader)));
  int64_t bytes = access.getDataLayout().getTypeStoreSize(type);
  if (!distance || distance->abs().ugt(uint64_t(farthest * bytes)))
    return std::nullopt;
  int64_t result = distance->getSExtValue();
  bool isTaken = any_of(
      open.members, [&](const auto &member) { return member.first == result; });
  return isTaken || result % bytes != 0 ? std::nullopt : std::optional(result);
}

void LaneRows::addBlock(BasicBlock &block, const LaneShapes &shapes,
                        ScalarEvolution &evolution, AAResults &aliases) {
  SmallVector<Open> all;
  auto closeIf = [&](function_ref<bool(const Open &)> isMet) {
    SmallVector<Open> others;
    for (Open &open : all)
      if (isMet(open))
        close(open, shapes);
      else
        others.push_back(std::move(open));
    all = std::move(others);
  };
  const DataLayout &layout = block.getDataLayout();
  for (Instruction &inst : block) {
    Value *pointer = getLoadStorePointerOperand(&inst);
    if (!inst.mayReadOrWriteMemory() || inst.isDebugOrPseudoInst() ||
        inst.isLifetimeStartOrEnd() || shapes.ownMemory().contains(pointer))
      continue;
    std::optional<int64_t> stride;
    int64_t bytes = 0;
    if (pointer) {
      bytes = layout.getTypeStoreSize(getLoadStoreType(&inst));
      stride = shapes.stride(pointer);
    }
    bool isApart =
        pointer && stride != 0 && stride != bytes && stride != -bytes;
    const Instruction *leader = nullptr;
    int64_t place = 0;
    for (const Open &open : all) {
      std::optional<int64_t> distance =
          isApart ? distanceOf(inst, open, evolution) : std::nullopt;
      // Shapes may know less of one address than of the other.
      if (!distance ||
          stride != shapes.stride(getLoadStorePointerOperand(open.leader)))
        continue;
      leader = open.leader;
      place = *distance;
      break;
    }
    closeIf([&](const Open &open) {
      return open.leader != leader &&
             (!open.isLoad() || inst.mayWriteToMemory()) &&
             isModOrRefSet(aliases.getModRefInfo(&inst, open.location()));
    });
    if (!leader && isApart) {
      if (all.size() == mostOpen) {
        close(all.front(), shapes);
        all.erase(all.begin());
      }
      all.push_back({&inst, {{0, &inst}}});
    }
    for (Open &open : all)
      if (leader && open.leader == leader)
        open.members.push_back({place, &inst});
  }
  closeIf([](const Open &) { return true; });
}

bool LaneRows::fitRegisters(unsigned numLanes) const {
  return all_of(rows, [&](const LaneRow &row) {
    uint64_t bytes = row.anchor->getDataLayout().getTypeStoreSize(row.type());
    return row.period() ||
           numLanes * row.size() * bytes <= mostMerged * numBytes;
  });
}

double LaneRows::cost(const LaneRow &row, unsigned numLanes) const {
  double bytes = row.anchor->getDataLayout().getTypeStoreSize(row.type());
  double registers = std::max(1.0, numLanes * bytes / numBytes);
  if (std::optional<unsigned> period = row.period())
    return registers * *period / row.size() + registers * *period;
  unsigned steps = Log2_32(row.isLoad() ? numLanes : row.size());
  double rows = double(numLanes) / row.size();
  bool isDense = row.stride == int64_t(row.size() * bytes);
  return registers * steps + (row.isLoad() ? rows * (row.stride ? 1 : 2)
                              : isDense    ? registers
                                           : rows * (row.stride ? 2 : 3));
}

} // namespace sluice::codegen
