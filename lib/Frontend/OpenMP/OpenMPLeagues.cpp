//===- OpenMPLeagues.cpp - Leagues of teams -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for devices shares loops among the teams of a league, and each team's
// share among its threads. OpenMP says that a league may have a single team,
// which is what it has on the host unless the program asks for more. So the
// code of a league becomes code of the host, and a team gets all iterations:
// what is left is a parallel region as any other.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"
#include "sluice/Analysis/ReachedCode.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

void openmp::joinDebugged(Function &function) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Instruction &instruction : instructions(function)) {
      StringRef name = calledName(instruction);
      if (!name.contains(".omp_outlined_debug__") &&
          !(name.starts_with("__omp_offloading_") && name.contains("_debug__")))
        continue;
      auto *call = cast<CallInst>(&instruction);
      Function *callee = call->getCalledFunction();
      callee->removeFnAttr(Attribute::NoInline);
      callee->removeFnAttr(Attribute::OptimizeNone);
      if (inlineCall(*call)) {
        if (callee->use_empty() && callee->hasLocalLinkage())
          callee->eraseFromParent();
        changed = true;
        break;
      }
    }
  }
}

/// Whether a call asks which iterations a team of a league gets.
static bool startsShare(const Instruction &instruction) {
  if (!calledRuntime(instruction).starts_with("__kmpc_for_static_init_"))
    return false;
  constexpr unsigned chunks = 91, even = 92;
  const auto *kind = dyn_cast<ConstantInt>(instruction.getOperand(2));
  return kind && (kind->equalsInt(chunks) || kind->equalsInt(even));
}

/// Whether anything in a program asks for one of some functions.
static bool isAsked(const Module &module, ArrayRef<StringRef> names) {
  return any_of(names, [&](StringRef name) {
    const Function *function = module.getFunction(name);
    return function && !function->use_empty();
  });
}

namespace {
/// A call that starts a league.
class League {
public:
  explicit League(CallInst &start) : start(start) {}

  /// Whether one team does as well.
  bool read();
  void join();

private:
  bool isKnownCall(const Instruction &instruction) const;
  bool isShared(const Instruction &instruction,
                const DominatorTree &dominators) const;
  bool readFork() const;
  bool joinsLoopAlone(const DominatorTree &dominators) const;
  void answerShare();
  void takeAll();
  void answerReductions();

  CallInst &start;
  Function *code = nullptr;
  /// How many teams and threads the program asks for.
  CallInst *wish = nullptr;
  /// Asks for the share of a team, and starts its threads.
  CallInst *share = nullptr, *fork = nullptr;
};
} // namespace

bool League::isKnownCall(const Instruction &instruction) const {
  StringRef name = calledRuntime(instruction);
  return name.empty() || startsShare(instruction) || isReduction(instruction) ||
         name.starts_with("__kmpc_end_reduce") ||
         StringSwitch<bool>(name)
             .Cases({"__kmpc_for_static_fini", "__kmpc_fork_call",
                     "__kmpc_global_thread_num", "__kmpc_push_num_threads"},
                    true)
             .Default(false);
}

/// Whether teams share what an instruction does: each of them starts threads
/// for its part of the iterations, the one that has the last iteration assigns
/// what is last, and all join what they have reduced.
bool League::isShared(const Instruction &instruction,
                      const DominatorTree &dominators) const {
  if (&instruction == fork)
    return true;
  if (const BranchInst *branch = branchBefore(*instruction.getParent()))
    if (const auto *asks = dyn_cast<ICmpInst>(branch->getCondition()))
      if (const auto *load = dyn_cast<LoadInst>(asks->getOperand(0));
          load && load->getPointerOperand() == share->getArgOperand(3))
        return true;
  return any_of(reductionCalls(*code), [&](const CallInst *other) {
    return dominators.dominates(other, &instruction);
  });
}

/// Whether code excludes threads of its team, as those of others go on.
static bool excludesOthers(const Function &team) {
  return anyReached(team, [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    StringRef name = calledRuntime(instruction);
    return call && (name.starts_with("__kmpc_critical") ||
                    (name.starts_with("omp_") && name.contains("lock")) ||
                    name.starts_with("__kmpc_barrier") ||
                    (!call->getCalledFunction() && !call->isInlineAsm()));
  });
}

/// Whether a team gets its share by two numbers, which the code of the league
/// has been given.
bool League::readFork() const {
  auto *team = dyn_cast<Function>(fork->getArgOperand(2));
  if (!team || team->isDeclaration() || !team->hasOneUse() ||
      !team->hasLocalLinkage() || team->arg_size() + 1 != fork->arg_size() ||
      fork->arg_size() < 5)
    return false;
  auto variableOf = [](const Value *value) -> const Value * {
    if (const auto *cast = dyn_cast<CastInst>(value))
      value = cast->getOperand(0);
    const auto *load = dyn_cast<LoadInst>(value);
    return load ? load->getPointerOperand() : nullptr;
  };
  return variableOf(fork->getArgOperand(3)) == share->getArgOperand(4) &&
         variableOf(fork->getArgOperand(4)) == share->getArgOperand(5);
}

/// Whether a team's copies hold no more than what its share of the loop gives:
/// what each team does to them beside, counts for each of them.
bool League::joinsLoopAlone(const DominatorTree &dominators) const {
  for (const CallInst *call : reductionCalls(*code)) {
    SmallVector<Value *> copies = copiesIn(*call);
    if (copies.empty() || !all_of(copies, [&](const Value *copy) {
          return isBegunOnce(*copy, [&](const Instruction &user) {
            return isa<LoadInst>(user) || &user == fork;
          });
        }))
      return false;
    // Clang begins with neutral values, but programs that declare how copies
    // are joined need not.
    for (const Instruction &other : instructions(*code))
      if (isa<CallBase>(other) && !isa<IntrinsicInst>(other) &&
          calledRuntime(other).empty() && dominators.dominates(call, &other))
        return false;
  }
  return true;
}

/// Whether all that a team may run is here, or known.
static bool isComplete(const Function &team) {
  const TargetLibraryInfoImpl library(team.getParent()->getTargetTriple());
  return !anyReached(
      team,
      [&](const Instruction &instruction) {
        return isa<CallBase>(instruction) &&
               calledRuntime(instruction).empty() &&
               any_of(instruction.operands(), [&](const Value *operand) {
                 const auto *callee = dyn_cast<Function>(operand);
                 return callee && callee->isDeclaration() &&
                        !isKnownFunction(*callee, library);
               });
      },
      ReachedBy::Name);
}

bool League::read() {
  code = dyn_cast<Function>(start.getArgOperand(2));
  if (!code || code->isDeclaration() || !code->hasOneUse() ||
      !code->hasLocalLinkage() || code->arg_size() + 1 != start.arg_size())
    return false;
  joinDebugged(*code);
  promoteParameters(*code);
  for (Instruction &instruction : instructions(*code)) {
    if (!isKnownCall(instruction))
      return false;
    const bool isShare = startsShare(instruction);
    if (!isShare && calledRuntime(instruction) != "__kmpc_fork_call")
      continue;
    // Of several loops, those of different teams run at once, and what teams do
    // beside is done by each of them.
    CallInst *&call = isShare ? share : fork;
    if (call)
      return false;
    call = cast<CallInst>(&instruction);
  }
  if (!share || !fork || !readFork() ||
      excludesOthers(*cast<Function>(fork->getArgOperand(2))))
    return false;
  DominatorTree dominators(*code);
  for (const Instruction &instruction : instructions(*code))
    if (hasEffect(instruction) && !isShared(instruction, dominators) &&
        (calledRuntime(instruction).empty()))
      return false;
  for (Instruction *before = start.getPrevNode(); before && !wish;
       before = before->getPrevNode()) {
    StringRef name = calledRuntime(*before);
    if (name.starts_with("__kmpc_push_num_teams"))
      wish = cast<CallInst>(before);
    else if (name.starts_with("__kmpc_fork"))
      break;
  }
  const Module &module = *code->getParent();
  const ConstantInt *teams = nullptr;
  if (wish) {
    if (wish->getCalledFunction()->getName() != "__kmpc_push_num_teams")
      return false;
    const auto *threads = dyn_cast<ConstantInt>(wish->getArgOperand(3));
    if ((!threads || !threads->isZero()) &&
        isAsked(module, {"omp_get_num_threads", "omp_get_thread_num",
                         "omp_get_thread_limit", "omp_get_max_threads"}))
      return false;
    teams = dyn_cast<ConstantInt>(wish->getArgOperand(2));
  }
  if (teams && teams->isOne())
    return true;
  // There may be several, of whom each has a number.
  if (isAsked(module, {"omp_get_team_num", "omp_get_num_teams"}) ||
      !joinsLoopAlone(dominators))
    return false;
  bool isWished = (wish && !(teams && teams->isZero())) ||
                  isAsked(module, {"omp_set_num_teams"});
  return !isWished || isComplete(*cast<Function>(fork->getArgOperand(2)));
}

/// The only team gets all.
void League::answerShare() {
  IRBuilder<> builder(share);
  Type *type = calledRuntime(*share).contains("_init_8") ? builder.getInt64Ty()
                                                         : builder.getInt32Ty();
  builder.CreateStore(builder.getInt32(1), share->getArgOperand(3));
  Value *end = builder.CreateLoad(type, share->getArgOperand(5));
  builder.CreateStore(builder.CreateAdd(end, ConstantInt::get(type, 1)),
                      share->getArgOperand(6));
  share->eraseFromParent();
}

/// Erases the assignment of a parameter that says which share a team has:
/// before, clang assigns the first and the last iteration of all.
static void dropShare(Value &value) {
  SmallVector<Value *> values = {&value};
  SmallVector<StoreInst *> assignments;
  for (unsigned i = 0; i != values.size(); ++i)
    for (User *user : values[i]->users()) {
      if (isa<CastInst>(user)) {
        values.push_back(user);
        continue;
      }
      auto *store = dyn_cast<StoreInst>(user);
      auto *place =
          store ? dyn_cast<AllocaInst>(store->getPointerOperand()) : nullptr;
      if (!place)
        continue;
      bool isOnly = none_of(place->users(), [&](const User *other) {
        return isa<StoreInst>(other) && other != store;
      });
      if (!isOnly) {
        assignments.push_back(store);
        continue;
      }
      for (User *other : place->users())
        if (isa<LoadInst>(other))
          values.push_back(other);
    }
  for (StoreInst *store : assignments)
    store->eraseFromParent();
}

/// Where a loop begins that asks for iterations again and again.
static void takeFirst(Function &team) {
  for (Instruction &instruction : instructions(team)) {
    if (!calledRuntime(instruction).starts_with("__kmpc_dispatch_init_"))
      continue;
    auto *load = dyn_cast<LoadInst>(instruction.getOperand(3));
    if (!load)
      continue;
    bool isZero = true;
    for (const User *user : load->getPointerOperand()->users())
      if (const auto *store = dyn_cast<StoreInst>(user)) {
        const auto *number = dyn_cast<ConstantInt>(store->getValueOperand());
        isZero &= number && number->isZero();
      }
    if (isZero)
      instruction.setOperand(3, ConstantInt::get(load->getType(), 0));
  }
}

void League::takeAll() {
  auto *team = cast<Function>(fork->getArgOperand(2));
  joinDebugged(*team);
  for (unsigned index : {2u, 3u})
    dropShare(*team->getArg(index));
  takeFirst(*team);
}

/// One team joins its copies alone.
void League::answerReductions() {
  SmallVector<Instruction *> calls;
  for (Instruction &instruction : instructions(*code)) {
    StringRef name = calledRuntime(instruction);
    if (name.starts_with("__kmpc_end_reduce") || isReduction(instruction) ||
        name == "__kmpc_for_static_fini")
      calls.push_back(&instruction);
  }
  for (Instruction *call : calls) {
    BasicBlock *block = call->getParent();
    if (call->getType()->isVoidTy()) {
      call->eraseFromParent();
      continue;
    }
    auto *list = dyn_cast<AllocaInst>(call->getOperand(4));
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), 1));
    call->eraseFromParent();
    ConstantFoldTerminator(block);
    if (list)
      dropList(*list);
  }
  removeUnreachableBlocks(*code);
}

void openmp::runInHost(CallInst &start, Function &code) {
  Function &host = *start.getFunction();
  IRBuilder<> builder(&host.getEntryBlock(), host.getEntryBlock().begin());
  Type *i32 = builder.getInt32Ty();
  AllocaInst *thread = builder.CreateAlloca(i32),
             *none = builder.CreateAlloca(i32);
  builder.SetInsertPoint(&start);
  builder.CreateStore(callByName(builder, "__kmpc_global_thread_num", i32,
                                 {start.getArgOperand(0)}),
                      thread);
  builder.CreateStore(builder.getInt32(0), none);
  SmallVector<Value *> arguments = {thread, none};
  append_range(arguments, drop_begin(start.args(), 3));
  CallInst *call = builder.CreateCall(&code, arguments);
  call->setDebugLoc(start.getDebugLoc());
  start.eraseFromParent();
  code.removeFnAttr(Attribute::NoInline);
  code.removeFnAttr(Attribute::OptimizeNone);
  if (inlineCall(*call) && code.use_empty())
    code.eraseFromParent();
}

void League::join() {
  takeAll();
  answerShare();
  answerReductions();
  if (wish)
    wish->eraseFromParent();
  runInHost(start, *code);
}

/// The code for a device that its host calls: what it is passed, is known best
/// there.
static void inlineOffloaded(Module &module) {
  SmallVector<Function *> offloaded;
  for (Function &function : module)
    if (function.hasLocalLinkage() && !function.isDeclaration() &&
        function.getName().starts_with("__omp_offloading_"))
      offloaded.push_back(&function);
  for (Function *function : offloaded) {
    bool startsTeam = any_of(instructions(*function), [](const auto &place) {
      return calledRuntime(place) == "__kmpc_fork_call";
    });
    if (!startsTeam || function->getName().contains(".omp_outlined"))
      continue;
    for (User *user : make_early_inc_range(function->users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (call && call->getCalledFunction() == function &&
          function->hasOneUse()) {
        promoteParameters(*function);
        function->removeFnAttr(Attribute::NoInline);
        function->removeFnAttr(Attribute::OptimizeNone);
        inlineCall(*call);
        break;
      }
    }
    if (function->use_empty())
      function->eraseFromParent();
  }
}

void openmp::joinLeagues(Module &module) {
  SmallVector<CallInst *> starts;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (calledRuntime(instruction) == "__kmpc_fork_teams")
        starts.push_back(cast<CallInst>(&instruction));
  for (CallInst *start : starts)
    if (League league(*start); league.read())
      league.join();
  inlineOffloaded(module);
}
