//===- LowerOpenMP.cpp - Loops of OpenMP to canonical HPVM IR -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each loop that a team shares becomes a graph of one node, with an instance
// for each iteration. Beside the call that starts the team, which stays, the
// host gets code that launches the graphs in its place.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLowering.h"
#include "sluice/Analysis/Races.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

/// How many iterations in a row are one thread's: see OpenMPGraph::chunk.
static int64_t chunkOf(const CallBase &start) {
  bool isStatic = calledRuntime(start).starts_with("__kmpc_for_static_init_");
  const auto *kind = dyn_cast<ConstantInt>(start.getArgOperand(2));
  const auto *length =
      dyn_cast<ConstantInt>(start.getArgOperand(isStatic ? 8 : 6));
  if (!kind)
    return 1;
  return rehearsal::chunkOf(kind->getZExtValue(),
                            length ? std::optional(length->getSExtValue())
                                   : std::nullopt,
                            rehearsal::directiveOf(start, placeOf(start)));
}

void Lowering::addGraph(TakenTeam &team, Iterations &iterations,
                        const CallInst &start) {
  LoopGraph &graph = team.loops.emplace_back();
  makeGraph(*team.fork, iterations, graph);
  team.waitsInThreads |= gainsFromThreads(*graph.leaf, start);
  // Only those iterations meet that are not in order.
  graph.summary.chunk = chunkOf(start);
  if (graph.summary.chunk != 1)
    graph.leaf->addFnAttr(chunkAttribute, std::to_string(graph.summary.chunk));
}

/// Loops that stand one after the other, with nothing beside.
Reason Lowering::takeLoops(Function &work, TakenTeam &team) {
  Reason reason;
  std::vector<SharedLoop> loops = findSharedLoops(work, reason);
  if (reason.empty() && loops.empty())
    reason = "shares no loop";
  if (reason.empty() &&
      any_of(loops, [](const SharedLoop &loop) { return loop.isRepeated; }))
    reason = "shares a loop again and again";
  if (reason.empty())
    reason = findWorkAround(work, analyses);
  if (reason.empty())
    reason = findCarried(work, analyses);
  if (reason.empty() && !haveBarriers(work, loops))
    reason = "does not wait between its loops";
  if (reason.empty() &&
      (loops.size() > 1 || hasEarlyBarrier(work, loops.front())))
    reason = findExchange(work, analyses);
  std::vector<Iterations> iterations(reason.empty() ? loops.size() : 0);
  for (auto [index, loop] : enumerate(iterations)) {
    loop = makeIterations(work, loops, index, analyses, reason);
    if (!reason.empty())
      break;
    reason = calls.check(*loop.iteration);
    if (reason.empty())
      reason = calls.check(*loop.count);
    team.needsThreads = !reason.empty();
    if (team.needsThreads)
      break;
  }
  for (auto [index, loop] : enumerate(iterations)) {
    if (reason.empty()) {
      if (loop.meetsIdle)
        leave(*loops[index].start,
              "a thread that gets no iteration of this loop may read around "
              "it what the only iteration writes");
      addGraph(team, loop, *loops[index].start);
    } else {
      discard(loop);
    }
  }
  return reason;
}

/// Loops with code around them, which the host runs.
Reason Lowering::takeRegion(Function &work, TakenTeam &team) {
  ParallelRegion region(work, *team.fork, variables, analyses);
  Reason reason = region.read();
  if (!reason.empty())
    return reason;
  HostRegion made = makeHostRegion(region, analyses, reason);
  if (!reason.empty())
    return reason;
  if (none_of(made.launches, [](const WeakVH &launch) { return launch; }))
    reason = "shares no loop";
  if (reason.empty())
    reason = calls.check(*made.host);
  for (const Iterations &part : made.parts)
    if (reason.empty())
      reason = calls.check(*part.iteration);
  if (!reason.empty()) {
    for (Iterations &part : made.parts)
      discard(part);
    discard(made.host);
    eraseStandIns(module);
    return reason;
  }
  team.host = made.host;
  for (auto [part, iterations, handle] :
       zip(region.parts, made.parts, made.launches)) {
    auto *launch = cast_or_null<CallInst>(handle);
    if (!launch) {
      discard(iterations);
      continue;
    }
    team.launches.push_back(launch);
    iterations.place = part.loop.start;
    stateCount(*iterations.iteration, *launch);
    addGraph(team, iterations, *part.loop.start);
  }
  return {};
}

Reason Lowering::take(CallInst &fork) {
  auto *outlined = dyn_cast<Function>(fork.getArgOperand(2));
  if (!outlined || outlined->isDeclaration() ||
      outlined->arg_size() + 1 != fork.arg_size())
    return "is started in an unusual way";
  Function *work = copyTeam(*outlined);
  variables.noteDistinct(*work, fork);
  variables.noteLengths(*work, fork);
  TakenTeam team{.fork = &fork};
  Reason reason = takeLoops(*work, team);
  if (!reason.empty() && !team.needsThreads && !loopsWithSinks(*work))
    reason = takeRegion(*work, team);
  analyses.functions.clear(*work, work->getName());
  work->eraseFromParent();
  if (reason.empty())
    launch(team);
  return reason;
}

void Lowering::run() {
  // A check may take its time, and code of others has no start.
  if (hasRemarks && !isUnit && module.getFunction("main"))
    summary.whole = CloneModule(module);
  // The check of a run knows what clang makes of 'lastprivate'.
  summary.isImproved = keepLastAssigned(module);
  if (hasRemarks) {
    leaveLastValues();
    leaveFirstValues();
    leaveScans();
  }
  joinLeagues(module);
  joinTaskLoops(module, calls);
  SmallVector<CallInst *> forks;
  for (Function &function : module) {
    if (!function.getName().contains(".omp"))
      leaveVectors(function);
    for (Instruction &instruction : instructions(function)) {
      StringRef name = calledRuntime(instruction);
      if (name == "__kmpc_fork_call")
        forks.push_back(cast<CallInst>(&instruction));
      else if (name == "__kmpc_fork_teams" || name.starts_with("__tgt_target"))
        leave(instruction, "", "teams and devices are LLVM's library's");
    }
  }
  if (!forks.empty())
    useMutexes(module);
  for (const GlobalVariable &variable : module.globals())
    if (isOnlyNamed(variable) || isMutex(variable))
      summary.named.insert(variable.getName().str());
  for (const CallInst *fork : forks)
    variables.read(*fork->getFunction());
  SmallVector<CallInst *> left;
  for (CallInst *fork : forks)
    if (Reason reason = take(*fork); !reason.empty()) {
      leave(*fork,
            "this parallel region runs on LLVM's OpenMP library, since it ",
            reason);
      left.push_back(fork);
    }
  for (CallInst *fork : left)
    summary.isImproved |= runAlone(*fork);
  summary.isImproved |= askForLast(module);
  summary.isImproved |= shareChunksAtOnce(module);
  summary.isImproved |= wakeBeforePauses(module);
  if (summary.graphs.empty())
    return;
  prepareProgram();
  for (CallInst *fork : left)
    wakeThreads(*fork);
}

OpenMPSummary sluice::lowerOpenMP(std::unique_ptr<Module> &program,
                                  bool hasRemarks, Diagnostics &diagnostics,
                                  bool isUnit) {
  // Directives without a team leave no other trace.
  bool isUsed = any_of(*program, [](const Function &function) {
    return function.isDeclaration() &&
           function.getName().starts_with("__kmpc_");
  });
  NamedMDNode *flags = program->getModuleFlagsMetadata();
  bool isOpenMP = flags && program->getModuleFlag("openmp");
  if (!isUsed && !isOpenMP)
    return {};
  CompiledUnit unit;
  unit.module = std::move(program);
  Lowering lowering(unit, hasRemarks, diagnostics, isUnit);
  lowering.run();
  program = std::move(unit.module);
  return std::move(lowering.summary);
}

void sluice::leaveToTeam(Module &program, const OpenMPGraph &graph) {
  if (GlobalVariable *choice =
          program.getGlobalVariable(graph.choice, /*AllowInternal=*/true))
    choice->setInitializer(
        ConstantInt::get(Type::getInt32Ty(program.getContext()), 0));
}
