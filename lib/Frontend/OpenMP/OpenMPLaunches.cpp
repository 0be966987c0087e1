//===- OpenMPLaunches.cpp - Launches in place of teams --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beside the call that starts a team, which stays, the host gets code that
// launches the graphs of its loops. Which of the two it is to be, is asked each
// time.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLowering.h"

#include "../Hetero/LowerHetero.h"
#include "sluice/Analysis/LeafMemory.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

/// Before a launch: && and || give 0 or 1.
static void normalise(IRBuilder<> &builder, Value *variable,
                      const Reduction &reduction) {
  Value *held = builder.CreateLoad(reduction.type, variable);
  builder.CreateStore(
      builder.CreateZExt(builder.CreateIsNotNull(held), reduction.type),
      variable);
}

/// What the code of a team gets.
static SmallVector<Value *> passedTo(CallInst &fork) {
  // The threads' numbers, for which nobody asks.
  SmallVector<Value *> passed(
      2, ConstantPointerNull::get(PointerType::get(fork.getContext(), 0)));
  append_range(passed, drop_begin(fork.args(), 3));
  return passed;
}

/// Whether the host may read a variable after a team has run.
static bool isReadAfter(const CallInst &fork, const Value &variable) {
  if (!isa<AllocaInst>(variable))
    return true;
  return any_of(variable.users(), [&](const User *user) {
    const auto *place = dyn_cast<Instruction>(user);
    bool isUse = place && place != &fork && !place->isLifetimeStartOrEnd() &&
                 !(isa<StoreInst>(place) && place->getOperand(1) == &variable);
    return isUse && isPotentiallyReachable(&fork, place);
  });
}

/// Pointers that lead to different memory, whichever that is.
void Lowering::noteApart(const LaunchPlace &place, ArrayRef<Value *> arguments,
                         LoopGraph &graph) {
  for (unsigned i = 1; i < arguments.size(); ++i)
    for (unsigned other = i + 1; other < arguments.size(); ++other)
      if (arguments[i]->getType()->isPointerTy() &&
          arguments[other]->getType()->isPointerTy() &&
          variables.areApart(*arguments[i], *arguments[other], *place.fork)) {
        graph.summary.arguments[i].apart.push_back(other);
        graph.summary.arguments[other].apart.push_back(i);
      }
  const auto numPointers = count_if(arguments, [](const Value *argument) {
    return argument->getType()->isPointerTy();
  });
  if (all_of(graph.summary.arguments, [&](const OpenMPArgument &said) {
        return !said.isPointer || int(said.apart.size()) + 1 == numPointers;
      }))
    graph.leaf->addFnAttr(apartAttribute);
}

void Lowering::launchLoop(IRBuilder<> &builder, const LaunchPlace &place,
                          LoopGraph &graph) {
  const CallInst &fork = *place.fork;
  Function &host = *builder.GetInsertBlock()->getParent();
  BasicBlock *go = BasicBlock::Create(module.getContext(), "openmp.launch",
                                      &host, place.done);
  builder.CreateCondBr(
      builder.CreateICmpSGT(place.iterations, builder.getInt64(0)), go,
      place.done);
  builder.SetInsertPoint(go);
  DenseMap<const Value *, Value *> known;
  auto hostValue = [&](Value *value) -> Value * {
    if (auto *parameter = dyn_cast<Argument>(value))
      return place.passed[parameter->getArgNo()];
    auto found = known.find(value);
    return found == known.end() ? value : found->second;
  };
  for (Instruction *read : graph.read) {
    Instruction *copy = read->clone();
    for (Use &operand : copy->operands())
      operand.set(hostValue(operand.get()));
    copy->setDebugLoc(builder.getCurrentDebugLocation());
    builder.Insert(copy, nameOf(*read));
    known[read] = copy;
  }
  SmallVector<Value *> arguments = {place.iterations};
  if (graph.innerCount)
    arguments.push_back(builder.CreateCall(graph.innerCount, place.passed));
  const unsigned numExtents = arguments.size();
  for (Value *value : graph.taken) {
    Value *argument = hostValue(value);
    OpenMPArgument &said = graph.summary.arguments[arguments.size()];
    if (value->getType()->isPointerTy())
      if (const Value *object = variables.objectOf(*argument, &fork)) {
        said.object = objects.try_emplace({object, ownMemory}, objects.size())
                          .first->second;
        if (isa<GlobalVariable>(object))
          said.global = object->getName();
      }
    if (value->getType()->isPointerTy() &&
        !variables.isPassedIn(*argument, fork))
      graph.leaf->addParamAttr(
          arguments.size() - numExtents,
          Attribute::get(module.getContext(), filledAttribute));
    said.isNumber = value->getType()->isIntegerTy();
    said.isComputed = said.isNumber && isComputed(*argument, fork);
    if (said.isScalar)
      said.isReadLater = isReadAfter(fork, inHost(*argument, fork));
    arguments.push_back(argument);
  }
  noteApart(place, arguments, graph);
  for (const Reduction &reduction : graph.reductions)
    if (reduction.isLogical)
      normalise(builder, hostValue(reduction.variable), reduction);
  CallInst *handle = hetero::emitLaunch(builder, *graph.root, arguments);
  hetero::emitWait(builder, handle);
  builder.CreateBr(place.done);
}

/// Whether the host computes the number of iterations from numbers of which
/// the code of an iteration knows others.
static bool isCountComputed(const LoopGraph &graph, const LaunchPlace &place) {
  if (!graph.count || hasBound(*graph.leaf))
    return false;
  return any_of(graph.count->args(), [&](const Argument &parameter) {
    if (parameter.use_empty())
      return false;
    const Value &passed = *place.passed[parameter.getArgNo()];
    return parameter.getType()->isPointerTy()
               ? isContentComputed(passed, *place.fork)
               : isComputed(passed, *place.fork);
  });
}

SmallVector<CallInst *> openmp::wishesFor(CallInst &fork) {
  SmallVector<CallInst *> wishes;
  for (Instruction *before = &fork;
       (before = nextOnWay(*before, /*isForward=*/false));) {
    StringRef name = calledRuntime(*before);
    // What was said before another team was for that one, also if the host ran
    // it alone.
    if (name.starts_with("__kmpc_fork_") ||
        name.starts_with("__kmpc_serialized_parallel"))
      break;
    if (name.starts_with("__kmpc_push_"))
      wishes.push_back(cast<CallInst>(before));
  }
  return wishes;
}

/// One loop after the other.
void Lowering::launchLoops(IRBuilder<> &builder, TakenTeam &team,
                           BasicBlock &after) {
  CallInst &fork = *team.fork;
  Function &host = *fork.getFunction();
  // What the numbers are computed from, no loop of the team writes.
  for (LoopGraph &graph : team.loops)
    if (graph.most) {
      BasicBlock *fits = BasicBlock::Create(module.getContext(), "openmp.fits",
                                            &host, fork.getParent());
      Value *iterations = builder.CreateCall(graph.count, passedTo(fork));
      builder.CreateCondBr(
          builder.CreateICmpSGT(iterations, builder.getInt64(*graph.most)),
          fork.getParent(), fits);
      builder.SetInsertPoint(fits);
    }
  for (auto [index, graph] : enumerate(team.loops)) {
    BasicBlock *done =
        index + 1 == team.loops.size()
            ? &after
            : BasicBlock::Create(module.getContext(), "openmp.next", &host,
                                 fork.getParent());
    LaunchPlace place{.fork = &fork, .passed = passedTo(fork), .done = done};
    place.iterations =
        builder.CreateCall(graph.count, place.passed, "iterations");
    launchLoop(builder, place, graph);
    graph.summary.arguments.front().isComputed = isCountComputed(graph, place);
    if (graph.innerCount)
      graph.summary.arguments[1].isComputed = true;
    builder.SetInsertPoint(done);
  }
}

/// The code around the loops launches them where it gets to them.
void Lowering::launchRegion(IRBuilder<> &builder, TakenTeam &team,
                            BasicBlock &after) {
  CallInst &fork = *team.fork;
  team.host->setName(fork.getFunction()->getName() + ".region");
  builder.CreateCall(team.host, passedTo(fork));
  builder.CreateBr(&after);
  for (auto [graph, launch] : zip(team.loops, team.launches)) {
    BasicBlock *before = launch->getParent();
    BasicBlock *done =
        before->splitBasicBlock(std::next(launch->getIterator()));
    before->getTerminator()->eraseFromParent();
    LaunchPlace place{.fork = &fork, .done = done};
    place.iterations = launch->getArgOperand(0);
    place.passed = passedTo(fork);
    place.passed.truncate(2);
    append_range(place.passed, drop_begin(launch->args()));
    IRBuilder<> here(before);
    here.SetCurrentDebugLocation(launch->getDebugLoc());
    launchLoop(here, place, graph);
    Function *standIn = launch->getCalledFunction();
    launch->eraseFromParent();
    standIn->eraseFromParent();
  }
}

void Lowering::launch(TakenTeam &team) {
  CallInst &fork = *team.fork;
  Function &host = *fork.getFunction();
  SmallVector<CallInst *> wishes = wishesFor(fork);
  BasicBlock *before = fork.getParent();
  BasicBlock *left = before->splitBasicBlock(fork.getIterator(), "openmp.team");
  BasicBlock *after =
      left->splitBasicBlock(std::next(fork.getIterator()), "openmp.after");
  for (CallInst *wish : reverse(wishes))
    wish->moveBefore(fork.getIterator());
  Instruction *end = before->getTerminator();
  IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(fork.getDebugLoc());
  // Set to 0 where a loop is racy after all.
  auto *choice = new GlobalVariable(
      module, builder.getInt32Ty(), /*isConstant=*/true,
      GlobalValue::InternalLinkage, builder.getInt32(!team.waitsInThreads),
      team.loops.front().root->getName() + ".choice");
  Type *i32 = builder.getInt32Ty();
  Value *inParallel =
      module.getOrInsertFunction("omp_in_parallel", i32).getCallee();
  // The number that the directive asks for, or the program's setting.
  Value *wished = builder.getInt32(0);
  Value *maxThreads = nullptr;
  for (CallInst *wish : wishes)
    if (calledRuntime(*wish) == "__kmpc_push_num_threads") {
      wished = wish->getArgOperand(2);
      maxThreads = ConstantPointerNull::get(builder.getPtrTy());
    }
  if (!maxThreads)
    maxThreads =
        module.getOrInsertFunction("omp_get_max_threads", i32).getCallee();
  Value *isServed = builder.CreateIsNotNull(callByName(
      builder, "sluiceServesTeam", i32, {wished, inParallel, maxThreads}));
  Value *isChosen =
      builder.CreateAnd(isServed, builder.CreateIsNotNull(builder.CreateLoad(
                                      builder.getInt32Ty(), choice)));
  BasicBlock *first =
      BasicBlock::Create(module.getContext(), "openmp.graphs", &host, left);
  builder.CreateCondBr(isChosen, first, left);
  end->eraseFromParent();
  builder.SetInsertPoint(first);
  if (team.host)
    launchRegion(builder, team, *after);
  else
    launchLoops(builder, team, *after);
  for (LoopGraph &graph : team.loops) {
    for (Instruction *read : reverse(graph.read)) {
      read->dropAllReferences();
      read->deleteValue();
    }
    graph.iteration->eraseFromParent();
    graph.summary.choice = choice->getName().str();
    summary.graphs.push_back(std::move(graph.summary));
  }
  needRuntime(module);
}

/// Before the runtime starts: threads of the two are not to spin against each
/// other, and their numbers are the same.
void Lowering::prepareProgram() {
  IRBuilder<> builder(module.getContext());
  Function *function =
      Function::Create(FunctionType::get(builder.getVoidTy(), false),
                       GlobalValue::InternalLinkage, "openmp.start", &module);
  builder.SetInsertPoint(
      BasicBlock::Create(module.getContext(), "entry", function));
  Type *i32 = builder.getInt32Ty();
  Value *mayWait = callByName(builder, "sluiceServeOpenMP", i32, {});
  BasicBlock *sleep =
      BasicBlock::Create(module.getContext(), "sleep", function);
  BasicBlock *end = BasicBlock::Create(module.getContext(), "end", function);
  builder.CreateCondBr(builder.CreateIsNotNull(mayWait), sleep, end);
  builder.SetInsertPoint(sleep);
  // A call of the library would have it read its settings here, before the
  // program could set them.
  callByName(builder, "setenv", i32,
             {builder.CreateGlobalString("KMP_BLOCKTIME"),
              builder.CreateGlobalString("0"), builder.getInt32(1)});
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
  appendToGlobalCtors(module, function, /*Priority=*/101);
}
