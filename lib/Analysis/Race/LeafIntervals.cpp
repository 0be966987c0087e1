//===- LeafIntervals.cpp - Between which barriers accesses run ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All instances of a work-group pass the same barriers in the same order, and
// take uniform branches alike. So accesses x and y of different instances are
// ordered unless, with no barrier on the way,
//   * one can follow the other within one instance, or
//   * both can follow one branch that instances take differently.
// The accesses and those branches are the points from which all paths are
// walked here.
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
  /// How a path got where it is.
  struct State {
    const Instruction *next;
    /// It passed a barrier, or the back edge of a loop with barriers.
    bool isBehindBarrier, isNextTurn;
  };

  SmallVector<const Instruction *> points();
  void walk(unsigned number, const Instruction *start);
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

/// Walks all paths from `start`, and tells the accesses on them of it.
void IntervalFinder::walk(unsigned number, const Instruction *start) {
  std::set<std::tuple<const BasicBlock *, bool, bool>> seen;
  SmallVector<State> worklist = {{start, false, false}};
  SmallVector<unsigned> uncertain;
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
        auto add = [&](std::vector<unsigned> &list) {
          if (!is_contained(list, number))
            list.push_back(number);
        };
        if (!state.isBehindBarrier)
          add(access.intervals);
        if (!state.isBehindBarrier && state.isNextTurn)
          add(access.nextTurns);
        if (!state.isBehindBarrier && !state.isNextTurn)
          add(access.forward);
        if (state.isBehindBarrier && !state.isNextTurn)
          uncertain.push_back(index);
      }
    }
    for (const BasicBlock *next : successors(block)) {
      bool isNextTurn =
          state.isNextTurn || isBackEdgeOfBarrierLoop(block, next);
      // What follows a barrier in a later turn says nothing.
      if (state.isBehindBarrier && isNextTurn)
        continue;
      if (seen.insert({next, state.isBehindBarrier, isNextTurn}).second)
        worklist.push_back({&next->front(), state.isBehindBarrier, isNextTurn});
    }
  }
  // A barrier may stand between.
  for (unsigned index : uncertain)
    llvm::erase(effects.accesses[index].forward, number);
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
