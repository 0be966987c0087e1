//===- Rehearsal.cpp - From the start of a program to its end -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread starts the program, without arguments.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/IR/Constants.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

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
    // Functions of equal priority run in the order of the list.
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
  // The program has no arguments.
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
  learnt.numSteps += numSteps;
  return result;
}

Rehearsal sluice::rehearse(Module &module, bool isBrief) {
  constexpr uint64_t mostSteps = 20000000, mostOfBrief = 500000;
  Learnt learnt;
  constexpr unsigned mostRuns = 4;
  Rehearsal result;
  for (unsigned i = 0; i != mostRuns; ++i) {
    size_t known = learnt.size();
    result =
        RehearsalRun(module, learnt, isBrief ? mostOfBrief : mostSteps).run();
    // What was learnt may remove races, but not doubts.
    bool isUseless = result.races.empty() && !result.reason.empty();
    if (learnt.size() == known || isUseless)
      return result;
  }
  result.races.clear();
  result.reasonPlace = {};
  result.reason = "too much depends on the order of threads";
  return result;
}
