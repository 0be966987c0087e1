//===- OpenMPLastAssigned.cpp - Values of the last iteration that sets one ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For 'lastprivate(conditional: x)', clang keeps the number of the last
// iteration that has assigned to x, and the value, in two global variables
// which a lock guards, and stores the value to x behind the loop. But nobody
// sets these variables back, all teams share them, and x gets a value even if
// no iteration assigns to it.
//   1. Iterations store to x itself.
//   2. Each start of a team has a number of its own, one more than that of the
//      iteration; 0: none has assigned. So has each loop of a function that is
//      called by teams.
//   3. Where a team gets to such loops more than once, one thread sets it back.
// This makes x independent of the order in which iterations get the lock.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"
#include "sluice/Frontend/OpenMP/LowerOpenMP.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

static constexpr StringLiteral clangPrefix = "pl_cond.";

namespace {
/// The use that one function makes of clang's variables for one of the
/// program's.
class LastAssigned {
public:
  LastAssigned(Function &function, GlobalVariable &value,
               GlobalVariable &number, GlobalVariable &lock)
      : function(function), value(value), number(number), lock(lock) {}

  /// Whether all of it is understood.
  bool read();
  void change();

private:
  bool readEnd(Instruction &load, const DominatorTree &dominators);
  Value *giveNumber();
  void passOn(Value &place, CallInst &start);
  void setBack(Value &own);
  void dropFlags();

  Function &function;
  GlobalVariable &value, &number, &lock;
  /// Where the program's variable gets the value.
  struct End {
    BasicBlock *block;
    SmallVector<StoreInst *> stores;
    /// For teams: what the thread with the last iteration does, and the blocks
    /// before and behind it.
    SmallVector<BasicBlock *> copying;
    BasicBlock *before = nullptr, *behind = nullptr;
    /// Whether the copying is understood.
    bool readCopying(const DominatorTree &dominators);
  };
  SmallVector<End> ends;
  /// Numbers of iterations that are stored.
  SmallVector<StoreInst *> updates;
  /// Their type. Clang has one variable for all instances of a template.
  Type *type = nullptr;
  Value *variable = nullptr;
  /// The thread's own one. Clang puts a flag beside it for teams in the loop.
  SetVector<Value *> copies;
  /// A team shares the loops.
  bool isShared = false;
  /// Each may be run once only.
  bool isOnce = true;
  /// Threads know where the number is.
  bool isPassed = false;
};
} // namespace

/// What is stored. Clang keeps a 'bool' in a byte.
static Value *withoutCasts(StoreInst &store) {
  Value *stored = store.getValueOperand();
  while (isa<TruncInst, ZExtInst>(stored))
    stored = cast<CastInst>(stored)->getOperand(0);
  return stored;
}

static CallInst *barrierOf(BasicBlock &block) {
  for (Instruction &instruction : block)
    if (calledRuntime(instruction) == "__kmpc_barrier")
      return cast<CallInst>(&instruction);
  return nullptr;
}

static bool readsLastAssigned(const Instruction &instruction) {
  const Value *place = getLoadStorePointerOperand(&instruction);
  const auto *read =
      place ? dyn_cast<GlobalVariable>(place->stripInBoundsOffsets()) : nullptr;
  return read && isOfLastAssigned(*read);
}

/// Objects of classes are copied by calls, which may take several blocks.
bool LastAssigned::End::readCopying(const DominatorTree &dominators) {
  BasicBlock *first = copying.front();
  BranchInst *branch = branchBefore(*first);
  if (!branch || !barrierOf(*branch->getParent()))
    return false;
  before = branch->getParent();
  behind = branch->getSuccessor(branch->getSuccessor(0) == first);
  for (BasicBlock &one : *first->getParent())
    if (&one != first && dominators.dominates(first, &one))
      copying.push_back(&one);
  return !is_contained(copying, behind) &&
         all_of(predecessors(behind), [&](BasicBlock *from) {
           return from == before || is_contained(copying, from);
         });
}

/// Clang copies the value to the thread's variable, and from there to the
/// program's.
bool LastAssigned::readEnd(Instruction &load, const DominatorTree &dominators) {
  BasicBlock *block = load.getParent();
  const auto *node = dominators.getNode(block);
  while (node &&
         !node->getBlock()->getName().starts_with(".omp.lastprivate.then"))
    node = node->getIDom();
  const bool isTeams = node;
  Value *own = nullptr;
  End end{.block = block, .stores = {}, .copying = {}};
  for (Instruction &at : make_range(load.getIterator(), block->end())) {
    auto *store = dyn_cast<StoreInst>(&at);
    auto *read = store ? dyn_cast<LoadInst>(withoutCasts(*store)) : nullptr;
    if (!read)
      continue;
    Value *place = store->getPointerOperand();
    const Value *base = read->getPointerOperand()->stripInBoundsOffsets();
    if (base == &value) {
      if (own)
        break;
      own = place;
      copies.insert(place);
      end.stores.push_back(store);
    } else if (own && base == own->stripInBoundsOffsets()) {
      if (variable && variable != place)
        return false;
      variable = place;
      end.stores.push_back(store);
    }
  }
  if (end.stores.size() < 2 || (!ends.empty() && isTeams != isShared))
    return false;
  isShared = isTeams;
  if (isTeams) {
    end.copying.push_back(node->getBlock());
    if (!end.readCopying(dominators))
      return false;
  }
  ends.push_back(std::move(end));
  return true;
}

/// Clang's test whether an iteration is later than the last one so far.
static ICmpInst *comparisonOf(const StoreInst &update) {
  const BranchInst *branch = branchBefore(*update.getParent());
  auto *later = branch ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  return later && later->getOperand(1) == update.getValueOperand() ? later
                                                                   : nullptr;
}

bool LastAssigned::read() {
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && store->getPointerOperand() == &number) {
      if (!comparisonOf(*store) ||
          (type && type != store->getValueOperand()->getType()))
        return false;
      type = store->getValueOperand()->getType();
      updates.push_back(store);
    }
  DominatorTree dominators(function);
  // What is read is copied behind the loop.
  for (User *user : value.users()) {
    auto *load = dyn_cast<LoadInst>(user);
    if (load && load->getFunction() == &function && !readEnd(*load, dominators))
      return false;
  }
  if (ends.empty() || updates.empty())
    return false;
  LoopInfo loops(dominators);
  isOnce = ends.size() == 1 && !loops.getLoopFor(ends.front().block);
  const auto *known = dyn_cast<Instruction>(variable);
  return !known || all_of(value.users(), [&](const User *user) {
    const auto *use = dyn_cast<Instruction>(user);
    return !use || use->getFunction() != &function ||
           dominators.dominates(known, use);
  });
}

/// The call that starts the team of a function, if there is one only.
static CallInst *onlyFork(Function &function) {
  auto *fork = function.hasOneUse() ? dyn_cast<CallInst>(*function.user_begin())
                                    : nullptr;
  return fork && calledRuntime(*fork) == "__kmpc_fork_call" &&
                 fork->getArgOperand(2) == &function &&
                 fork->arg_size() == function.arg_size() + 1
             ? fork
             : nullptr;
}

/// A function of a team with a parameter more, for which its start passes an
/// argument.
static Argument *addParameter(Function &function, CallInst &fork,
                              Value &argument) {
  SmallVector<Type *> types(function.getFunctionType()->params());
  types.push_back(argument.getType());
  Function *wider = Function::Create(
      FunctionType::get(function.getReturnType(), types, /*isVarArg=*/false),
      function.getLinkage(), function.getAddressSpace(), "",
      function.getParent());
  wider->copyAttributesFrom(&function);
  wider->takeName(&function);
  wider->setSubprogram(function.getSubprogram());
  wider->splice(wider->begin(), &function);
  for (auto [from, to] : zip(function.args(), wider->args())) {
    to.takeName(&from);
    from.replaceAllUsesWith(&to);
  }
  IRBuilder<> builder(&fork);
  SmallVector<Value *> passed(fork.args());
  passed[1] = builder.getInt32(unsigned(types.size()) - 2);
  passed[2] = wider;
  passed.push_back(&argument);
  CallInst *call = builder.CreateCall(fork.getFunctionType(),
                                      fork.getCalledOperand(), passed);
  call->setDebugLoc(fork.getDebugLoc());
  call->copyMetadata(fork);
  fork.eraseFromParent();
  function.eraseFromParent();
  return wider->getArg(unsigned(types.size()) - 1);
}

/// Returns where the number is kept.
Value *LastAssigned::giveNumber() {
  auto reserve = [&](Function &in, Type *type) {
    IRBuilder<> builder(&*in.getEntryBlock().getFirstInsertionPt());
    return builder.CreateAlloca(type, nullptr, value.getName() + ".number");
  };
  Constant *none = Constant::getNullValue(type);
  if (!isShared) {
    AllocaInst *own = reserve(function, type);
    IRBuilder<>(own->getNextNode()).CreateStore(none, own);
    return own;
  }
  if (CallInst *fork = onlyFork(function)) {
    AllocaInst *own = reserve(*fork->getFunction(), type);
    IRBuilder<>(fork).CreateStore(none, own);
    return addParameter(function, *fork, *own);
  }
  // Teams of callers get here, maybe several at once: one thread of each passes
  // its number to the others when they start a loop.
  isOnce = true;
  isPassed = true;
  AllocaInst *own = reserve(function, type);
  AllocaInst *place = reserve(function, own->getType());
  SmallVector<CallInst *> starts;
  for (Instruction &at : instructions(function))
    if (startsLoop(at))
      starts.push_back(cast<CallInst>(&at));
  for (CallInst *start : starts) {
    IRBuilder<> builder(start);
    builder.CreateStore(none, own);
    builder.CreateStore(own, place);
    passOn(*place, *start);
  }
  return place;
}

/// Has all threads get what one of them has in a place. They wait for it, and
/// for each other.
void LastAssigned::passOn(Value &place, CallInst &start) {
  Module &module = *function.getParent();
  IRBuilder<> builder(&start);
  Type *pointer = builder.getPtrTy();
  auto *copies = FunctionType::get(builder.getVoidTy(), {pointer, pointer},
                                   /*isVarArg=*/false);
  Function *copy = module.getFunction("openmp.pass.number");
  if (!copy) {
    copy = Function::Create(copies, GlobalValue::InternalLinkage,
                            "openmp.pass.number", module);
    IRBuilder<> body(BasicBlock::Create(module.getContext(), "", copy));
    body.CreateStore(body.CreateLoad(pointer, copy->getArg(1)),
                     copy->getArg(0));
    body.CreateRetVoid();
  }
  Value *site = start.getArgOperand(0), *thread = start.getArgOperand(1);
  Type *number = builder.getInt32Ty();
  Value *isFirst = callByName(builder, "__kmpc_single", number, {site, thread});
  builder.SetInsertPoint(
      SplitBlockAndInsertIfThen(builder.CreateIsNotNull(isFirst), &start,
                                /*Unreachable=*/false));
  builder.SetCurrentDebugLocation(start.getDebugLoc());
  callByName(builder, "__kmpc_end_single", builder.getVoidTy(), {site, thread});
  builder.SetInsertPoint(&start);
  callByName(builder, "__kmpc_copyprivate", builder.getVoidTy(),
             {site, thread, builder.getInt64(8), &place, copy, isFirst});
}

/// Behind the loops.
void LastAssigned::setBack(Value &own) {
  Constant *none = Constant::getNullValue(type);
  for (End &end : ends) {
    for (StoreInst *store : reverse(end.stores)) {
      Value *read = store->getValueOperand();
      store->eraseFromParent();
      RecursivelyDeleteTriviallyDeadInstructions(read);
    }
    if (!isShared) {
      IRBuilder<>(end.block->getTerminator()).CreateStore(none, &own);
      continue;
    }
    CallInst *barrier = barrierOf(*end.before);
    Instruction *first = &*end.behind->getFirstInsertionPt();
    if (end.copying.size() == 1 && end.block->size() == 1) {
      // The thread with the last iteration has nothing to do. That the loop has
      // a barrier for it remains to be seen.
      auto *branch = cast<BranchInst>(end.before->getTerminator());
      IRBuilder<>(branch).CreateBr(end.behind);
      branch->eraseFromParent();
      DeleteDeadBlock(end.block);
    } else if (none_of(end.copying, [](const BasicBlock *block) {
                 return any_of(*block, readsLastAssigned);
               })) {
      // It stores values of its iteration, and need not wait for others.
      barrier->moveBefore(first->getIterator());
    }
    if (isOnce)
      continue;
    // There is a barrier before. Nobody may go on until the number is set.
    SmallVector<Value *> thread(barrier->args());
    IRBuilder<> builder(first);
    builder.SetCurrentDebugLocation(barrier->getDebugLoc());
    Value *isFirst = builder.CreateIsNotNull(
        callByName(builder, "__kmpc_single", builder.getInt32Ty(), thread));
    builder.Insert(barrier->clone());
    Instruction *only = SplitBlockAndInsertIfThen(
        isFirst, &*std::prev(builder.GetInsertPoint()), /*Unreachable=*/false);
    builder.SetInsertPoint(only);
    builder.CreateStore(none, &own);
    callByName(builder, "__kmpc_end_single", builder.getVoidTy(), thread);
  }
}

/// Whether anything but stores may use the flag beside a copy.
static bool hasReadFlag(const Value &both, const Value &copy) {
  return !all_of(both.users(), [&](const User *user) {
    const auto *part = dyn_cast<GetElementPtrInst>(user);
    if (!part)
      return user == &copy || &both == &copy ||
             cast<Instruction>(user)->isLifetimeStartOrEnd();
    return part->hasAllZeroIndices() ||
           all_of(part->users(), [&](const User *use) {
             const auto *store = dyn_cast<StoreInst>(use);
             return store && store->getPointerOperand() == part;
           });
  });
}

/// The flag is nobody's business if no team is started in the loop.
void LastAssigned::dropFlags() {
  for (Value *copy : copies) {
    Value *both = copy->stripInBoundsOffsets();
    if (hasReadFlag(*both, *copy))
      continue;
    for (User *user : make_early_inc_range(both->users())) {
      auto *part = dyn_cast<GetElementPtrInst>(user);
      if (!part || part->hasAllZeroIndices())
        continue;
      for (User *use : make_early_inc_range(part->users()))
        cast<Instruction>(use)->eraseFromParent();
      part->eraseFromParent();
    }
    auto *first = dyn_cast<GetElementPtrInst>(copy);
    if (!first || !first->hasAllZeroIndices())
      continue;
    first->replaceAllUsesWith(both);
    first->eraseFromParent();
  }
}

void LastAssigned::change() {
  Value *own = giveNumber();
  Function &changed = *updates.front()->getFunction();
  for (StoreInst *update : updates) {
    auto *later = comparisonOf(*update);
    IRBuilder<> builder(later);
    Value *iteration = update->getValueOperand();
    Value *next =
        builder.CreateAdd(iteration, ConstantInt::get(iteration->getType(), 1));
    later->setOperand(1, next);
    update->setOperand(0, next);
  }
  Module &module = *changed.getParent();
  std::string symbol = (".gomp_critical_user_orderless." +
                        value.getName().substr(clangPrefix.size()) + ".var")
                           .str();
  GlobalVariable *plain = module.getGlobalVariable(symbol);
  if (!plain)
    plain = new GlobalVariable(module, lock.getValueType(),
                               /*isConstant=*/false, lock.getLinkage(),
                               lock.getInitializer(), symbol);
  plain->setAlignment(lock.getAlign());
  setBack(*own);
  dropFlags();
  for (Instruction &instruction : make_early_inc_range(instructions(changed))) {
    if (isPassed && is_contained(instruction.operand_values(), &number))
      instruction.replaceUsesOfWith(
          &number, IRBuilder<>(&instruction).CreateLoad(own->getType(), own));
    instruction.replaceUsesOfWith(&number, own);
    instruction.replaceUsesOfWith(&value, variable);
    if (!is_contained(instruction.operand_values(), &lock))
      continue;
    if (isShared)
      instruction.replaceUsesOfWith(&lock, plain);
    else
      instruction.eraseFromParent();
  }
}

bool sluice::isOfLastAssigned(const GlobalVariable &variable) {
  return variable.getName().starts_with(clangPrefix);
}

bool openmp::keepLastAssigned(Module &module) {
  SmallVector<GlobalVariable *> values;
  for (GlobalVariable &variable : module.globals())
    if (isOfLastAssigned(variable))
      values.push_back(&variable);
  if (values.empty())
    return false;
  SmallVector<Function *> teams;
  for (Function &function : module) {
    auto [start, end] = function.getName().rsplit("omp_outlined");
    if (start != function.getName() && !end.starts_with("_debug__"))
      teams.push_back(&function);
  }
  for (Function *team : teams)
    joinDebugged(*team);
  for (GlobalVariable *value : values) {
    StringRef name = value->getName();
    GlobalVariable *number =
        module.getGlobalVariable(("." + name + ".iv").str());
    GlobalVariable *lock = module.getGlobalVariable(
        (".gomp_critical_user_" + name + ".var").str());
    if (!number || !lock)
      continue;
    convertUsersOfConstantsToInstructions({value});
    SmallSetVector<Function *, 4> users;
    for (GlobalVariable *one : {value, number, lock})
      for (User *user : one->users())
        if (auto *use = dyn_cast<Instruction>(user))
          users.insert(use->getFunction());
    std::vector<LastAssigned> uses;
    for (Function *user : users)
      uses.emplace_back(*user, *value, *number, *lock);
    if (all_of(uses, [](LastAssigned &use) { return use.read(); }))
      for (LastAssigned &use : uses)
        use.change();
  }
  return true;
}
