//===- OpenMPRegions.cpp - The parts of a parallel region -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A region consists of shared loops, code that one thread runs, and code that
// all threads run with the same values. Two of these parts may run at the same
// time if a thread can get from one to the other without a barrier. Then
// neither part may write memory that the other one uses.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"
#include "sluice/Analysis/ReachedCode.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

/// Whether all threads wait for each other in a call.
static bool isBarrier(const Instruction &instruction) {
  StringRef name = calledRuntime(instruction);
  return name == "__kmpc_barrier" || name == "__kmpc_copyprivate";
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Whether a condition asks if the thread has the last iteration, or whether it
/// is to join its copies.
static bool asksForEnd(const Instruction &branch, const SharedLoop &loop) {
  const Value *condition = branch.getOperand(0);
  if (const auto *comparison = dyn_cast<ICmpInst>(condition))
    condition = comparison->getOperand(0);
  if (const auto *load = dyn_cast<LoadInst>(condition))
    return load->getPointerOperand() == loop.hasLast;
  const auto *call = dyn_cast<CallInst>(condition);
  return call && isReduction(*call);
}

/// Whether code between a loop and what joins its results means nothing else.
static bool isBesideEnd(const Instruction &instruction) {
  if (isa<LoadInst, GetElementPtrInst, CastInst, CmpInst>(instruction) ||
      instruction.isLifetimeStartOrEnd() || isReduction(instruction))
    return true;
  const auto *store = dyn_cast<StoreInst>(&instruction);
  return store &&
         isa<AllocaInst>(getUnderlyingObject(store->getValueOperand())) &&
         isListed(*store);
}

/// The first instruction after all that belongs to a loop; null: not found.
static Instruction *findEnd(const SharedLoop &loop, DominatorTree &dominators,
                            PostDominatorTree &ends) {
  BasicBlock *block = nullptr;
  for (const LoopExit &exit : loop.exits)
    if (!is_contained(loop.blocks, exit.outside))
      block = block ? ends.findNearestCommonDominator(block, exit.outside)
                    : exit.outside;
  if (!block)
    return nullptr;
  Instruction *end = &*block->getFirstNonPHIIt();
  constexpr unsigned mostSteps = 1000;
  unsigned numSteps = 0;
  for (Instruction *at = end; at && ++numSteps < mostSteps;) {
    StringRef name = calledRuntime(*at);
    if (name == "__kmpc_for_static_fini" || name == "__kmpc_dispatch_deinit") {
      end = at = at->getNextNode();
      continue;
    }
    if (!at->isTerminator()) {
      if (!isBesideEnd(*at))
        break;
      at = at->getNextNode();
      continue;
    }
    bool isEnd = false;
    BasicBlock *next =
        at->getNumSuccessors() == 1 ? at->getSuccessor(0) : nullptr;
    if (!next && isa<BranchInst, SwitchInst>(at) && asksForEnd(*at, loop)) {
      DomTreeNode *node = ends.getNode(at->getParent());
      next = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
      isEnd = true;
    }
    // A block where other ways come together is no part of the loop.
    if (!next || !next->phis().empty() ||
        !dominators.dominates(loop.start->getParent(), next))
      return isEnd ? nullptr : end;
    at = &*next->getFirstNonPHIIt();
    if (isEnd)
      end = at;
  }
  return end;
}

Reason ParallelRegion::readPart(LoopConstruct &part) {
  SmallVector<BasicBlock *> ways = {part.begin};
  DominatorTree dominators(work);
  while (!ways.empty()) {
    BasicBlock *block = ways.pop_back_val();
    if (block == part.end || !part.blocks.insert(block))
      continue;
    bool isInside = dominators.dominates(part.begin, block) ||
                    isa<UnreachableInst>(block->getTerminator());
    for (const Instruction &instruction : *block)
      isInside &= !isBarrier(instruction) && !startsSolo(instruction) &&
                  (!startsLoop(instruction) || block == part.begin);
    if (!isInside || isa<ReturnInst>(block->getTerminator()) ||
        is_contained(successors(block), part.begin))
      return "shares a loop in an unusual way";
    append_range(ways, successors(block));
  }
  return {};
}

Reason ParallelRegion::findParts() {
  SmallVector<Instruction *> places;
  for (Instruction &instruction : instructions(work))
    if (isBarrier(instruction) || startsLoop(instruction))
      places.push_back(&instruction);
  for (Instruction *place : places)
    place->getParent()->splitBasicBlock(place->getIterator());
  Reason reason;
  std::vector<SharedLoop> loops = findSharedLoops(work, reason);
  if (reason.empty() && loops.empty())
    reason = "shares no loop";
  if (!reason.empty())
    return reason;
  SmallVector<Instruction *> ends;
  {
    DominatorTree dominators(work);
    PostDominatorTree after(work);
    for (const SharedLoop &loop : loops) {
      ends.push_back(findEnd(loop, dominators, after));
      if (!ends.back())
        return "shares a loop in an unusual way";
    }
  }
  for (Instruction *end : ends)
    if (end != &end->getParent()->front())
      end->getParent()->splitBasicBlock(end->getIterator());
  for (auto [loop, end] : zip(loops, ends)) {
    LoopConstruct &part =
        parts.emplace_back(LoopConstruct{.loop = std::move(loop)});
    part.begin = part.loop.start->getParent();
    part.end = end->getParent();
  }
  for (auto [number, part] : enumerate(parts)) {
    if (Reason reason = readPart(part); !reason.empty())
      return reason;
    for (BasicBlock *block : part.blocks)
      if (!items.try_emplace(block, number).second &&
          !isa<UnreachableInst>(block->getTerminator()))
        return "shares a loop in an unusual way";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Code of one thread, and of all
//===----------------------------------------------------------------------===//

Reason ParallelRegion::findSolos() {
  DominatorTree dominators(work);
  for (Instruction &instruction : instructions(work)) {
    if (!startsSolo(instruction))
      continue;
    auto *call = cast<CallInst>(&instruction);
    StringRef name = calledRuntime(*call);
    if (name == "__kmpc_masked") {
      auto *filter = dyn_cast<ConstantInt>(call->getArgOperand(2));
      if (!filter || !filter->isZero())
        return "runs code on a thread of a number";
    }
    BranchInst *branch = branchOfSolo(*call);
    if (!branch)
      return "uses '" + name.str() + "'";
    Solo solo{.begin = call, .isOfMaster = name != "__kmpc_single"};
    SmallVector<BasicBlock *> inside;
    dominators.getDescendants(branch->getSuccessor(0), inside);
    solo.blocks.insert_range(inside);
    for (BasicBlock *block : inside)
      if (!items.try_emplace(block, parts.size() + solos.size()).second)
        return "shares a loop in code for one thread";
    solos.push_back(std::move(solo));
  }
  return {};
}

/// Whether a list for the runtime library is all that a variable is.
static bool isList(const Value &variable) {
  return any_of(variable.uses(), [](const Use &use) {
    const auto *call = dyn_cast<CallInst>(use.getUser());
    return call && calledRuntime(*call) == "__kmpc_copyprivate" &&
           use.getOperandNo() == 3;
  });
}

static OwnVariable readOwn(AllocaInst &variable) {
  OwnVariable own;
  for (const Use *use : usesOfObject(variable)) {
    auto *user = cast<Instruction>(use->getUser());
    if (user->isLifetimeStartOrEnd()) {
      if (cast<IntrinsicInst>(user)->getIntrinsicID() ==
          Intrinsic::lifetime_start)
        own.starts.push_back(user);
    } else if (isa<LoadInst, ICmpInst>(user)) {
      own.reads.push_back(user);
    } else if (auto *store = dyn_cast<StoreInst>(user)) {
      if (use->getOperandNo() == 1) {
        own.writes.push_back(store);
        if (store->getPointerOperand() == &variable)
          own.stores.push_back(store);
        continue;
      }
      const Value *place = getUnderlyingObject(store->getPointerOperand());
      if (isReductionList(*place) || isList(*place))
        own.lists.push_back(store);
      else
        own.isCaptured = true;
    } else if (auto *call = dyn_cast<CallBase>(user)) {
      StringRef name = calledRuntime(*call);
      // These and their lists are known, and go.
      if (startsLoop(*call) || name.starts_with("__kmpc_dispatch_next_") ||
          isReduction(*call) || name == "__kmpc_copyprivate")
        continue;
      bool isArgument = call->isArgOperand(use);
      unsigned index = isArgument ? call->getArgOperandNo(use) : 0;
      own.isCaptured |= !isArgument || !call->doesNotCapture(index);
      own.reads.push_back(user);
      if (!isArgument || !call->onlyReadsMemory(index))
        own.writes.push_back(user);
    } else {
      own.isCaptured = true;
      own.reads.push_back(user);
      own.writes.push_back(user);
    }
  }
  return own;
}

void ParallelRegion::findOwn() {
  for (Instruction &instruction : instructions(work))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction))
      own[variable] = readOwn(*variable);
}

Reason ParallelRegion::readAround() {
  for (const Instruction &instruction : instructions(work)) {
    if (itemOf(instruction.getParent()))
      continue;
    StringRef name = calledRuntime(instruction);
    if (name.empty() && hasEffect(instruction) && !usesMutex(instruction) &&
        !isJoined(instruction))
      return instruction.hasMetadata(joinedMetadata)
                 ? "reduces around its loop"
                 : "does something beside its loops";
    if (isReduction(instruction))
      return "reduces around its loop";
    bool isKnown = name.empty() || isBarrier(instruction) ||
                   startsSolo(instruction) || name == "__kmpc_flush" ||
                   name == "__kmpc_global_thread_num";
    if (!isKnown)
      return "uses '" + name.str() + "'";
  }
  for (auto &[variable, uses] : own) {
    SmallPtrSet<const void *, 4> users;
    for (const auto &list : {uses.reads, uses.writes})
      for (const Instruction *user : list) {
        std::optional<unsigned> item = itemOf(user->getParent());
        users.insert(item && *item < parts.size() ? &parts[*item] : nullptr);
      }
    if (uses.isCaptured && (users.size() > 1 || users.contains(nullptr)))
      return "passes on the address of a variable of its threads";
  }
  return {};
}

//===----------------------------------------------------------------------===//
// What runs at once
//===----------------------------------------------------------------------===//

/// Whether an instruction uses memory that others may use, too.
static bool usesShared(const Instruction &instruction) {
  if (!instruction.mayReadOrWriteMemory() || isAssumption(instruction) ||
      !calledRuntime(instruction).empty() || usesMutex(instruction))
    return false;
  auto isShared = [](const Value *pointer) {
    const Value *object = getUnderlyingObject(pointer);
    const auto *global = dyn_cast<GlobalVariable>(object);
    // The numbers of a thread come first.
    const auto *parameter = dyn_cast<Argument>(object);
    return !isa<AllocaInst>(object) && !(global && global->isConstant()) &&
           !(parameter && parameter->getArgNo() < 2);
  };
  if (const auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
    const auto *transfer = dyn_cast<MemTransferInst>(memory);
    return isShared(memory->getDest()) ||
           (transfer && isShared(transfer->getSource()));
  }
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  return !pointer || isShared(pointer);
}

ParallelRegion::Accesses
ParallelRegion::accessesIn(ArrayRef<BasicBlock *> blocks) const {
  Accesses accesses;
  for (BasicBlock *block : blocks)
    for (Instruction &instruction : *block)
      if (usesShared(instruction)) {
        accesses.all.push_back(&instruction);
        if (instruction.mayWriteToMemory())
          accesses.writes.push_back(&instruction);
      }
  return accesses;
}

/// The blocks that a thread may get to from some others without a barrier.
BlockSet ParallelRegion::reachableFrom(ArrayRef<BasicBlock *> blocks) const {
  BlockSet reached;
  SmallVector<BasicBlock *> ways(blocks);
  while (!ways.empty())
    for (BasicBlock *next : successors(ways.pop_back_val()))
      if (!isBarrier(next->front()) && reached.insert(next))
        ways.push_back(next);
  return reached;
}

/// Whether an address is used for accesses only.
static bool isOnlyAccessed(const Value &address) {
  return all_of(address.uses(), [](const Use &use) {
    const auto *user = use.getUser();
    if (isa<GEPOperator>(user))
      return isOnlyAccessed(*user);
    const auto *store = dyn_cast<StoreInst>(user);
    return isa<LoadInst>(user) || (store && use.getOperandNo() == 1);
  });
}

bool openmp::isOnlyNamed(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && isOnlyAccessed(variable);
}

/// A variable of this file's that no pointer leads to; null: it may be another.
static const GlobalVariable *onlyNamed(const Value *object) {
  const auto *global = dyn_cast_or_null<GlobalVariable>(object);
  return global && isOnlyNamed(*global) ? global : nullptr;
}

static bool passesFunction(const CallBase &call) {
  return any_of(call.args(),
                [](const Value *argument) { return isa<Function>(argument); });
}

/// Whether what a function may run names a variable to write it, or to read it
/// with `reads`.
static bool mayName(const Function &function, const GlobalVariable &variable,
                    bool reads) {
  return anyReached(function, [&](const Instruction &instruction) {
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    if (pointer && getUnderlyingObject(pointer) == &variable &&
        (reads || instruction.mayWriteToMemory()))
      return true;
    const auto *call = dyn_cast<CallBase>(&instruction);
    // What is not here may call what it gets.
    return call && (!call->getCalledFunction() || passesFunction(*call));
  });
}

/// Of a call that uses memory, and an access of one place.
bool ParallelRegion::mayCallMeet(const CallBase &call,
                                 const Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  const Value *object = pointer ? variables.objectOf(*pointer, &fork) : nullptr;
  const GlobalVariable *named = onlyNamed(object);
  const Function *callee = call.getCalledFunction();
  return !named || !callee || passesFunction(call) ||
         mayName(*callee, *named, access.mayWriteToMemory());
}

bool ParallelRegion::mayMeet(const Instruction &one, const Instruction &other) {
  constexpr unsigned mostCompared = 20000;
  if (++numCompared > mostCompared)
    return true;
  const auto *call = dyn_cast<CallBase>(&one);
  const auto *second = dyn_cast<CallBase>(&other);
  std::optional<MemoryLocation> location = MemoryLocation::getOrNone(&one);
  std::optional<MemoryLocation> place = MemoryLocation::getOrNone(&other);
  AAResults &aliases = analyses.functions.getResult<AAManager>(work);
  if (!location && !place)
    return true;
  // What is said of one call of a function does not hold from call to call.
  for (std::optional<MemoryLocation> *either : {&location, &place})
    if (*either)
      (*either)->AATags.Scope = (*either)->AATags.NoAlias = nullptr;
  if (!location)
    return isModOrRefSet(aliases.getModRefInfo(&one, *place)) &&
           (!call || mayCallMeet(*call, other));
  if (!isModOrRefSet(aliases.getModRefInfo(&other, *location)))
    return false;
  if (!place)
    return !second || mayCallMeet(*second, one);
  const Value *pointer = getLoadStorePointerOperand(&one);
  const Value *target = getLoadStorePointerOperand(&other);
  if (!pointer || !target)
    return true;
  const Value *object = variables.objectOf(*pointer, &fork);
  const Value *known = variables.objectOf(*target, &fork);
  if (object && known)
    return object == known;
  return !onlyNamed(object) && !onlyNamed(known);
}

bool ParallelRegion::mayMeet(const Accesses &one, const Accesses &other) {
  auto meets = [&](ArrayRef<Instruction *> writes,
                   ArrayRef<Instruction *> all) {
    return any_of(writes, [&](const Instruction *write) {
      return any_of(all, [&](const Instruction *access) {
        return mayMeet(*write, *access);
      });
    });
  };
  return meets(one.writes, other.all) || meets(other.writes, one.all);
}

Reason ParallelRegion::findConflict() {
  analyses.functions.clear(work, work.getName());
  std::vector<Accesses> accesses;
  std::vector<BlockSet> reached;
  auto add = [&](const BlockSet &blocks) {
    accesses.push_back(accessesIn(blocks.getArrayRef()));
    reached.push_back(reachableFrom(blocks.getArrayRef()));
  };
  for (const LoopConstruct &part : parts)
    add(part.blocks);
  for (const Solo &solo : solos)
    add(solo.blocks);
  auto firstOf = [&](unsigned item) {
    return item < parts.size() ? parts[item].blocks.front()
                               : solos[item - parts.size()].blocks.front();
  };
  auto isMaster = [&](unsigned item) {
    return item >= parts.size() && solos[item - parts.size()].isOfMaster;
  };
  Reason reason;
  for (unsigned one = 0; one != accesses.size() && reason.empty(); ++one)
    for (unsigned other = one; other != accesses.size(); ++other) {
      // Of itself, only a round later, when it is left and reached again.
      bool isAtOnce = one == other
                          ? any_of(predecessors(firstOf(one)),
                                   [&](const BasicBlock *before) {
                                     return reached[one].contains(
                                         const_cast<BasicBlock *>(before));
                                   })
                          : reached[one].contains(firstOf(other)) ||
                                reached[other].contains(firstOf(one));
      if (!isAtOnce || (isMaster(one) && isMaster(other)) ||
          !mayMeet(accesses[one], accesses[other]))
        continue;
      reason = one < parts.size() && other < parts.size()
                   ? "does not wait between its loops"
                   : "does not wait between a loop and code for one thread";
      if (one >= parts.size())
        reason = "does not wait between code for one thread and other code";
      break;
    }
  for (BasicBlock &block : work) {
    if (itemOf(&block) || !reason.empty())
      continue;
    Accesses around = accessesIn(&block);
    if (around.all.empty())
      continue;
    BlockSet after = reachableFrom(&block);
    for (unsigned item = 0; item != accesses.size() && reason.empty(); ++item)
      if ((after.contains(firstOf(item)) || reached[item].contains(&block)) &&
          mayMeet(accesses[item], around))
        reason = item < parts.size()
                     ? "reads around its loops what they may write"
                     : "reads what one thread may write at the same time";
  }
  for (const Joining &join : joinings)
    if (reason.empty() && !join.into && isDisturbed(join))
      reason = "uses around its loops what its threads join there";
  analyses.functions.clear(work, work.getName());
  return reason;
}

bool openmp::promoteReferences(Function &work) {
  DominatorTree dominators(work);
  SmallVector<AllocaInst *> references;
  for (Instruction &instruction : instructions(work)) {
    auto *variable = dyn_cast<AllocaInst>(&instruction);
    if (!variable || !variable->getAllocatedType()->isPointerTy() ||
        !isAllocaPromotable(variable))
      continue;
    StoreInst *only = nullptr;
    unsigned numStores = 0;
    for (User *user : variable->users())
      if (auto *store = dyn_cast<StoreInst>(user)) {
        only = store;
        ++numStores;
      }
    if (numStores == 1 &&
        isa<AllocaInst>(getUnderlyingObject(only->getValueOperand())) &&
        all_of(variable->users(), [&](const User *user) {
          return !isa<LoadInst>(user) ||
                 dominators.dominates(only, cast<Instruction>(user));
        }))
      references.push_back(variable);
  }
  if (!references.empty())
    PromoteMemToReg(references, dominators);
  return !references.empty();
}

Reason ParallelRegion::read() {
  inlineSmallCalls(work, /*entersLoops=*/true);
  // What loops write is known best where it is in their code.
  inlineCalled(work, /*mayThrow=*/false);
  while (promoteReferences(work))
    ; // A reference may hold what another one holds.
  Reason reason = reduceArraysInPlace(work);
  if (reason.empty())
    reason = joinRegion();
  if (reason.empty())
    reason = findParts();
  if (reason.empty())
    reason = findSolos();
  if (!reason.empty())
    return reason;
  findOwn();
  findPartials();
  reason = readAround();
  if (reason.empty())
    reason = findConflict();
  return reason;
}
