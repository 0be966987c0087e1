//===- Rehearsal.cpp - From the start of a program to its end -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is started without arguments, by one thread.
//
//===----------------------------------------------------------------------===//

#include "RehearsalState.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

const std::map<const BasicBlock *, SimdLoop> &
RehearsalRun::simdLoopsOf(Function &function) {
  auto &known = simdLoops[&function];
  if (known)
    return *known;
  known = std::make_unique<std::map<const BasicBlock *, SimdLoop>>();
  DominatorTree tree(function);
  LoopInfo loops(tree);
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    const MDNode *id = loop->getLoopID();
    if (!id || !getBooleanLoopAttribute(loop, "llvm.loop.vectorize.enable"))
      continue;
    SimdLoop &simd = (*known)[loop->getHeader()];
    simd.latch = loop->getLoopLatch();
    simd.blocks.insert_range(loop->blocks());
    bool isFree = findOptionMDForLoop(loop, "llvm.loop.parallel_accesses");
    if (auto width =
            getOptionalIntLoopAttribute(loop, "llvm.loop.vectorize.width");
        width && !isFree)
      simd.safeLength = *width;
  }
  return *known;
}

void RehearsalRun::endLanes(Thread &thread) {
  const Thread::Lanes &lanes = thread.lanes.back();
  thread.phase = lanes.phase;
  thread.strand = lanes.strand;
  thread.own = lanes.own;
  thread.lanes.pop_back();
}

void RehearsalRun::enterLanes(Thread &thread, const BasicBlock *previous,
                              const BasicBlock *next) {
  size_t depth = thread.frames.size();
  while (!thread.lanes.empty() && thread.lanes.back().depth == depth &&
         !thread.lanes.back().loop->blocks.contains(next))
    endLanes(thread);
  const auto &loops = simdLoopsOf(*thread.frames.back().function);
  auto found = loops.find(next);
  if (found == loops.end())
    return;
  const SimdLoop &loop = found->second;
  bool isIn = !thread.lanes.empty() && thread.lanes.back().loop == &loop &&
              thread.lanes.back().depth == depth;
  if (!isIn || !loop.blocks.contains(previous)) {
    FollowedTeam &team = teams.emplace_back();
    team.parent = thread.strand;
    team.depth = thread.strand->phase->team->depth + 1;
    team.isParallel = true;
    team.safeLength = loop.safeLength;
    if (loop.latch)
      result.reached.insert(placeOf(*loop.latch->getTerminator()));
    thread.lanes.push_back(
        {depth, &loop, thread.phase, thread.strand, thread.own, 0});
    thread.phase = newPhase(&team);
  } else {
    ++thread.lanes.back().iteration;
  }
  Strand *strand = newStrand(thread.phase, thread, Unit::Lane);
  strand->stack = thread.lanes.back().strand->stack;
  strand->thread = thread.lanes.back().strand->thread;
  strand->construct = 1;
  strand->iteration = thread.lanes.back().iteration;
  thread.strand = thread.own = strand;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

Rehearsal RehearsalRun::run() {
  Function *main = module.getFunction("main");
  if (!main || main->isDeclaration() || main->arg_size() > 2)
    return result;
  result.isDone = true;
  FollowedTeam &team = teams.emplace_back();
  Thread thread;
  thread.team = &team;
  thread.stack = ++numStacks;
  thread.phase = newPhase(&team);
  thread.strand = thread.own = newStrand(thread.phase, thread, Unit::Thread);
  thread.context = thread.ownContext = &contexts.emplace_back();
  sliceEnd = UINT64_MAX;
  if (const GlobalVariable *starts =
          module.getGlobalVariable("llvm.global_ctors", /*AllowInternal=*/true);
      starts && starts->hasInitializer())
    if (const auto *list = dyn_cast<ConstantArray>(starts->getInitializer()))
      for (const Use &use : list->operands())
        if (auto *function = dyn_cast<Function>(
                cast<Constant>(use.get())->getAggregateElement(1u)))
          callNow(thread, *function, {});
  // As it is started without arguments.
  uint64_t name = allocate(8, "", nullptr), list = allocate(16, "", nullptr);
  poke(list, name, 8);
  objects[list].depends.assign(16, Input);
  objects[name].depends.assign(8, Input);
  if (!isStopped)
    push(thread, *main,
         {FollowedNumber{1, 0, Input}, FollowedNumber{list, 0, None}}, nullptr);
  if (!isStopped)
    execute(thread, 0);
  return result;
}

Rehearsal sluice::rehearse(Module &module) {
  Learnt learnt;
  constexpr unsigned mostRuns = 4;
  Rehearsal result;
  for (unsigned i = 0; i != mostRuns; ++i) {
    size_t known = learnt.size();
    result = RehearsalRun(module, learnt).run();
    // With what it has learnt there are less races, but not less doubts.
    bool isUseless = result.races.empty() && !result.reason.empty();
    if (learnt.size() == known || isUseless)
      return result;
  }
  result.races.clear();
  result.reason = "too much depends on the order of threads";
  return result;
}
