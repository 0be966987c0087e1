//===- OpenMPPartials.cpp - What threads sum up, and join in the end ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads often sum up in a variable of their own, in one or several loops, and
// add it to a shared variable behind them: in a critical section, by an atomic
// operation, or by a reduction of the whole region. How many threads there are
// does not matter if nothing else is done with the variable. So the host has
// one for all of them, each loop is a reduction of it, and the host joins it
// once.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"
#include "sluice/Analysis/KeptAccesses.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

//===----------------------------------------------------------------------===//
// Reductions of a region
//===----------------------------------------------------------------------===//

/// Whether a thread joins its copies for more than the loop before.
static bool isOfRegion(const CallInst &call, ArrayRef<SharedLoop> loops,
                       const DominatorTree &dominators) {
  const CallInst *start = startBefore(call, dominators);
  const auto *loop =
      find_if(loops, [&](const SharedLoop &one) { return one.start == start; });
  if (loop == loops.end())
    return true;
  for (const Instruction &instruction : instructions(*call.getFunction()))
    if (calledRuntime(instruction) == "__kmpc_barrier" &&
        dominators.dominates(start, &instruction) &&
        dominators.dominates(&instruction, &call))
      return true;
  return !all_of(copiesIn(call), [&](const Value *copy) {
    return isBegunOnce(*copy, [&](const Instruction &user) {
      return is_contained(loop->blocks, user.getParent()) ||
             (isa<LoadInst>(user) && dominators.dominates(&call, &user));
    });
  });
}

/// Nobody gets the list of copies any more.
void openmp::dropList(AllocaInst &list) {
  SmallVector<Instruction *> users;
  SmallVector<Value *> places = {&list};
  for (unsigned i = 0; i != places.size(); ++i)
    for (User *user : places[i]->users()) {
      users.push_back(cast<Instruction>(user));
      if (isa<GetElementPtrInst>(user))
        places.push_back(user);
    }
  for (Instruction *user : reverse(users))
    if (user->use_empty() && (isa<StoreInst, GetElementPtrInst>(user) ||
                              user->isLifetimeStartOrEnd()))
      user->eraseFromParent();
}

Reason ParallelRegion::joinRegion() {
  Reason unusual;
  std::vector<SharedLoop> loops = findSharedLoops(work, unusual);
  if (!unusual.empty())
    return {};
  SmallVector<CallInst *> calls;
  {
    DominatorTree dominators(work);
    for (CallInst *call : reductionCalls(work))
      if (isOfRegion(*call, loops, dominators))
        calls.push_back(call);
  }
  for (CallInst *call : calls) {
    auto *list = dyn_cast<AllocaInst>(call->getArgOperand(4));
    Reason reason = joinPlainly(*call);
    if (!reason.empty())
      return reason;
    if (list)
      dropList(*list);
  }
  if (calls.empty())
    return {};
  removeUnreachableBlocks(work);
  for (BasicBlock &block : work)
    for (Instruction &instruction : make_early_inc_range(reverse(block)))
      if (const Value *place = getLoadStorePointerOperand(&instruction);
          isInstructionTriviallyDead(&instruction) &&
          (!place || isOwnVariable(*place)))
        instruction.eraseFromParent();
  return {};
}

//===----------------------------------------------------------------------===//
// Where threads join what they have
//===----------------------------------------------------------------------===//

/// Whether code names the same memory twice, with nothing in between that
/// matters: addresses that are computed alike.
static bool isSamePlace(const Value *one, const Value *other) {
  if (one == other)
    return true;
  // A pointer that code reads twice: nobody else changes it meanwhile, or what
  // happens at the same time is not left to the host.
  const auto *load = dyn_cast<LoadInst>(one);
  const auto *again = dyn_cast<LoadInst>(other);
  if (load && again && load->getType()->isPointerTy())
    return load->isSimple() && again->isSimple() &&
           isSamePlace(load->getPointerOperand(), again->getPointerOperand());
  const auto *place = dyn_cast<GetElementPtrInst>(one);
  const auto *second = dyn_cast<GetElementPtrInst>(other);
  return place && second && place->isSameOperationAs(second) &&
         all_of(zip(place->operands(), second->operands()), [](auto pair) {
           return isSamePlace(std::get<0>(pair), std::get<1>(pair));
         });
}

/// The variable of a thread that a value was read from, for this use alone.
static AllocaInst *readFrom(const Value *value, unsigned numUses = 1) {
  const auto *load = dyn_cast<LoadInst>(value);
  return load && load->isSimple() && load->hasNUses(numUses)
             ? dyn_cast<AllocaInst>(
                   const_cast<Value *>(load->getPointerOperand()))
             : nullptr;
}

static bool isReadFrom(const Value *value, const Value *place,
                       unsigned numUses = 1) {
  const auto *load = dyn_cast<LoadInst>(value);
  return load && load->isSimple() && load->hasNUses(numUses) &&
         isSamePlace(load->getPointerOperand(), place);
}

/// `if (own > shared) shared = own;`
static bool readGuarded(StoreInst &store, Joining &join) {
  BasicBlock *block = store.getParent();
  BranchInst *branch = branchBefore(*block);
  auto *comparison =
      branch ? dyn_cast<CmpInst>(branch->getCondition()) : nullptr;
  join.own = readFrom(store.getValueOperand());
  if (!join.own || !comparison || !comparison->hasOneUse() ||
      !isAllOfWay(*block, &store))
    return false;
  CmpInst::Predicate predicate = comparison->getPredicate();
  if (branch->getSuccessor(0) != block)
    predicate = CmpInst::getInversePredicate(predicate);
  Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  if (readFrom(right) == join.own) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  std::optional<unsigned> op = betterBy(predicate, join.how.isUnsigned);
  if (readFrom(left) != join.own ||
      !isReadFrom(right, store.getPointerOperand()) || !op)
    return false;
  join.how.op = *op;
  join.reads = {cast<Instruction>(left), cast<Instruction>(right),
                cast<Instruction>(store.getValueOperand())};
  return true;
}

/// `shared = own > shared ? own : shared`, as a choice or as two ways.
static bool readEither(StoreInst &store, Joining &join) {
  Value *chosen = store.getValueOperand();
  CmpInst *comparison = nullptr;
  Value *ifTrue = nullptr, *ifFalse = nullptr;
  unsigned numUses = 2;
  if (auto *choice = dyn_cast<SelectInst>(chosen)) {
    comparison = dyn_cast<CmpInst>(choice->getCondition());
    ifTrue = choice->getTrueValue();
    ifFalse = choice->getFalseValue();
  } else if (auto *phi = dyn_cast<PHINode>(chosen);
             phi && phi->getNumIncomingValues() == 2) {
    BasicBlock *one = phi->getIncomingBlock(0), *two = phi->getIncomingBlock(1);
    BranchInst *branch = branchBefore(*one);
    auto others = phi->getParent()->phis();
    if (!branch || branchBefore(*two) != branch || !isAllOfWay(*one, nullptr) ||
        !isAllOfWay(*two, nullptr) ||
        std::distance(others.begin(), others.end()) != 1)
      return false;
    comparison = dyn_cast<CmpInst>(branch->getCondition());
    bool isFirst = branch->getSuccessor(0) == one;
    ifTrue = phi->getIncomingValue(isFirst ? 0 : 1);
    ifFalse = phi->getIncomingValue(isFirst ? 1 : 0);
    numUses = 1;
  }
  if (!comparison || !comparison->hasOneUse() || !chosen->hasOneUse())
    return false;
  const Value *place = store.getPointerOperand();
  CmpInst::Predicate predicate = comparison->getPredicate();
  Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
  if (isReadFrom(left, place, numUses)) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (isReadFrom(ifTrue, place, numUses)) {
    std::swap(ifTrue, ifFalse);
    predicate = CmpInst::getInversePredicate(predicate);
    // Of numbers, the choice is the same but for those that are none.
    if (CmpInst::isUnordered(predicate))
      predicate = CmpInst::getOrderedPredicate(predicate);
  }
  join.own = readFrom(left, numUses);
  std::optional<unsigned> op = betterBy(predicate, join.how.isUnsigned);
  if (!join.own || !op || readFrom(ifTrue, numUses) != join.own ||
      !isReadFrom(right, place, numUses) ||
      !isReadFrom(ifFalse, place, numUses))
    return false;
  join.how.op = *op;
  join.reads = {cast<Instruction>(left), cast<Instruction>(right),
                cast<Instruction>(ifTrue), cast<Instruction>(ifFalse)};
  return true;
}

/// `shared = shared op own`
static bool readJoin(StoreInst &store, Joining &join) {
  join.how.type = store.getValueOperand()->getType();
  if (!store.isSimple() || !isPlainNumber(*join.how.type))
    return false;
  auto *operation = dyn_cast<Instruction>(store.getValueOperand());
  std::optional<unsigned> choice;
  if (operation)
    choice = choiceOf(*operation);
  if (!isa_and_nonnull<BinaryOperator>(operation) && !choice)
    return readGuarded(store, join) || readEither(store, join);
  if (!operation->hasOneUse())
    return false;
  for (unsigned index : {0u, 1u}) {
    Value *held = operation->getOperand(index);
    Value *value = operation->getOperand(1 - index);
    std::optional<unsigned> op =
        choice ? choice : joinOf(*cast<BinaryOperator>(operation), index);
    if (!op || held == value || !isReadFrom(held, store.getPointerOperand()))
      continue;
    join.own = readFrom(value);
    if (!join.own || join.own == store.getPointerOperand())
      continue;
    join.how.op = *op;
    join.reads = {cast<Instruction>(held), cast<Instruction>(value)};
    return true;
  }
  return false;
}

/// An atomic operation.
static bool readJoin(AtomicRMWInst &change, Joining &join) {
  join.how.type = change.getType();
  join.own = readFrom(change.getValOperand());
  if (!join.own || !change.use_empty() || change.isVolatile() ||
      !isPlainNumber(*join.how.type))
    return false;
  join.reads = {cast<Instruction>(change.getValOperand())};
  switch (change.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::FSub:
    join.how.op = 0;
    return true;
  case AtomicRMWInst::And:
    join.how.op = 4;
    return true;
  case AtomicRMWInst::Or:
    join.how.op = 5;
    return true;
  case AtomicRMWInst::Xor:
    join.how.op = 6;
    return true;
  default:
    return false;
  }
}

/// The lock that a call takes or gives back.
static const GlobalVariable *lockOf(const Instruction &instruction,
                                    StringRef name) {
  const auto *lock = calledName(instruction) == name
                         ? dyn_cast<GlobalVariable>(instruction.getOperand(0))
                         : nullptr;
  return lock && isMutex(*lock) ? lock : nullptr;
}

bool openmp::usesMutex(const Instruction &instruction) {
  return lockOf(instruction, "pthread_mutex_lock") ||
         lockOf(instruction, "pthread_mutex_unlock");
}

/// What critical sections contain.
static DenseMap<const Instruction *, const GlobalVariable *>
readCritical(Function &work) {
  DenseMap<const Instruction *, const GlobalVariable *> inside;
  for (Instruction &instruction : instructions(work)) {
    const GlobalVariable *lock = lockOf(instruction, "pthread_mutex_lock");
    if (!lock)
      continue;
    walk(*instruction.getNextNode(), /*isForward=*/true, [&](Instruction &at) {
      if (lockOf(at, "pthread_mutex_unlock") == lock)
        return false;
      inside.try_emplace(&at, lock);
      return true;
    });
  }
  return inside;
}

/// The kinds of exclusion that are no locks of the program.
static const char atomicLock = 0, regionLock = 0;

std::vector<Joining> ParallelRegion::readJoinings() {
  auto inside = readCritical(work);
  std::vector<Joining> found;
  for (Instruction &instruction : instructions(work)) {
    if (itemOf(instruction.getParent()))
      continue;
    Joining join{.instruction = &instruction};
    if (auto *change = dyn_cast<AtomicRMWInst>(&instruction)) {
      join.lock = &atomicLock;
      if (readJoin(*change, join) &&
          !isa<AllocaInst>(getUnderlyingObject(change->getPointerOperand())))
        found.push_back(std::move(join));
      continue;
    }
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store)
      continue;
    join.into = dyn_cast<AllocaInst>(store->getPointerOperand());
    bool isOwn =
        isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
    if ((isOwn && !join.into) || !readJoin(*store, join))
      continue;
    if (store->hasMetadata(joinedMetadata))
      join.lock = &regionLock;
    else if (!isOwn)
      join.lock = inside.lookup(store);
    bool isLocked = isOwn || join.lock == &regionLock ||
                    (join.lock && all_of(join.reads, [&](const auto *read) {
                       return inside.lookup(read) == join.lock;
                     }));
    if (isLocked)
      found.push_back(std::move(join));
  }
  return found;
}

/// Whether all that a region does with a variable of its threads is to sum up
/// in it, and to join it. What loops do, is looked at where they stand alone.
bool ParallelRegion::isPartial(const AllocaInst &variable, const Reduction &how,
                               ArrayRef<Joining> found) const {
  const OwnVariable &uses =
      own.find(const_cast<AllocaInst *>(&variable))->second;
  auto isOfOne = [&](const Instruction *user) {
    std::optional<unsigned> item = itemOf(user->getParent());
    return item && *item >= parts.size();
  };
  if (uses.isCaptured || !uses.lists.empty() || !variable.isStaticAlloca() ||
      variable.getAllocatedType() != how.type)
    return false;
  for (const Instruction *read : uses.reads)
    if (isOfOne(read) ||
        (!itemOf(read->getParent()) && none_of(found, [&](const Joining &join) {
          return is_contained(join.reads, read);
        })))
      return false;
  for (Instruction *write : uses.writes) {
    if (isOfOne(write))
      return false;
    if (itemOf(write->getParent()) || any_of(found, [&](const Joining &join) {
          return join.into == &variable && join.instruction == write;
        }))
      continue;
    auto *store = dyn_cast<StoreInst>(write);
    if (!store || !is_contained(uses.stores, store) ||
        store->getValueOperand()->getType() != how.type ||
        !(isRepeatableJoin(how.op) ||
          isNeutralValue(*store->getValueOperand(), how)))
      return false;
  }
  return true;
}

void ParallelRegion::findPartials() {
  std::vector<Joining> found = readJoinings();
  SmallPtrSet<const AllocaInst *, 8> refused;
  for (bool changed = true; changed;) {
    changed = false;
    partials.clear();
    erase_if(found, [&](const Joining &join) {
      return refused.contains(join.own) || refused.contains(join.into);
    });
    auto add = [&](const Joining &join) {
      auto [known, isNew] = partials.insert({join.own, join.how});
      if (!isNew && (known->second.op != join.how.op ||
                     known->second.isUnsigned != join.how.isUnsigned))
        refused.insert(join.own);
      return isNew;
    };
    for (const Joining &join : found)
      if (!join.into)
        add(join);
    for (bool isMore = true; isMore;) {
      isMore = false;
      for (const Joining &join : found)
        if (auto into = partials.find(join.into); into != partials.end()) {
          if (into->second.op != join.how.op ||
              into->second.isUnsigned != join.how.isUnsigned)
            refused.insert(join.own);
          isMore |= add(join);
        }
    }
    for (auto &[variable, how] : partials)
      if (!isPartial(*variable, how, found))
        refused.insert(variable);
    changed = any_of(partials, [&](const auto &partial) {
      return refused.contains(partial.first);
    });
  }
  for (Joining &join : found)
    if (!join.into || partials.contains(join.into))
      joinings.push_back(std::move(join));
}

bool ParallelRegion::isJoined(const Instruction &instruction) const {
  return any_of(joinings, [&](const Joining &join) {
    return join.instruction == &instruction;
  });
}

/// Whether other code that threads run alike may meet memory while others join
/// what they have in it.
bool ParallelRegion::isDisturbed(const Joining &join) {
  BasicBlock *block = join.instruction->getParent();
  BlockSet after = reachableFrom(block);
  auto isOfSame = [&](const Instruction *access) {
    return any_of(joinings, [&](const Joining &other) {
      return !other.into && other.lock == join.lock &&
             other.how.op == join.how.op &&
             (other.instruction == access || is_contained(other.reads, access));
    });
  };
  for (BasicBlock &other : work) {
    if (itemOf(&other))
      continue;
    Accesses around = accessesIn(&other);
    if (around.all.empty() || (&other != block && !after.contains(&other) &&
                               !reachableFrom(&other).contains(block)))
      continue;
    for (const Instruction *access : around.all)
      if (!isOfSame(access) && mayMeet(*join.instruction, *access))
        return true;
  }
  return false;
}
