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
//      iteration; 0: none has assigned.
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
  bool readEnd(Instruction &load);
  Value *giveNumber();
  void setBack(Value &own);
  void dropFlags();

  Function &function;
  GlobalVariable &value, &number, &lock;
  /// Where the program's variable gets the value.
  struct End {
    BasicBlock *block;
    SmallVector<StoreInst *> stores;
  };
  SmallVector<End> ends;
  /// Numbers of iterations that are stored.
  SmallVector<StoreInst *> updates;
  Value *variable = nullptr;
  /// The thread's own one. Clang puts a flag beside it for teams in the loop.
  SetVector<Value *> copies;
  /// A team shares the loops.
  bool isShared = false;
  /// Each may be run once only.
  bool isOnce = true;
};
} // namespace

/// Clang copies the value to the thread's variable, and from there to the
/// program's.
bool LastAssigned::readEnd(Instruction &load) {
  BasicBlock *block = load.getParent();
  const bool isTeams = block->getName().starts_with(".omp.lastprivate.then");
  Value *own = nullptr;
  End end{.block = block, .stores = {}};
  for (Instruction &at : make_range(load.getIterator(), block->end())) {
    auto *store = dyn_cast<StoreInst>(&at);
    auto *read = store ? dyn_cast<LoadInst>(store->getValueOperand()) : nullptr;
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
  ends.push_back(std::move(end));
  return !isTeams ||
         (block->getSinglePredecessor() && block->getSingleSuccessor());
}

/// Clang's test whether an iteration is later than the last one so far.
static ICmpInst *comparisonOf(const StoreInst &update) {
  const BasicBlock *before = update.getParent()->getSinglePredecessor();
  const auto *branch =
      before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  auto *later = branch && branch->isConditional()
                    ? dyn_cast<ICmpInst>(branch->getCondition())
                    : nullptr;
  return later && later->getOperand(1) == update.getValueOperand() ? later
                                                                   : nullptr;
}

bool LastAssigned::read() {
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && store->getPointerOperand() == &number) {
      if (!comparisonOf(*store))
        return false;
      updates.push_back(store);
    }
  // What is read is copied behind the loop.
  for (User *user : value.users()) {
    auto *load = dyn_cast<LoadInst>(user);
    if (load && load->getFunction() == &function && !readEnd(*load))
      return false;
  }
  if (ends.empty() || updates.empty())
    return false;
  DominatorTree dominators(function);
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
  Type *type = number.getValueType();
  auto reserve = [&](Function &in) {
    IRBuilder<> builder(&*in.getEntryBlock().getFirstInsertionPt());
    return builder.CreateAlloca(type, nullptr, value.getName() + ".number");
  };
  Constant *none = Constant::getNullValue(type);
  if (!isShared) {
    AllocaInst *own = reserve(function);
    IRBuilder<>(own->getNextNode()).CreateStore(none, own);
    return own;
  }
  if (CallInst *fork = onlyFork(function)) {
    AllocaInst *own = reserve(*fork->getFunction());
    IRBuilder<>(fork).CreateStore(none, own);
    return addParameter(function, *fork, *own);
  }
  // Teams of callers get here.
  isOnce = false;
  return new GlobalVariable(*function.getParent(), type, /*isConstant=*/false,
                            GlobalValue::InternalLinkage, none,
                            value.getName() + ".number");
}

/// Behind the loops.
void LastAssigned::setBack(Value &own) {
  Constant *none = Constant::getNullValue(number.getValueType());
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
    BasicBlock *before = end.block->getSinglePredecessor();
    BasicBlock *behind = end.block->getSingleSuccessor();
    if (end.block->size() == 1) {
      // The thread with the last iteration has nothing to do.
      auto *branch = cast<BranchInst>(before->getTerminator());
      Value *isLast = branch->getCondition();
      IRBuilder<>(branch).CreateBr(behind);
      branch->eraseFromParent();
      RecursivelyDeleteTriviallyDeadInstructions(isLast);
      DeleteDeadBlock(end.block);
    }
    if (isOnce)
      continue;
    // There is a barrier before. Nobody may go on until the number is set.
    CallInst *barrier = nullptr;
    for (Instruction &instruction : *before)
      if (calledRuntime(instruction) == "__kmpc_barrier")
        barrier = cast<CallInst>(&instruction);
    Instruction *first = &*behind->getFirstInsertionPt();
    Module &module = *barrier->getModule();
    SmallVector<Value *> thread(barrier->args());
    FunctionType *asks = FunctionType::get(
        Type::getInt32Ty(module.getContext()),
        barrier->getFunctionType()->params(), /*isVarArg=*/false);
    IRBuilder<> builder(first);
    builder.SetCurrentDebugLocation(barrier->getDebugLoc());
    Value *isFirst = builder.CreateIsNotNull(builder.CreateCall(
        module.getOrInsertFunction("__kmpc_single", asks), thread));
    builder.Insert(barrier->clone());
    Instruction *only = SplitBlockAndInsertIfThen(
        isFirst, &*std::prev(builder.GetInsertPoint()), /*Unreachable=*/false);
    builder.SetInsertPoint(only);
    builder.CreateStore(none, &own);
    builder.CreateCall(module.getOrInsertFunction("__kmpc_end_single",
                                                  barrier->getFunctionType()),
                       thread);
  }
}

/// The flag is nobody's business if no team is started in the loop.
void LastAssigned::dropFlags() {
  for (Value *copy : copies) {
    Value *both = copy->stripInBoundsOffsets();
    for (User *user : make_early_inc_range(both->users())) {
      auto *part = dyn_cast<GetElementPtrInst>(user);
      if (!part || part == copy || !all_of(part->users(), [&](User *use) {
            return isa<StoreInst>(use) &&
                   cast<StoreInst>(use)->getPointerOperand() == part;
          }))
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
