//===- OpenMPLeft.cpp - Code that stays with LLVM's library ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of one thread needs no library: it waits for nobody, and gets all
// iterations. In larger teams, a loop with dynamic schedule and one chunk is
// for the thread that comes first, like the code of 'single', which costs less
// than the library's queues. Threads that take chunks from each other, as those
// of other such loops do, may not learn that one has been the last.
//
//===----------------------------------------------------------------------===//

#include "OpenMPLowering.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

namespace {
/// A loop for which threads ask again and again, with the calls that do so.
struct AskingLoop {
  CallInst *start = nullptr;
  SmallVector<CallInst *> nexts = {};
  /// Tell the library about the end of a chunk, or of the loop.
  SmallVector<CallInst *> ends = {};
};

/// Where a thread is in such a loop: an int beside it.
enum LoopStage : unsigned { AsksLibrary, HasAll, HasNone };
} // namespace

/// The loops of a function; none if some call belongs to no loop for certain.
static SmallVector<AskingLoop> findAskingLoops(Function &function) {
  SmallVector<AskingLoop> loops;
  SmallVector<CallInst *> others;
  for (Instruction &instruction : instructions(function)) {
    StringRef name = calledRuntime(instruction);
    if (!name.starts_with("__kmpc_dispatch_"))
      continue;
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call)
      return {};
    if (name.starts_with("__kmpc_dispatch_init_"))
      loops.push_back({.start = call});
    else
      others.push_back(call);
  }
  if (loops.empty())
    return {};
  DominatorTree dominators(function);
  for (CallInst *call : others) {
    AskingLoop *owner = nullptr;
    for (AskingLoop &loop : loops)
      if (dominators.dominates(loop.start, call) &&
          (!owner || dominators.dominates(owner->start, loop.start)))
        owner = &loop;
    if (!owner)
      return {};
    bool isNext = calledRuntime(*call).starts_with("__kmpc_dispatch_next_");
    (isNext ? owner->nexts : owner->ends).push_back(call);
  }
  return loops;
}

constexpr uint64_t isMonotonic = uint64_t(1) << 29;
constexpr uint64_t isNonmonotonic = uint64_t(1) << 30;

/// Whether the library gives out chunks in any order, and none is longer or
/// shorter than the program says, but for the last one.
static bool hasFreeChunks(const CallInst &start) {
  constexpr uint64_t dynamic = 35, guided = 36;
  const auto *kind = dyn_cast<ConstantInt>(start.getArgOperand(2));
  uint64_t plain =
      kind ? kind->getZExtValue() & ~(isMonotonic | isNonmonotonic) : 0;
  return plain == dynamic || plain == guided;
}

/// Whether one answer has all iterations; `isAlone`: there is only one thread.
static Value *hasOneAnswer(IRBuilder<> &builder, const CallInst &start,
                           bool isAlone) {
  Value *first = start.getArgOperand(3), *last = start.getArgOperand(4);
  bool isUnsigned = calledRuntime(start).ends_with("u");
  Value *hasSome = isUnsigned ? builder.CreateICmpUGE(last, first)
                              : builder.CreateICmpSGE(last, first);
  if (isAlone)
    return hasSome;
  Value *chunk = start.getArgOperand(6);
  Value *fits = builder.CreateAnd(
      builder.CreateICmpSGT(chunk, ConstantInt::get(chunk->getType(), 0)),
      builder.CreateICmpULT(builder.CreateSub(last, first), chunk));
  return builder.CreateAnd(hasSome, fits);
}

/// Gives all iterations as the answer to `next`, where they are not given yet.
static void answerNext(CallInst &next, const CallInst &start,
                       AllocaInst &progress, bool isAlone) {
  IRBuilder<> builder(&next);
  Type *i32 = builder.getInt32Ty();
  Value *now = builder.CreateLoad(i32, &progress);
  BasicBlock *before = next.getParent();
  BasicBlock *asks = SplitBlock(before, next.getIterator());
  BasicBlock *behind = SplitBlock(asks, std::next(next.getIterator()));
  Function *function = before->getParent();
  LLVMContext &llvm = next.getContext();
  auto *comes = BasicBlock::Create(llvm, "openmp.comes", function, asks);
  auto *takes = BasicBlock::Create(llvm, "openmp.takes", function, asks);
  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(before);
  SwitchInst *ways = builder.CreateSwitch(now, behind, 2);
  ways->addCase(builder.getInt32(HasAll), comes);
  builder.SetInsertPoint(comes);
  builder.SetCurrentDebugLocation(next.getDebugLoc());
  builder.CreateStore(builder.getInt32(HasNone), &progress);
  if (isAlone) {
    builder.CreateBr(takes);
  } else {
    ways->addCase(builder.getInt32(AsksLibrary), asks);
    Value *isFirst = callByName(builder, "__kmpc_single", i32,
                                {next.getArgOperand(0), next.getArgOperand(1)});
    builder.CreateCondBr(builder.CreateIsNotNull(isFirst), takes, behind);
  }
  builder.SetInsertPoint(takes);
  builder.SetCurrentDebugLocation(next.getDebugLoc());
  if (!isAlone)
    callByName(builder, "__kmpc_end_single", builder.getVoidTy(),
               {next.getArgOperand(0), next.getArgOperand(1)});
  builder.CreateStore(builder.getInt32(1), next.getArgOperand(2));
  builder.CreateStore(start.getArgOperand(3), next.getArgOperand(3));
  builder.CreateStore(start.getArgOperand(4), next.getArgOperand(4));
  builder.CreateStore(start.getArgOperand(5), next.getArgOperand(5));
  builder.CreateBr(behind);
  builder.SetInsertPoint(behind, behind->begin());
  PHINode *answer = builder.CreatePHI(i32, 4);
  next.replaceAllUsesWith(answer);
  answer->addIncoming(builder.getInt32(0), before);
  answer->addIncoming(builder.getInt32(1), takes);
  answer->addIncoming(&next, asks);
  if (!isAlone)
    answer->addIncoming(builder.getInt32(0), comes);
}

/// Has a call be made only where the library knows of the loop.
static void guardCall(CallInst &call, AllocaInst &progress) {
  IRBuilder<> builder(&call);
  Value *asks =
      builder.CreateICmpEQ(builder.CreateLoad(builder.getInt32Ty(), &progress),
                           builder.getInt32(AsksLibrary));
  Instruction *end = SplitBlockAndInsertIfThen(asks, call.getIterator(),
                                               /*Unreachable=*/false);
  call.moveBefore(end->getIterator());
}

static void shareAtOnce(AskingLoop &loop, bool isAlone) {
  CallInst &start = *loop.start;
  BasicBlock &entry = start.getFunction()->getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  Type *i32 = builder.getInt32Ty();
  AllocaInst *progress = builder.CreateAlloca(i32, nullptr, "openmp.progress");
  builder.SetInsertPoint(&start);
  Value *isOne = hasOneAnswer(builder, start, isAlone);
  builder.CreateStore(
      builder.CreateSelect(isOne, builder.getInt32(HasAll),
                           builder.getInt32(isAlone ? HasNone : AsksLibrary)),
      progress);
  for (CallInst *next : loop.nexts)
    answerNext(*next, start, *progress, isAlone);
  loop.ends.push_back(&start);
  for (CallInst *call : loop.ends)
    if (isAlone)
      call->eraseFromParent();
    else
      guardCall(*call, *progress);
}

bool openmp::shareChunksAtOnce(Module &module) {
  bool isChanged = false;
  for (Function &function : module)
    for (AskingLoop &loop : findAskingLoops(function))
      if (hasFreeChunks(*loop.start) && !loop.nexts.empty()) {
        shareAtOnce(loop, /*isAlone=*/false);
        isChanged = true;
      }
  return isChanged;
}

bool openmp::askForLast(Module &module) {
  bool isChanged = false;
  for (Function &function : module)
    for (AskingLoop &loop : findAskingLoops(function)) {
      const auto *kind = dyn_cast<ConstantInt>(loop.start->getArgOperand(2));
      const bool isAsked = any_of(loop.nexts, [](const CallInst *next) {
        const Value &isLast = *next->getArgOperand(2);
        return !isa<AllocaInst>(isLast) ||
               any_of(isLast.users(),
                      [](const User *user) { return isa<LoadInst>(user); });
      });
      if (!kind || !isAsked || !(kind->getZExtValue() & isNonmonotonic))
        continue;
      loop.start->setArgOperand(
          2, ConstantInt::get(kind->getType(),
                              kind->getZExtValue() ^
                                  (isNonmonotonic | isMonotonic)));
      isChanged = true;
    }
  return isChanged;
}

//===----------------------------------------------------------------------===//
// Teams of one thread
//===----------------------------------------------------------------------===//

/// A chunk may be so long that the next one would end behind the largest
/// number. Nobody uses that one, but to compute it must be allowed.
static void allowWrapping(Value &stride) {
  for (User *load : stride.users())
    for (User *sum : load->users())
      if (isa<LoadInst>(load) && isa<OverflowingBinaryOperator>(sum)) {
        cast<Instruction>(sum)->setHasNoSignedWrap(false);
        cast<Instruction>(sum)->setHasNoUnsignedWrap(false);
      }
}

/// What the library tells the only thread of a team; null: not known here.
static Value *answerAlone(CallInst &call, IRBuilder<> &builder) {
  StringRef name = calledRuntime(call);
  if (name.starts_with("__kmpc_for_static_init_")) {
    Type *type =
        name.contains("_init_8") ? builder.getInt64Ty() : builder.getInt32Ty();
    Value *first = builder.CreateLoad(type, call.getArgOperand(4));
    Value *last = builder.CreateLoad(type, call.getArgOperand(5));
    builder.CreateStore(builder.CreateAdd(builder.CreateSub(last, first),
                                          ConstantInt::get(type, 1)),
                        call.getArgOperand(6));
    allowWrapping(*call.getArgOperand(6));
    builder.CreateStore(builder.getInt32(1), call.getArgOperand(3));
    return PoisonValue::get(call.getType());
  }
  if (name == "__kmpc_global_thread_num")
    return builder.CreateLoad(builder.getInt32Ty(),
                              call.getFunction()->getArg(0));
  std::optional<int> answer =
      StringSwitch<std::optional<int>>(name)
          .Cases({"__kmpc_barrier", "__kmpc_for_static_fini"}, 0)
          .Cases(
              {"__kmpc_end_single", "__kmpc_end_master", "__kmpc_end_masked"},
              0)
          .Cases({"__kmpc_end_reduce", "__kmpc_end_reduce_nowait"}, 0)
          .Cases({"__kmpc_ordered", "__kmpc_end_ordered"}, 0)
          .Case("omp_get_thread_num", 0)
          .Cases({"__kmpc_single", "__kmpc_master", "omp_get_num_threads"}, 1)
          .Cases({"__kmpc_reduce", "__kmpc_reduce_nowait"}, 1)
          .Default(std::nullopt);
  if (!answer)
    return nullptr;
  return call.getType()->isVoidTy()
             ? cast<Value>(PoisonValue::get(call.getType()))
             : ConstantInt::get(call.getType(), *answer);
}

/// The code of a team's only thread.
static Function *makeAlone(Function &team) {
  Function *alone = copyWork(team, Type::getVoidTy(team.getContext()),
                             team.getName() + ".alone");
  joinDebugged(*alone);
  inlineSmallCalls(*alone, /*entersLoops=*/true);
  for (AskingLoop &loop : findAskingLoops(*alone))
    if (!loop.nexts.empty())
      shareAtOnce(loop, /*isAlone=*/true);
  for (Instruction &instruction : make_early_inc_range(instructions(*alone)))
    if (auto *call = dyn_cast<CallInst>(&instruction)) {
      IRBuilder<> builder(call);
      if (Value *answer = answerAlone(*call, builder)) {
        if (!call->getType()->isVoidTy())
          call->replaceAllUsesWith(answer);
        call->eraseFromParent();
      }
    }
  for (BasicBlock &block : *alone)
    ConstantFoldTerminator(&block);
  removeUnreachableBlocks(*alone);
  return alone;
}

bool Lowering::runAlone(CallInst &fork) {
  auto *team = dyn_cast<Function>(fork.getArgOperand(2));
  if (!team || team->isDeclaration() || team->arg_size() + 1 != fork.arg_size())
    return false;
  SmallVector<CallInst *> wishes = wishesFor(fork);
  Value *wished = nullptr;
  for (CallInst *wish : wishes)
    if (calledRuntime(*wish).starts_with("__kmpc_push_num_threads"))
      wished = wish->getArgOperand(2);
  if (wished && isa<Constant>(wished))
    return false;
  Function *alone = makeAlone(*team);
  if (!calls.check(*alone).empty()) {
    discard(alone);
    return false;
  }
  for (CallInst *wish : reverse(wishes))
    wish->moveBefore(fork.getIterator());
  Instruction *first = wishes.empty() ? &fork : wishes.back();
  IRBuilder<> builder(first);
  builder.SetCurrentDebugLocation(fork.getDebugLoc());
  Type *i32 = builder.getInt32Ty();
  Value *threads = wished;
  if (!threads)
    threads = callByName(builder, "omp_get_max_threads", i32, {});
  Instruction *inHost, *inTeam;
  SplitBlockAndInsertIfThenElse(
      builder.CreateICmpEQ(threads, builder.getInt32(1)), first->getIterator(),
      &inHost, &inTeam);
  for (CallInst *wish : reverse(wishes))
    wish->moveBefore(inTeam->getIterator());
  auto *call = cast<CallInst>(fork.clone());
  call->insertBefore(inHost->getIterator());
  fork.moveBefore(inTeam->getIterator());
  runInHost(*call, *alone);
  return true;
}

//===----------------------------------------------------------------------===//
// Threads beside workers
//===----------------------------------------------------------------------===//

void Lowering::wakeThreads(CallInst &fork) {
  auto *team = dyn_cast<Function>(fork.getArgOperand(2));
  if (!team || team->isDeclaration())
    return;
  IRBuilder<> builder(&fork);
  Type *i32 = builder.getInt32Ty();
  Type *nothing = builder.getVoidTy();
  const std::string name = (team->getName() + ".rest").str();
  GlobalVariable *state = module.getNamedGlobal(name);
  Value *setBlocktime =
      module.getOrInsertFunction("kmp_set_blocktime", nothing, i32).getCallee();
  Value *isInTeam =
      module.getOrInsertFunction("omp_in_parallel", i32).getCallee();
  if (!state) {
    state = new GlobalVariable(module, i32, /*isConstant=*/false,
                               GlobalValue::InternalLinkage,
                               builder.getInt32(0), name);
    for (BasicBlock &block : *team)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
        builder.SetInsertPoint(end);
        builder.SetCurrentDebugLocation(end->getDebugLoc());
        callByName(builder, "sluiceEndsThread", nothing, {state, setBlocktime});
      }
  }
  auto tell = [&](StringRef function) {
    builder.SetCurrentDebugLocation(fork.getDebugLoc());
    callByName(builder, function, nothing, {state, isInTeam, setBlocktime});
  };
  builder.SetInsertPoint(&fork);
  tell("sluiceStartsTeam");
  builder.SetInsertPoint(fork.getNextNode());
  tell("sluiceEndsTeam");
}

//===----------------------------------------------------------------------===//
// Pauses
//===----------------------------------------------------------------------===//

/// A pause ends with the next team. If that has run without the library, the
/// library refuses to rest again.
bool openmp::wakeBeforePauses(Module &module) {
  SmallVector<CallBase *> pauses;
  for (StringRef name : pauseFunctions)
    if (Function *pause = module.getFunction(name))
      for (User *user : pause->users())
        if (auto *call = dyn_cast<CallBase>(user);
            call && call->getCalledOperand() == pause)
          pauses.push_back(call);
  if (pauses.empty())
    return false;
  IRBuilder<> builder(module.getContext());
  Type *i32 = builder.getInt32Ty(), *pointer = builder.getPtrTy(),
       *nothing = builder.getVoidTy();
  Function *team =
      Function::Create(FunctionType::get(nothing, {pointer, pointer}, false),
                       GlobalValue::InternalLinkage, "openmp.wake", module);
  builder.SetInsertPoint(
      BasicBlock::Create(module.getContext(), "entry", team));
  // LLVM removes teams that do nothing.
  builder.CreateCall(InlineAsm::get(FunctionType::get(nothing, false), "",
                                    "~{memory}", /*hasSideEffects=*/true));
  builder.CreateRetVoid();
  // Where the program is, in the library's form.
  StringRef text = ";unknown;unknown;0;0;;";
  Constant *name = builder.CreateGlobalString(text, "", 0, &module);
  constexpr uint32_t isFromCompiler = 2;
  Constant *place = ConstantStruct::getAnon(
      {builder.getInt32(0), builder.getInt32(isFromCompiler),
       builder.getInt32(0), builder.getInt32(text.size()), name});
  auto *variable = new GlobalVariable(module, place->getType(), true,
                                      GlobalValue::PrivateLinkage, place);
  FunctionCallee fork = module.getOrInsertFunction(
      "__kmpc_fork_call",
      FunctionType::get(nothing, {pointer, i32, pointer}, /*isVarArg=*/true));
  for (CallBase *pause : pauses) {
    builder.SetInsertPoint(pause);
    builder.SetCurrentDebugLocation(pause->getDebugLoc());
    builder.CreateCall(fork, {variable, builder.getInt32(0), team});
  }
  return true;
}
