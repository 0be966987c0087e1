//===- OpenMPTaskLoops.cpp - Loops whose iterations are tasks -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function of a task runs some of the iterations. A copy of it that runs a
// single one becomes the body of a loop that a team shares, as clang would have
// written that.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTaskLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

//===----------------------------------------------------------------------===//
// A loop
//===----------------------------------------------------------------------===//

bool openmp::isNumber(const Value *value, uint64_t number) {
  const auto *constant = dyn_cast_or_null<ConstantInt>(value);
  return constant && constant->equalsInt(number);
}

/// Iterations are numbered from 0, and no task is to be run at once or by the
/// thread that makes it. Who needs to know which task has the last iteration,
/// and reductions, want more of tasks.
bool TaskLoop::readBounds() {
  task = dyn_cast<CallInst>(start.getArgOperand(2));
  if (!task || calledRuntime(*task) != "__kmpc_omp_task_alloc")
    return false;
  constexpr uint64_t untied = 0, tied = 1;
  const Value *flags = task->getArgOperand(2);
  const auto *duplicate = dyn_cast<Constant>(start.getArgOperand(10));
  auto *step = dyn_cast<LoadInst>(start.getArgOperand(6));
  last = const_cast<Value *>(onlyAssigned(*start.getArgOperand(5)));
  // Of tasks of many iterations, there may be a single one.
  constexpr uint64_t bySize = 1, byNumber = 2;
  const auto *wish = dyn_cast<ConstantInt>(start.getArgOperand(9));
  if ((isNumber(start.getArgOperand(8), bySize) && !isNumber(wish, 1)) ||
      (isNumber(start.getArgOperand(8), byNumber) && (!wish || wish->isOne())))
    return false;
  return (isNumber(flags, untied) || isNumber(flags, tied)) &&
         isNumber(start.getArgOperand(3), 1) && duplicate &&
         duplicate->isNullValue() && last && step &&
         isNumber(onlyAssigned(*start.getArgOperand(4)), 0) &&
         isNumber(onlyAssigned(*step->getPointerOperand()), 1);
}

/// The member of the list of what tasks share that a pointer leads to.
std::optional<unsigned> TaskLoop::memberAt(const Value &pointer,
                                           const Value &list) const {
  const DataLayout &layout = start.getDataLayout();
  const StructLayout *members = layout.getStructLayout(sharedType);
  APInt offset(64, 0);
  if (pointer.stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true) != &list ||
      offset.uge(members->getSizeInBytes()))
    return std::nullopt;
  unsigned member = members->getElementContainingOffset(offset.getZExtValue());
  return members->getElementOffset(member) == offset.getZExtValue()
             ? std::optional(member)
             : std::nullopt;
}

/// What the tasks get a copy of, is listed in a variable before.
bool TaskLoop::readShared(const DominatorTree &dominators) {
  const auto *size = dyn_cast<ConstantInt>(task->getArgOperand(4));
  if (!size)
    return false;
  if (size->isZero())
    return true;
  const DataLayout &layout = start.getDataLayout();
  for (Instruction &instruction : instructions(*start.getFunction())) {
    auto *copy = dyn_cast<MemCpyInst>(&instruction);
    const auto *place = copy ? dyn_cast<LoadInst>(copy->getDest()) : nullptr;
    if (!place || place->getPointerOperand()->stripInBoundsOffsets() != task)
      continue;
    if (capture)
      return false;
    capture = copy;
  }
  captured = capture ? dyn_cast<AllocaInst>(capture->getSource()) : nullptr;
  sharedType =
      captured ? dyn_cast<StructType>(captured->getAllocatedType()) : nullptr;
  if (!sharedType || !dominators.dominates(capture, &start) ||
      layout.getTypeAllocSize(sharedType) != size->getZExtValue())
    return false;
  shared.resize(sharedType->getNumElements());
  for (const Use *use : usesOfObject(*captured)) {
    User *user = use->getUser();
    if (user == capture || cast<Instruction>(user)->isLifetimeStartOrEnd())
      continue;
    auto *store = dyn_cast<StoreInst>(user);
    std::optional<unsigned> member;
    if (store)
      member = memberAt(*store->getPointerOperand(), *captured);
    if (!member)
      return false;
    Value *value = store->getValueOperand();
    if (shared[*member] ||
        value->getType() != sharedType->getElementType(*member) ||
        !(value->getType()->isPointerTy() ||
          value->getType()->isIntegerTy(64)) ||
        !dominators.dominates(store, capture))
      return false;
    shared[*member] = value;
  }
  return !is_contained(shared, nullptr);
}

bool TaskLoop::readCode() {
  auto *entry = dyn_cast<Function>(task->getArgOperand(5));
  const auto *size = dyn_cast<ConstantInt>(task->getArgOperand(3));
  if (!entry || entry->isDeclaration() || entry->arg_size() != 2 || !size)
    return false;
  promoteParameters(*entry);
  CallInst *call = nullptr;
  for (Instruction &instruction : instructions(*entry))
    if (auto *other = dyn_cast<CallInst>(&instruction);
        other && !isa<IntrinsicInst>(other)) {
      if (call)
        return false;
      call = other;
    }
  Function *code = call ? call->getCalledFunction() : nullptr;
  if (!code || code->isDeclaration() || code->arg_size() != NumParameters ||
      !code->getArg(First)->getName().starts_with(".lb.") ||
      !code->getArg(Last)->getName().starts_with(".ub.") ||
      !code->getArg(Privates)->getName().starts_with(".privates.") ||
      !code->getArg(Shared)->getName().starts_with("__context"))
    return false;
  map = dyn_cast<Function>(call->getArgOperand(Map));
  if (map) {
    APInt offset(64, 0);
    if (call->getArgOperand(Privates)->stripAndAccumulateConstantOffsets(
            start.getDataLayout(), offset, /*AllowNonInbounds=*/true) !=
            entry->getArg(1) ||
        offset.uge(size->getValue()))
      return false;
    privatesBegin = offset.getZExtValue();
  }
  bytes = size->getZExtValue();
  ValueToValueMapTy values;
  body = CloneFunction(code, values);
  body->setName(code->getName() + "team");
  promoteParameters(*body);
  for (unsigned parameter : {Part, Task, Step, IsLast, Reductions})
    if (!body->getArg(parameter)->use_empty())
      return false;
  for (const Instruction &instruction : instructions(*body))
    if (StringRef name = calledRuntime(instruction);
        !name.empty() && name != "__kmpc_critical" &&
        name != "__kmpc_end_critical" && name != "__kmpc_global_thread_num")
      return false;
  const Argument &first = *body->getArg(First);
  const auto *cut =
      first.hasOneUse() ? dyn_cast<TruncInst>(*first.user_begin()) : nullptr;
  type =
      cut && cut->getType()->isIntegerTy(32) ? cut->getType() : first.getType();
  return readsListOnly() && narrow();
}

/// A copy of the code of a task that says whether there are iterations at all:
/// the number of the last one only means something then. Null: there are.
Function *TaskLoop::makeQuestion() {
  if (none_of(*body, [](const BasicBlock &block) {
        return block.getName().starts_with("taskloop.if.then");
      }))
    return nullptr;
  LLVMContext &context = body->getContext();
  Function *question =
      copyWork(*body, Type::getInt1Ty(context), body->getName() + ".question");
  for (BasicBlock &block : *question) {
    bool isInside = block.getName().starts_with("taskloop.if.then");
    if (!isInside && !isa<ReturnInst>(block.getTerminator()))
      continue;
    for (BasicBlock *next : successors(&block))
      next->removePredecessor(&block);
    Instruction *first =
        isInside ? &*block.getFirstNonPHIIt() : block.getTerminator();
    while (&block.back() != first) {
      block.back().replaceAllUsesWith(PoisonValue::get(block.back().getType()));
      block.back().eraseFromParent();
    }
    IRBuilder<> builder(first);
    builder.CreateRet(builder.getInt1(isInside));
    first->eraseFromParent();
  }
  removeUnreachableBlocks(*question);
  // It becomes code of the team, as the code of a task does.
  DISubprogram *described = body->getSubprogram();
  for (Instruction &instruction : instructions(*question)) {
    instruction.dropDbgRecords();
    instruction.setDebugLoc(
        described ? DebugLoc(DILocation::get(context, described->getLine(), 0,
                                             described))
                  : DebugLoc());
  }
  question->setSubprogram(nullptr);
  return question;
}

/// What the function of a task gets to run one iteration, and to look at its
/// variables there.
SmallVector<Value *> TaskLoop::argumentsFor(IRBuilder<> &builder, Value *thread,
                                            Value *privates,
                                            Value *iteration) const {
  SmallVector<Value *> arguments(NumParameters,
                                 Constant::getNullValue(builder.getPtrTy()));
  arguments[Thread] = thread;
  if (map) {
    arguments[Privates] = privates;
    arguments[Map] = map;
  }
  arguments[First] = arguments[Last] = iteration;
  arguments[Step] = builder.getInt64(1);
  arguments[IsLast] = builder.getInt32(0);
  if (context)
    arguments[Shared] = context;
  return arguments;
}

/// Whether a task only reads the list of what it shares, member by member.
bool TaskLoop::readsListOnly() const {
  if (!sharedType)
    return body->getArg(Shared)->use_empty();
  Value &list = *body->getArg(Shared);
  return all_of(usesOfObject(list), [&](const Use *use) {
    const auto *load = dyn_cast<LoadInst>(use->getUser());
    std::optional<unsigned> member;
    if (load)
      member = memberAt(*load->getPointerOperand(), list);
    return member && load->getType() == sharedType->getElementType(*member);
  });
}

/// Has the code of a task run its first iteration only.
bool TaskLoop::narrow() {
  DominatorTree dominators(*body);
  LoopInfo loops(dominators);
  unsigned numExits = 0;
  for (User *user : make_early_inc_range(body->getArg(Last)->users())) {
    if (isa<BinaryOperator>(user) && user->hasOneUse())
      user = *user->user_begin();
    auto *branch = user->hasOneUse() && isa<ICmpInst>(user)
                       ? dyn_cast<BranchInst>(*user->user_begin())
                       : nullptr;
    const Loop *loop = branch ? loops.getLoopFor(branch->getParent()) : nullptr;
    if (!loop || loop->getHeader() != branch->getParent())
      return false;
    BasicBlock *inside = branch->getSuccessor(0),
               *outside = branch->getSuccessor(1);
    if (loop->contains(outside))
      std::swap(inside, outside);
    if (!loop->contains(inside) || loop->contains(outside) ||
        !outside->phis().empty() || !loop->getHeader()->phis().empty())
      return false;
    SmallVector<BasicBlock *, 2> latches;
    loop->getLoopLatches(latches);
    for (BasicBlock *latch : latches)
      latch->getTerminator()->replaceSuccessorWith(loop->getHeader(), outside);
    IRBuilder<> builder(branch);
    builder.CreateBr(inside);
    branch->eraseFromParent();
    noteCounter(*inside);
    ++numExits;
  }
  return numExits == 1;
}

bool TaskLoop::read(const DominatorTree &dominators) {
  return readBounds() && readShared(dominators) && readCode();
}

void TaskLoop::dropTasks() {
  Function &host = *start.getFunction();
  IRBuilder<> builder(&host.getEntryBlock(), host.getEntryBlock().begin());
  auto *memory = builder.CreateAlloca(
      ArrayType::get(builder.getInt8Ty(), bytes), nullptr, "task");
  memory->setAlignment(Align(16));
  task->replaceAllUsesWith(memory);
  task->eraseFromParent();
  task = nullptr;
  // As long as the list is there, others might find what is shared.
  if (capture) {
    capture->eraseFromParent();
    SmallVector<Instruction *> users;
    users.push_back(captured);
    for (unsigned i = 0; i != users.size(); ++i)
      for (User *user : users[i]->users())
        users.push_back(cast<Instruction>(user));
    for (Instruction *user : reverse(users))
      user->eraseFromParent();
  }
  start.setArgOperand(2, memory);
}

//===----------------------------------------------------------------------===//
// The team of a loop
//===----------------------------------------------------------------------===//

/// Where the team finds what each iteration gets a copy of.
Value *TaskLoop::allPrivates(IRBuilder<> &builder) const {
  return builder.CreateConstInBoundsGEP1_64(
      builder.getInt8Ty(), team->getArg(team->arg_size() - 1), privatesBegin);
}

/// Each iteration has variables of its own, and sees those of all.
void TaskLoop::fillIteration(IRBuilder<> &builder, Value *thread,
                             Value *iteration) {
  AllocaInst *privates = nullptr;
  if (map) {
    uint64_t size = bytes - privatesBegin;
    IRBuilder<> atEntry(&team->getEntryBlock(), team->getEntryBlock().begin());
    privates = atEntry.CreateAlloca(ArrayType::get(builder.getInt8Ty(), size),
                                    nullptr, "privates");
    privates->setAlignment(Align(16));
    builder.CreateLifetimeStart(privates);
    builder.CreateMemCpy(privates, Align(8), allPrivates(builder), Align(8),
                         size);
  }
  CallInst *call = builder.CreateCall(
      body, argumentsFor(builder, thread, privates, iteration));
  if (map)
    builder.CreateLifetimeEnd(privates);
  DISubprogram *described = body->getSubprogram();
  [[maybe_unused]] bool isInlined = inlineCall(*call);
  assert(isInlined && "the code of a task has no unusual calls");
  body->setSubprogram(nullptr);
  body->eraseFromParent();
  body = nullptr;
  team->setSubprogram(described);
  SmallVector<CallInst *> maps;
  for (Instruction &instruction : instructions(*team))
    if (auto *found = dyn_cast<CallInst>(&instruction);
        found && map && found->getCalledOperand() == map)
      maps.push_back(found);
  for (CallInst *found : maps)
    inlineCall(*found);
  if (!sharedType)
    return;
  // What is read from the list, are the parameters.
  SmallVector<Instruction *> users;
  SmallVector<LoadInst *> loads;
  users.push_back(context);
  for (unsigned i = 0; i != users.size(); ++i)
    for (User *user : users[i]->users())
      if (auto *load = dyn_cast<LoadInst>(user))
        loads.push_back(load);
      else
        users.push_back(cast<Instruction>(user));
  for (LoadInst *load : loads) {
    load->replaceAllUsesWith(
        team->getArg(3 + *memberAt(*load->getPointerOperand(), *context)));
    load->eraseFromParent();
  }
  for (Instruction *user : reverse(users))
    user->eraseFromParent();
}

/// As clang writes teams that share a loop.
void TaskLoop::makeTeam() {
  Module &module = *start.getModule();
  IRBuilder<> builder(module.getContext());
  Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty(),
       *pointer = builder.getPtrTy();
  SmallVector<Type *> types = {pointer, pointer, i64};
  for (Value *value : shared)
    types.push_back(value->getType());
  if (map)
    types.push_back(pointer);
  team = Function::Create(
      FunctionType::get(builder.getVoidTy(), types, /*isVarArg=*/false),
      GlobalValue::InternalLinkage,
      start.getFunction()->getName() + ".taskloop.omp_outlined", module);
  team->addFnAttrs(
      AttrBuilder(module.getContext(), body->getAttributes().getFnAttrs()));
  for (Attribute::AttrKind kind :
       {Attribute::AlwaysInline, Attribute::NoInline, Attribute::OptimizeNone})
    team->removeFnAttr(kind);
  for (unsigned index : {0u, 1u})
    team->addParamAttr(index, Attribute::NoAlias);
  team->getArg(2)->setName("last");
  for (auto [index, value] : enumerate(shared)) {
    Argument *argument = team->getArg(3 + index);
    argument->setName(plainName(value->getName()));
    bool mayBeNull = false, mayBeFreed = false;
    if (value->getType()->isPointerTy())
      if (uint64_t known = value->getPointerDereferenceableBytes(
              module.getDataLayout(), mayBeNull, mayBeFreed);
          known && !mayBeNull)
        argument->addAttr(
            Attribute::getWithDereferenceableBytes(module.getContext(), known));
  }
  if (map)
    team->getArg(team->arg_size() - 1)->setName("task");
  auto block = [&](const Twine &name) {
    return BasicBlock::Create(module.getContext(), name, team);
  };
  // There may be more iterations than signed numbers of 32 bits.
  bool isWide = type == i64;
  std::string suffix = isWide ? "8" : "4u";
  BasicBlock *entry = block("entry"), *ask = block("omp.dispatch.cond"),
             *begin = block("omp.dispatch.body"),
             *condition = block("omp.inner.for.cond"),
             *inside = block("omp.inner.for.body"),
             *next = block("omp.inner.for.inc"),
             *more = block("omp.dispatch.inc"),
             *end = block("omp.dispatch.end"), *none = block("omp.precond.end");
  builder.SetInsertPoint(entry);
  auto variable = [&](Type *held, const Twine &name) {
    return builder.CreateAlloca(held, nullptr, name);
  };
  Value *isLast = variable(i32, ".omp.is_last"),
        *lower = variable(type, ".omp.lb"), *upper = variable(type, ".omp.ub"),
        *stride = variable(type, ".omp.stride"),
        *at = variable(type, ".omp.iv");
  Constant *one = ConstantInt::get(type, 1);
  Value *thread = builder.CreateLoad(i32, team->getArg(0));
  Value *place = start.getArgOperand(0);
  if (sharedType)
    context = builder.CreateAlloca(sharedType, nullptr, "captured");
  if (Function *question = makeQuestion()) {
    Value *privates = map ? allPrivates(builder) : nullptr;
    CallInst *answer = builder.CreateCall(
        question, argumentsFor(builder, thread, privates, builder.getInt64(0)));
    BasicBlock *init = block("omp.precond.then");
    builder.CreateCondBr(answer, init, none);
    builder.SetInsertPoint(init);
    [[maybe_unused]] bool isInlined = inlineCall(*answer);
    assert(isInlined && "the code of a task has no unusual calls");
    question->eraseFromParent();
  }
  constexpr unsigned guided = 36;
  callByName(builder, "__kmpc_dispatch_init_" + suffix, builder.getVoidTy(),
             {place, thread, builder.getInt32(guided),
              ConstantInt::get(type, 0),
              builder.CreateTrunc(team->getArg(2), type), one, one});
  builder.CreateBr(ask);
  builder.SetInsertPoint(ask);
  Value *isMore = callByName(builder, "__kmpc_dispatch_next_" + suffix, i32,
                             {place, thread, isLast, lower, upper, stride});
  builder.CreateCondBr(builder.CreateIsNotNull(isMore), begin, end);
  builder.SetInsertPoint(begin);
  builder.CreateStore(builder.CreateLoad(type, lower), at);
  builder.CreateBr(condition);
  builder.SetInsertPoint(condition);
  Value *iteration = builder.CreateLoad(type, at);
  builder.CreateCondBr(
      builder.CreateICmp(isWide ? ICmpInst::ICMP_SLE : ICmpInst::ICMP_ULE,
                         iteration, builder.CreateLoad(type, upper)),
      inside, more);
  builder.SetInsertPoint(next);
  builder.CreateStore(builder.CreateAdd(builder.CreateLoad(type, at), one), at);
  builder.CreateBr(condition);
  builder.SetInsertPoint(more);
  builder.CreateBr(ask);
  builder.SetInsertPoint(end);
  callByName(builder, "__kmpc_dispatch_deinit", builder.getVoidTy(),
             {place, thread});
  builder.CreateBr(none);
  builder.SetInsertPoint(none);
  builder.CreateRetVoid();
  builder.SetInsertPoint(inside);
  builder.SetInsertPoint(builder.CreateBr(next));
  fillIteration(builder, thread,
                builder.CreateZExt(builder.CreateLoad(type, at), i64));
}

void TaskLoop::startTeam() {
  Module &module = *start.getModule();
  makeTeam();
  IRBuilder<> builder(&start);
  Type *i32 = builder.getInt32Ty(), *pointer = builder.getPtrTy();
  Value *place = start.getArgOperand(0), *memory = start.getArgOperand(2);
  SmallVector<Value *> arguments = {
      place, builder.getInt32(team->arg_size() - 2), team, last};
  append_range(arguments, shared);
  if (map)
    arguments.push_back(memory);
  builder.CreateCall(
      module.getOrInsertFunction("__kmpc_fork_call",
                                 FunctionType::get(builder.getVoidTy(),
                                                   {pointer, i32, pointer},
                                                   /*isVarArg=*/true)),
      arguments);
  start.eraseFromParent();
}

void TaskLoop::repeatWish(CallInst &wish) {
  auto *fork = cast<CallInst>(*team->user_begin());
  if (fork->getFunction() == wish.getFunction())
    wish.clone()->insertBefore(fork->getIterator());
}
