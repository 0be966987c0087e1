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

std::map<const BasicBlock *, SimdLoop> &
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
  auto &loops = simdLoopsOf(*thread.frames.back().function);
  auto found = loops.find(next);
  if (found == loops.end())
    return;
  SimdLoop &loop = found->second;
  bool isIn = !thread.lanes.empty() && thread.lanes.back().loop == &loop &&
              thread.lanes.back().depth == depth;
  if (!isIn || !loop.blocks.contains(previous)) {
    FollowedTeam &team = teams.emplace_back();
    team.parent = thread.strand;
    team.depth = thread.strand->phase->team->depth + 1;
    team.numLevels = thread.team->numLevels;
    team.isParallel = true;
    team.safeLength = loop.safeLength;
    team.loop = &loop;
    team.locks = thread.lockSet;
    if (team.depth > deepestTeam)
      stop("its teams are too deep in each other");
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
  strand->construct = 1;
  strand->iteration = thread.lanes.back().iteration;
  thread.strand = thread.own = strand;
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

Rehearsal RehearsalRun::run() {
  for (Function &function : module)
    functions[reinterpret_cast<uint64_t>(&function)] = &function;
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
  auto listOf = [&](StringRef name) {
    // Those of one priority are in the order in which they are listed.
    std::multimap<uint64_t, Function *> list;
    if (const GlobalVariable *functions =
            module.getGlobalVariable(name, /*AllowInternal=*/true);
        functions && functions->hasInitializer())
      if (const auto *array =
              dyn_cast<ConstantArray>(functions->getInitializer()))
        for (const Use &use : array->operands()) {
          const auto *entry = cast<Constant>(use.get());
          if (auto *function =
                  dyn_cast<Function>(entry->getAggregateElement(1u)))
            list.insert({cast<ConstantInt>(entry->getAggregateElement(0u))
                             ->getZExtValue(),
                         function});
        }
    return list;
  };
  for (auto [priority, function] : listOf("llvm.global_ctors"))
    callNow(thread, *function, {});
  if (!listOf("llvm.global_dtors").empty())
    doubt("it goes on when its main function is over");
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
  while (!isStopped && !atExit.empty()) {
    auto [function, argument] = atExit.back();
    atExit.pop_back();
    callNow(thread, *function, argument);
  }
  return result;
}

Rehearsal sluice::rehearse(Module &module) {
  return RehearsalRun(module).run();
}
