//===- LeafIntervals.cpp - Barriers between accesses ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All instances of a work-group pass the same barriers in the same order, and
// take uniform branches in the same way. So accesses x and y of different
// instances are ordered unless, with no barrier in between,
//   * one can follow the other within one instance, or
//   * both can follow one branch that instances take differently.
// This file walks all paths that start at such points: the accesses and those
// branches.
//
//===----------------------------------------------------------------------===//

#include "LeafCode.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/InstanceUniformity.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <set>

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

static bool isBarrier(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && mayExecuteBarrier(*callee);
}

namespace {
class IntervalFinder {
public:
  IntervalFinder(Function &leaf, LeafEffects &effects,
                 ArrayRef<const Instruction *> origins,
                 ArrayRef<unsigned> divergentArguments,
                 FunctionAnalysisManager &analyses)
      : leaf(leaf), effects(effects), origins(origins),
        divergentArguments(divergentArguments),
        loops(analyses.getResult<LoopAnalysis>(leaf)),
        dominators(analyses.getResult<DominatorTreeAnalysis>(leaf)) {
    for (auto [index, origin] : enumerate(origins))
      accessesOf[origin].push_back(index);
  }

  void run();

private:
  /// The state of a path at its current position.
  struct State {
    const Instruction *next;
    /// It passed a barrier.
    bool isBehindBarrier;
    /// The number of times that the path passed the back edge of a loop with
    /// barriers, at most 2.
    unsigned turns;
  };

  SmallVector<const Instruction *> points();
  void walk(unsigned number, const Instruction *start);
  bool walkFreely(const Instruction &start,
                  SmallPtrSetImpl<const Instruction *> &met) const;
  void findSides();
  bool isBackEdgeOfBarrierLoop(const BasicBlock *from, const BasicBlock *to);

  Function &leaf;
  LeafEffects &effects;
  ArrayRef<const Instruction *> origins;
  ArrayRef<unsigned> divergentArguments;
  LoopInfo &loops;
  DominatorTree &dominators;
  DenseMap<const Instruction *, SmallVector<unsigned, 2>> accessesOf;
  SmallPtrSet<const Loop *, 4> barrierLoops;
};
} // namespace

bool IntervalFinder::isBackEdgeOfBarrierLoop(const BasicBlock *from,
                                             const BasicBlock *to) {
  const Loop *loop = loops.getLoopFor(to);
  return loop && loop->getHeader() == to && barrierLoops.contains(loop) &&
         dominators.dominates(to, from);
}

static void addOnce(std::vector<unsigned> &list, unsigned number) {
  if (!is_contained(list, number))
    list.push_back(number);
}

/// Walks all paths from `start`, and records `start` in the accesses on them.
void IntervalFinder::walk(unsigned number, const Instruction *start) {
  std::set<std::tuple<const BasicBlock *, bool, unsigned>> seen;
  SmallVector<State> worklist = {{start, false, 0}};
  SmallVector<unsigned> behind, nextBehind;
  while (!worklist.empty()) {
    State state = worklist.pop_back_val();
    const BasicBlock *block = state.next->getParent();
    for (const Instruction *instruction = state.next; instruction;
         instruction = instruction->getNextNode()) {
      state.isBehindBarrier |= isBarrier(*instruction);
      auto found = accessesOf.find(instruction);
      if (found == accessesOf.end())
        continue;
      for (unsigned index : found->second) {
        LeafAccess &access = effects.accesses[index];
        if (state.isBehindBarrier && state.turns < 2)
          (state.turns == 0 ? behind : nextBehind).push_back(index);
        if (state.isBehindBarrier)
          continue;
        addOnce(access.intervals, number);
        if (state.turns < 2)
          addOnce(state.turns == 0 ? access.forward : access.next, number);
      }
    }
    for (const BasicBlock *next : successors(block)) {
      unsigned turns =
          std::min(2u, state.turns + isBackEdgeOfBarrierLoop(block, next));
      if (state.isBehindBarrier && turns == 2)
        continue;
      if (seen.insert({next, state.isBehindBarrier, turns}).second)
        worklist.push_back({&next->front(), state.isBehindBarrier, turns});
    }
  }
  // There may be a barrier in between.
  for (unsigned index : behind)
    llvm::erase(effects.accesses[index].forward, number);
  for (unsigned index : nextBehind)
    llvm::erase(effects.accesses[index].next, number);
}

/// Walks on from `start` until there is a barrier, and collects accesses.
/// Returns true if the leaf ends there: if it does not return, no instance
/// waits for it.
bool IntervalFinder::walkFreely(
    const Instruction &start, SmallPtrSetImpl<const Instruction *> &met) const {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const Instruction *> worklist = {&start};
  bool isEnd = false;
  while (!worklist.empty()) {
    const Instruction *instruction = worklist.pop_back_val();
    while (instruction && hpvmIntrinsicName(*instruction) != "barrier") {
      if (accessesOf.contains(instruction))
        met.insert(instruction);
      isEnd |= isa<ReturnInst>(instruction);
      if (instruction->isTerminator())
        for (const BasicBlock *next : successors(instruction))
          if (seen.insert(next).second)
            worklist.push_back(&next->front());
      instruction = instruction->getNextNode();
    }
  }
  return isEnd;
}

/// Finds the sides of barriers on which accesses are.
void IntervalFinder::findSides() {
  SmallPtrSet<const Instruction *, 16> free, ignored;
  walkFreely(leaf.getEntryBlock().front(), free);
  effects.passesBarrier = alwaysExecutesBarrier(leaf);
  for (auto &[origin, indices] : accessesOf) {
    bool isBefore = !walkFreely(*origin, ignored);
    for (unsigned index : indices) {
      effects.accesses[index].isBehindBarrier = !free.contains(origin);
      effects.accesses[index].isBeforeBarrier = isBefore;
    }
  }
}

/// Accesses, and branches that instances of a work-group take differently.
SmallVector<const Instruction *> IntervalFinder::points() {
  SmallVector<const Instruction *> result;
  for (const Instruction *origin : origins)
    if (result.empty() || result.back() != origin)
      result.push_back(origin);
  InstanceUniformity uniformity(leaf, [this](const Value &value) {
    if (auto *argument = dyn_cast<Argument>(&value))
      return is_contained(divergentArguments, argument->getArgNo())
                 ? InstructionUniformity::NeverUniform
                 : InstructionUniformity::Default;
    auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction)
      return InstructionUniformity::Default;
    if (std::optional<Symbol> query = symbolOfQuery(value))
      return query->kind == Symbol::Kind::Id && query->index == 0
                 ? InstructionUniformity::NeverUniform
                 : InstructionUniformity::AlwaysUniform;
    return memoryUniformity(*instruction);
  });
  for (BasicBlock &block : leaf)
    if (uniformity.hasDivergentTerminator(block))
      result.push_back(block.getTerminator());
  return result;
}

void IntervalFinder::run() {
  for (const Instruction &instruction : instructions(leaf))
    if (isBarrier(instruction))
      for (const Loop *loop = loops.getLoopFor(instruction.getParent()); loop;
           loop = loop->getParentLoop())
        barrierLoops.insert(loop);
  for (auto [number, point] : enumerate(points()))
    walk(number, point);
  findSides();
  for (auto [origin, access] : zip(origins, effects.accesses))
    for (const Loop *loop = loops.getLoopFor(origin->getParent()); loop;
         loop = loop->getParentLoop())
      if (barrierLoops.contains(loop))
        access.barrierLoops.push_back(loopNumber(*loop, loops));
}

void races::findIntervals(Function &leaf, LeafEffects &effects,
                          ArrayRef<const Instruction *> instructions,
                          ArrayRef<unsigned> divergentArguments,
                          FunctionAnalysisManager &analyses) {
  IntervalFinder(leaf, effects, instructions, divergentArguments, analyses)
      .run();
}
