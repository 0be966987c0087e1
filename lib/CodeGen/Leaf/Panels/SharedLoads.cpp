//===- SharedLoads.cpp - Loads that do not depend on the row --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances do not write what others read, so copies stay valid while rows run.
// Memory that an instance itself writes before it reads is not copied.
//
//===----------------------------------------------------------------------===//

#include "SharedLoads.h"
#include "../Group/InstanceLoops.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace sluice::codegen {

namespace {

/// Examines one loop of rounds.
class SharedFinder {
public:
  SharedFinder(Loop &column, Loop &rounds, Instruction &choice)
      : column(column), choice(choice), result{&rounds, {}, {}} {}

  bool find();

  SharedLoads take() { return std::move(result); }

private:
  Loop &column;
  Instruction &choice;
  SharedLoads result;
  SmallVector<Loop *> rowLoops;

  bool isStraight(Loop &loop);
  bool addNest(Loop &outermost);
  bool addLoopConditions(Loop &loop);
  bool add(Value *value, SmallSetVector<Instruction *, 16> &needed) const;
  bool addInside(Instruction &instruction,
                 SmallSetVector<Instruction *, 16> &needed) const;
  PHINode *findIndex(Loop &line);
  void addLoads(SharedNest &nest);
};

} // namespace

static bool isOverInstances(const Loop &loop) {
  return isInstanceLoop(loop.getLoopID());
}

/// Memory of one instance or of one tile.
static bool isPrivate(const Value *pointer) {
  SmallVector<const Value *> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects, [](const Value *object) {
    return isa<AllocaInst>(object) || isNoAliasCall(object);
  });
}

/// True if the instruction has no effect that others could see, and does not
/// wait for others.
static bool isSilent(const Instruction &instruction) {
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple() && isPrivate(store->getPointerOperand());
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return intrinsic->isAssumeLikeIntrinsic() ||
           !intrinsic->mayReadOrWriteMemory();
  return !instruction.mayReadOrWriteMemory();
}

/// Whether all blocks of the loop run in each round: branches only go back or
/// out.
bool SharedFinder::isStraight(Loop &loop) {
  if (!loop.getLoopPreheader() || !loop.getLoopLatch() ||
      !loop.getExitingBlock() || !loop.getExitBlock())
    return false;
  BasicBlock *exiting = loop.getExitingBlock();
  if (exiting != loop.getLoopLatch() &&
      (isOverInstances(loop) || exiting != loop.getHeader()))
    return false;
  for (BasicBlock *block : loop.blocks()) {
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    bool isInner = any_of(loop, [&](Loop *in) { return in->contains(block); });
    if (!isInner && (!branch || (branch->isConditional() && block != exiting)))
      return false;
    if (!all_of(*block, isSilent))
      return false;
  }
  return all_of(loop, [&](Loop *inner) { return isStraight(*inner); });
}

/// Adds everything that `value` is computed from. Returns false if it depends
/// on the row, or on something that copies must not assume.
bool SharedFinder::add(Value *value,
                       SmallSetVector<Instruction *, 16> &needed) const {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || needed.contains(instruction) ||
      result.needed.contains(instruction))
    return true;
  if (result.rounds->contains(instruction))
    return addInside(*instruction, needed);
  bool changed = false;
  return column.makeLoopInvariant(instruction, changed, &choice);
}

bool SharedFinder::addInside(Instruction &instruction,
                             SmallSetVector<Instruction *, 16> &needed) const {
  if (isa<PHINode>(instruction)) {
    if (any_of(rowLoops, [&](const Loop *rows) {
          return rows->getHeader() == instruction.getParent();
        }))
      return false;
  } else if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    if (isPrivate(load->getPointerOperand()))
      return false;
  } else if (!isSafeToSpeculativelyExecute(&instruction)) {
    return false;
  }
  needed.insert(&instruction);
  return all_of(instruction.operands(),
                [&](Use &operand) { return add(operand.get(), needed); });
}

/// Rows run once when copies are made, so their counters are not needed.
bool SharedFinder::addLoopConditions(Loop &loop) {
  if (!is_contained(rowLoops, &loop)) {
    auto *branch = cast<BranchInst>(loop.getExitingBlock()->getTerminator());
    SmallSetVector<Instruction *, 16> needed;
    if (!add(branch->getCondition(), needed))
      return false;
    result.needed.insert_range(needed);
  }
  return all_of(loop, [&](Loop *inner) { return addLoopConditions(*inner); });
}

bool SharedFinder::addNest(Loop &outermost) {
  if (!isOverInstances(outermost))
    return all_of(outermost, [&](Loop *inner) { return addNest(*inner); });
  Loop *line = &outermost;
  while (line->getSubLoops().size() == 1)
    line = line->getSubLoops().front();
  if (!line->isInnermost() || line == &outermost || !isOverInstances(*line))
    return false;
  result.nests.push_back(
      {&outermost, line->getParentLoop(), line, nullptr, {}});
  rowLoops.push_back(line->getParentLoop());
  return true;
}

/// The number of an instance in its row, which the line counts one by one.
PHINode *SharedFinder::findIndex(Loop &line) {
  BasicBlock *before = line.getLoopPreheader(), *latch = line.getLoopLatch();
  for (PHINode &phi : line.getHeader()->phis()) {
    Value *next = phi.getIncomingValueForBlock(latch);
    SmallSetVector<Instruction *, 16> needed;
    if (match(next, m_c_Add(m_Specific(&phi), m_One())) &&
        add(phi.getIncomingValueForBlock(before), needed)) {
      result.needed.insert_range(needed);
      return &phi;
    }
  }
  return nullptr;
}

static bool dependsOn(const Value *value, const BasicBlock &header,
                      SmallPtrSetImpl<const Value *> &seen) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !seen.insert(instruction).second)
    return false;
  if (isa<PHINode>(instruction) && instruction->getParent() == &header)
    return true;
  return any_of(instruction->operands(), [&](const Use &operand) {
    return dependsOn(operand.get(), header, seen);
  });
}

void SharedFinder::addLoads(SharedNest &nest) {
  nest.index = findIndex(*nest.line);
  if (!nest.index)
    return;
  for (BasicBlock *block : nest.line->blocks())
    for (Instruction &instruction : *block) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || isPrivate(load->getPointerOperand()))
        continue;
      SmallSetVector<Instruction *, 16> needed;
      SmallPtrSet<const Value *, 16> seen;
      if (!dependsOn(load, *nest.line->getHeader(), seen) ||
          !add(load->getPointerOperand(), needed))
        continue;
      result.needed.insert_range(needed);
      nest.loads.push_back(load);
    }
}

bool SharedFinder::find() {
  Loop &rounds = *result.rounds;
  if (!isStraight(rounds) || !addNest(rounds) || !addLoopConditions(rounds))
    return false;
  for (SharedNest &nest : result.nests)
    addLoads(nest);
  return any_of(result.nests,
                [](const SharedNest &nest) { return !nest.loads.empty(); });
}

/// Checks that blocks on the way from the header of `column` to `rounds` write
/// no memory that others may see.
static bool isSilentBefore(const Loop &column, const Loop &rounds) {
  SmallVector<const BasicBlock *> worklist{rounds.getLoopPreheader()};
  SmallPtrSet<const BasicBlock *, 16> seen{worklist.front()};
  while (!worklist.empty()) {
    const BasicBlock *block = worklist.pop_back_val();
    if (!all_of(*block, isSilent))
      return false;
    if (block == column.getHeader())
      continue;
    for (const BasicBlock *before : predecessors(block))
      if (seen.insert(before).second)
        worklist.push_back(before);
  }
  return true;
}

std::vector<SharedLoads> findSharedLoads(Loop &column, const BasicBlock &full,
                                         const PostDominatorTree &ends,
                                         Instruction &choice) {
  std::vector<SharedLoads> result;
  for (Loop *rounds : column) {
    if (isOverInstances(*rounds) || !rounds->getLoopPreheader() ||
        !ends.dominates(rounds->getHeader(), &full) ||
        !isSilentBefore(column, *rounds))
      continue;
    SharedFinder finder(column, *rounds, choice);
    if (finder.find())
      result.push_back(finder.take());
  }
  return result;
}

SmallVector<Loop *> loopsAround(const SharedNest &nest,
                                const SharedLoads &shared) {
  SmallVector<Loop *> result;
  for (Loop *loop = nest.outermost; loop != shared.rounds;)
    result.push_back(loop = loop->getParentLoop());
  return result;
}

} // namespace sluice::codegen
