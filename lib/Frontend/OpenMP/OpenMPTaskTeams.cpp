//===- OpenMPTaskTeams.cpp - Teams that run tasks of loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of which one thread makes tasks of loops has nothing else to do than
// their iterations, if that thread waits for them. So the host does what the
// thread does, and starts a team for each loop.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTaskLoops.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

namespace {
/// A team of which one thread makes tasks of loops.
class TaskTeam {
public:
  TaskTeam(CallInst &fork, CallCheck &calls) : fork(fork), calls(calls) {}

  bool read();
  void join();
  void discardCode();

private:
  bool readCalls();
  bool readSolo();
  bool readWishes();
  void runSolo();

  CallInst &fork;
  CallCheck &calls;
  Function *host = nullptr;
  CallInst *solo = nullptr, *wish = nullptr;
  SmallVector<Instruction *> dropped;
  std::vector<TaskLoop> loops;
};
} // namespace

/// Whether the thread waits for a loop right behind it, in a group of the
/// loop's own.
static bool isWaitedFor(const CallInst &start) {
  auto findGroup = [&](bool isForward) -> StringRef {
    SmallPtrSet<const Instruction *, 32> seen;
    for (const Instruction *at = &start;
         (at = nextOnWay(*at, isForward)) && seen.insert(at).second;) {
      StringRef name = calledRuntime(*at);
      if (name.contains("task") && name != "__kmpc_omp_task_alloc")
        return name;
    }
    return {};
  };
  return findGroup(/*isForward=*/false) == "__kmpc_taskgroup" &&
         findGroup(/*isForward=*/true) == "__kmpc_end_taskgroup";
}

bool TaskTeam::readCalls() {
  for (Instruction &instruction : instructions(*host)) {
    StringRef name = calledRuntime(instruction);
    if (name.empty() || name == "__kmpc_global_thread_num" ||
        name == "__kmpc_omp_task_alloc")
      continue;
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call)
      return false;
    if (name == "__kmpc_taskloop") {
      loops.emplace_back(*call);
    } else if (startsSolo(*call) && (name != "__kmpc_masked" ||
                                     isNumber(call->getArgOperand(2), 0))) {
      if (solo)
        return false;
      solo = call;
    } else if (StringSwitch<bool>(name)
                   .Cases({"__kmpc_end_single", "__kmpc_end_master",
                           "__kmpc_end_masked", "__kmpc_barrier",
                           "__kmpc_taskgroup", "__kmpc_end_taskgroup"},
                          true)
                   .Default(false)) {
      dropped.push_back(call);
    } else {
      return false;
    }
  }
  return solo && !loops.empty() && all_of(loops, [](const TaskLoop &loop) {
           return isWaitedFor(loop.start);
         });
}

/// Whether one thread does all that is done, once.
bool TaskTeam::readSolo() {
  DominatorTree dominators(*host);
  LoopInfo around(dominators);
  const BranchInst *branch = branchOfSolo(*solo);
  if (!branch || around.getLoopFor(solo->getParent()))
    return false;
  const BasicBlock *inside = branch->getSuccessor(0);
  auto asksThread = [&](const Instruction &instruction) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    return load && load->getPointerOperand() == host->getArg(0);
  };
  for (const Instruction &instruction : instructions(*host))
    if (!dominators.dominates(inside, instruction.getParent()) &&
        calledRuntime(instruction).empty() && !asksThread(instruction) &&
        (hasEffect(instruction) || openmp::readsShared(instruction)))
      return false;
  SmallPtrSet<const Instruction *, 4> tasks;
  for (TaskLoop &loop : loops) {
    if (!dominators.dominates(inside, loop.start.getParent()) ||
        !loop.read(dominators) || !tasks.insert(loop.task).second)
      return false;
  }
  return none_of(instructions(*host), [&](const Instruction &instruction) {
    return calledRuntime(instruction) == "__kmpc_omp_task_alloc" &&
           !tasks.contains(&instruction);
  });
}

/// The region may ask for a number of threads, and for nothing else.
bool TaskTeam::readWishes() {
  for (Instruction *before = fork.getPrevNode(); before;
       before = before->getPrevNode()) {
    StringRef name = calledRuntime(*before);
    if (name.starts_with("__kmpc_fork"))
      break;
    if (!name.starts_with("__kmpc_push_"))
      continue;
    if (name != "__kmpc_push_num_threads" || wish)
      return false;
    wish = cast<CallInst>(before);
  }
  return true;
}

bool TaskTeam::read() {
  auto *outlined = dyn_cast<Function>(fork.getArgOperand(2));
  if (!outlined || outlined->isDeclaration() ||
      outlined->arg_size() + 1 != fork.arg_size() || !readWishes())
    return false;
  ValueToValueMapTy values;
  host = CloneFunction(outlined, values);
  host->setName(outlined->getName() + ".host");
  joinDebugged(*host);
  promoteParameters(*host);
  if (!readCalls() || !readSolo())
    return false;
  runSolo();
  // What is started in place of the loops, is not asked about here.
  ValueToValueMapTy map;
  Function *around = copyWork(*host, host->getReturnType(),
                              host->getName() + ".around", {}, &map);
  for (TaskLoop &loop : loops)
    cast<Instruction>(map.lookup(&loop.start))->eraseFromParent();
  bool isFree = calls.check(*around).empty();
  around->eraseFromParent();
  return isFree;
}

void TaskTeam::runSolo() {
  solo->replaceAllUsesWith(ConstantInt::get(solo->getType(), 1));
  solo->eraseFromParent();
  for (Instruction *call : dropped)
    call->eraseFromParent();
  for (TaskLoop &loop : loops)
    loop.dropTasks();
  dropNumbers(*host);
}

void TaskTeam::join() {
  for (TaskLoop &loop : loops)
    loop.startTeam();
  runInHost(fork, *host);
  if (!wish)
    return;
  for (TaskLoop &loop : loops)
    loop.repeatWish(*wish);
  wish->eraseFromParent();
}

void TaskTeam::discardCode() {
  for (TaskLoop &loop : loops)
    loop.discardCode();
  discard(host);
}

void openmp::joinTaskLoops(Module &module, CallCheck &calls) {
  const Function *start = module.getFunction("__kmpc_taskloop");
  if (!start || start->use_empty())
    return;
  SmallVector<CallInst *> forks;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && calledRuntime(*call) == "__kmpc_fork_call")
        forks.push_back(call);
  for (CallInst *fork : forks) {
    TaskTeam team(*fork, calls);
    team.read() ? team.join() : team.discardCode();
  }
}
