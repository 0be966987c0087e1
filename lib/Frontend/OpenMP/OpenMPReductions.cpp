//===- OpenMPReductions.cpp - Reductions of teams -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang writes down how a thread joins its copies, for threads that take turns
// and for atomic operations. The first of these says which operator it is; a
// program may declare others, of which some are like those that graphs know.
//
//===----------------------------------------------------------------------===//

#include "OpenMPTeams.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

SmallVector<Value *> openmp::copiesIn(const CallInst &call) {
  SmallVector<Value *> copies;
  if (isa<AllocaInst>(call.getArgOperand(4)))
    for (const Use *use : usesOfObject(*call.getArgOperand(4)))
      if (auto *store = dyn_cast<StoreInst>(use->getUser());
          store && use->getOperandNo() == 1)
        copies.push_back(store->getValueOperand());
  return copies;
}

const Value *openmp::variableBehind(const Value *pointer) {
  while (const auto *load = dyn_cast<LoadInst>(pointer)) {
    const auto *variable = dyn_cast<AllocaInst>(load->getPointerOperand());
    const Value *stored = variable ? onlyAssigned(*variable) : nullptr;
    if (!stored)
      return pointer;
    pointer = stored;
  }
  return pointer;
}

namespace {
/// The variable of some type whose value this is, which C may have widened to
/// compute with it.
const Value *variableOfValue(const Value *value, const Type *type) {
  if (isa<SExtInst, ZExtInst>(value) &&
      cast<CastInst>(value)->getSrcTy() == type)
    value = cast<CastInst>(value)->getOperand(0);
  const auto *load = dyn_cast<LoadInst>(value);
  return load && load->getType() == type
             ? variableBehind(load->getPointerOperand())
             : nullptr;
}

/// The variable of which this says whether it is not zero.
const Value *variableOfTruth(const Value *value, const Type *type) {
  if (const auto *comparison = dyn_cast<ICmpInst>(value)) {
    const auto *zero = dyn_cast<ConstantInt>(comparison->getOperand(1));
    return comparison->getPredicate() == CmpInst::ICMP_NE && zero &&
                   zero->isZero()
               ? variableOfValue(comparison->getOperand(0), type)
               : nullptr;
  }
  // Truth values are 0 and 1 in memory.
  const auto *narrowed = dyn_cast<TruncInst>(value);
  return narrowed && narrowed->getType()->isIntegerTy(1)
             ? variableOfValue(narrowed->getOperand(0), type)
             : nullptr;
}

class ReductionReader {
public:
  ReductionReader(CallInst &call, Reason &reason)
      : call(call), reason(reason), dominators(*call.getFunction()),
        loops(dominators) {}

  void run(std::vector<Reduction> &reductions, bool isMarked = false);

private:
  bool fail(const char *text) {
    reason = text;
    return false;
  }
  bool findJoin();
  bool read(StoreInst &store, Reduction &reduction);
  bool readOperator(Value *joined, Reduction &reduction);
  bool readChoice(PHINode &phi, Reduction &reduction);
  bool readLogical(PHINode &phi, Reduction &reduction);
  bool isAlways(const StoreInst &store) const;
  bool beginsNeutral(const Reduction &reduction, const Value &own) const;
  bool checkCopy(const Reduction &reduction, const Value &own);
  StoreInst *write(const Reduction &reduction, Value *pointer, Align alignment);
  void goToJoin();
  bool readObject(std::vector<Reduction> &reductions);

  CallInst &call;
  Reason &reason;
  DominatorTree dominators;
  LoopInfo loops;
  /// The end of the code that joins the copies of one thread.
  CallInst *end = nullptr;
  SmallVector<StoreInst *> stores;
  /// The first instruction of the plain code.
  Instruction *first = nullptr;
  const Value *variable = nullptr, *copy = nullptr;
  SmallVector<Value *> copies;
};
} // namespace

/// Finds the code for a thread that joins its copies alone.
bool ReductionReader::findJoin() {
  auto *choice =
      call.hasOneUse() ? dyn_cast<SwitchInst>(*call.user_begin()) : nullptr;
  if (!choice ||
      choice->findCaseValue(ConstantInt::get(cast<IntegerType>(call.getType()),
                                             1)) == choice->case_default())
    return fail("reduces in an unusual way");
  SetVector<BasicBlock *> blocks;
  blocks.insert(choice
                    ->findCaseValue(
                        ConstantInt::get(cast<IntegerType>(call.getType()), 1))
                    ->getCaseSuccessor());
  copies = copiesIn(call);
  for (unsigned i = 0; i != blocks.size() && blocks.size() < 64; ++i) {
    bool isEnd = false;
    for (Instruction &instruction : *blocks[i]) {
      if (calledRuntime(instruction).starts_with("__kmpc_end_reduce")) {
        end = cast<CallInst>(&instruction);
        isEnd = true;
        break;
      }
      if (auto *store = dyn_cast<StoreInst>(&instruction)) {
        // References that functions get.
        if (!isa<AllocaInst>(store->getPointerOperand()) ||
            is_contained(copies, store->getPointerOperand()))
          stores.push_back(store);
      } else if (isa<CallBase, AtomicRMWInst, AtomicCmpXchgInst>(instruction) &&
                 !isAssumption(instruction)) {
        return fail("reduces by an operator of its own");
      }
    }
    if (!isEnd)
      for (BasicBlock *next : successors(blocks[i]))
        blocks.insert(next);
  }
  if (!end || copies.empty())
    return fail("reduces in an unusual way");
  return true;
}

/// The variable at an address, and how far behind its start that is.
static std::pair<const Value *, int64_t> placeBehind(const Value *pointer,
                                                     const DataLayout &layout) {
  APInt offset(64, 0);
  for (unsigned i = 0; i != 8; ++i) {
    pointer = pointer->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    const Value *behind = variableBehind(pointer);
    if (behind == pointer)
      break;
    pointer = behind;
  }
  return {pointer, offset.getSExtValue()};
}

/// A declared operator that joins each member of an object, all by one operator
/// and of one type, as those of vectors and complex numbers.
bool ReductionReader::readObject(std::vector<Reduction> &reductions) {
  const DataLayout &layout = call.getDataLayout();
  MapVector<const Value *, Reduction> objects;
  DenseMap<const Value *, SmallSet<int64_t, 8>> members;
  DenseMap<const Value *, const Value *> copyOf;
  for (StoreInst *store : stores) {
    auto [object, offset] = placeBehind(store->getPointerOperand(), layout);
    auto *operation = dyn_cast<BinaryOperator>(store->getValueOperand());
    const auto *held =
        operation ? dyn_cast<LoadInst>(operation->getOperand(0)) : nullptr;
    const auto *value =
        operation ? dyn_cast<LoadInst>(operation->getOperand(1)) : nullptr;
    std::optional<unsigned> op;
    if (operation)
      op = joinOf(*operation, /*index=*/1);
    constexpr unsigned sum = 0, bitOr = 5, bitXor = 6;
    if (!isa<Argument>(object) || !held || !value || !isAlways(*store) ||
        (op != sum && op != bitOr && op != bitXor))
      return false;
    Type *type = operation->getType();
    auto [own, place] = placeBehind(value->getPointerOperand(), layout);
    const Value *&ownObject = copyOf[object];
    Reduction &reduction = objects[object];
    if ((reduction.type && (reduction.type != type || reduction.op != *op)) ||
        placeBehind(held->getPointerOperand(), layout) !=
            std::pair(object, offset) ||
        place != offset || !is_contained(copies, own) ||
        (ownObject && ownObject != own) || !isPlainNumber(*type) ||
        offset % int64_t(layout.getTypeStoreSize(type)) != 0 ||
        !members[object].insert(offset).second)
      return false;
    ownObject = own;
    reduction.type = type;
    reduction.op = *op;
    reduction.variable = const_cast<Value *>(object);
  }
  for (auto &[object, reduction] : objects) {
    const auto *own = dyn_cast<AllocaInst>(copyOf[object]);
    std::optional<TypeSize> bytes =
        own ? own->getAllocationSize(layout) : std::nullopt;
    uint64_t numMembers = members[object].size();
    if (!bytes ||
        *bytes != numMembers * layout.getTypeStoreSize(reduction.type) ||
        *members[object].begin() < 0 || !checkCopy(reduction, *own))
      return false;
    if (numMembers > 1)
      reduction.bytes =
          ConstantInt::get(Type::getInt64Ty(call.getContext()), *bytes);
    reductions.push_back(reduction);
  }
  if (objects.size() !=
      cast<ConstantInt>(call.getArgOperand(2))->getZExtValue())
    return false;
  end->eraseFromParent();
  call.replaceAllUsesWith(ConstantInt::get(call.getType(), 1));
  call.eraseFromParent();
  return true;
}

/// Whether a store is reached each time that copies are joined, and once.
bool ReductionReader::isAlways(const StoreInst &store) const {
  return dominators.dominates(store.getParent(), end->getParent()) &&
         loops.getLoopFor(store.getParent()) ==
             loops.getLoopFor(end->getParent());
}

/// Whether it makes no difference how many copies there are. Some operators may
/// join the same as often as they like, but not less than once: a loop must
/// have been begun.
bool ReductionReader::beginsNeutral(const Reduction &reduction,
                                    const Value &own) const {
  bool isRepeatable =
      isRepeatableJoin(reduction.op) &&
      any_of(instructions(*call.getFunction()), [&](const Instruction &start) {
        return startsLoop(start) && dominators.dominates(&start, &call);
      });
  return all_of(own.users(), [&](const User *user) {
    const auto *store = dyn_cast<StoreInst>(user);
    if (!store || store->getPointerOperand() != &own ||
        !dominators.dominates(store, &call))
      return true;
    const auto *value = dyn_cast<Constant>(store->getValueOperand());
    const auto *number = dyn_cast_or_null<ConstantFP>(value);
    return value && (isNeutralValue(*value, reduction) ||
                     (isRepeatable && !(number && number->isNaN())));
  });
}

/// Whether a copy is one among any number of them.
bool ReductionReader::checkCopy(const Reduction &reduction, const Value &own) {
  if (!beginsNeutral(reduction, own))
    return fail("reduces around its loop");
  if (isShown(reduction, own, call, dominators))
    return fail("uses what it has reduced so far");
  return true;
}

/// `variable && copy`, `variable || copy`
bool ReductionReader::readLogical(PHINode &phi, Reduction &reduction) {
  if (phi.getNumIncomingValues() != 2 || !reduction.type->isIntegerTy())
    return false;
  for (unsigned i : {0u, 1u}) {
    auto *known = dyn_cast<ConstantInt>(phi.getIncomingValue(i));
    if (!known)
      continue;
    auto *branch =
        dyn_cast<BranchInst>(phi.getIncomingBlock(i)->getTerminator());
    unsigned decided = known->isZero() ? 1 : 0;
    if (!branch || !branch->isConditional() ||
        branch->getSuccessor(decided) != phi.getParent() ||
        branch->getSuccessor(1 - decided) != phi.getIncomingBlock(1 - i) ||
        variableOfTruth(branch->getCondition(), reduction.type) != variable ||
        variableOfTruth(phi.getIncomingValue(1 - i), reduction.type) != copy)
      return false;
    reduction.op = known->isZero() ? 4 : 5;
    reduction.isLogical = true;
    return true;
  }
  return false;
}

/// A choice between the two.
bool ReductionReader::readChoice(PHINode &phi, Reduction &reduction) {
  if (phi.getNumIncomingValues() != 2)
    return false;
  BasicBlock *one = phi.getIncomingBlock(0);
  BranchInst *branch = branchBefore(*one);
  auto *comparison =
      branch ? dyn_cast<CmpInst>(branch->getCondition()) : nullptr;
  if (!comparison || branchBefore(*phi.getIncomingBlock(1)) != branch)
    return false;
  const Type *type = reduction.type;
  auto wideningOf = [](const Value *value) {
    const auto *cast = dyn_cast<CastInst>(value);
    return cast ? cast->getOpcode() : 0u;
  };
  if (wideningOf(comparison->getOperand(0)) !=
      wideningOf(comparison->getOperand(1)))
    return false;
  unsigned ifTrue = branch->getSuccessor(0) == one ? 0 : 1;
  // Small numbers are compared as an int, which is extended as they are.
  reduction.isUnsigned = isa<ZExtInst>(comparison->getOperand(0));
  const Value *left = variableOfValue(comparison->getOperand(0), type);
  const Value *right = variableOfValue(comparison->getOperand(1), type);
  const Value *chosen = variableOfValue(phi.getIncomingValue(ifTrue), type);
  const Value *other = variableOfValue(phi.getIncomingValue(1 - ifTrue), type);
  CmpInst::Predicate predicate = comparison->getPredicate();
  if (chosen == right && other == left) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (chosen != left || other != right ||
      !((left == variable && right == copy) ||
        (left == copy && right == variable)))
    return false;
  bool isUnsigned = false;
  std::optional<unsigned> op = betterBy(predicate, isUnsigned);
  reduction.op = op.value_or(0);
  reduction.isUnsigned |= isUnsigned;
  return op.has_value();
}

bool ReductionReader::readOperator(Value *joined, Reduction &reduction) {
  // C computes with an int at least.
  if (auto *narrowed = dyn_cast<TruncInst>(joined))
    joined = narrowed->getOperand(0);
  if (auto *widened = dyn_cast<ZExtInst>(joined)) {
    auto *truth = dyn_cast<PHINode>(widened->getOperand(0));
    return truth && truth->getType()->isIntegerTy(1) &&
           readLogical(*truth, reduction);
  }
  const Type *type = reduction.type;
  if (auto *phi = dyn_cast<PHINode>(joined))
    return readChoice(*phi, reduction);
  auto *operation = dyn_cast<BinaryOperator>(joined);
  if (!operation ||
      variableOfValue(operation->getOperand(0), type) != variable ||
      variableOfValue(operation->getOperand(1), type) != copy)
    return false;
  std::optional<unsigned> op = joinOf(*operation, /*index=*/1);
  reduction.op = op.value_or(0);
  return op.has_value();
}

bool ReductionReader::read(StoreInst &store, Reduction &reduction) {
  reduction.type = store.getValueOperand()->getType();
  if (!isPlainNumber(*reduction.type) && !reduction.type->isIntegerTy(8) &&
      !reduction.type->isIntegerTy(16))
    return fail("reduces variables that are no numbers");
  variable = variableBehind(store.getPointerOperand());
  if (!isa<Argument>(variable))
    return fail("reduces arrays");
  reduction.variable = const_cast<Value *>(variable);
  return readOperator(store.getValueOperand(), reduction) ||
         fail("reduces by an operator of its own");
}

/// `variable = variable op copy`, before the end.
StoreInst *ReductionReader::write(const Reduction &reduction, Value *pointer,
                                  Align alignment) {
  IRBuilder<> builder(end);
  LoadInst *held =
      builder.CreateAlignedLoad(reduction.type, pointer, alignment);
  if (!first)
    first = held;
  Value *value = builder.CreateAlignedLoad(
      reduction.type, const_cast<Value *>(copy), alignment);
  if (reduction.isLogical)
    value = builder.CreateZExt(builder.CreateIsNotNull(value), reduction.type);
  Value *joined = joinValues(builder, reduction, held, value);
  return builder.CreateAlignedStore(joined, pointer, alignment);
}

void ReductionReader::run(std::vector<Reduction> &reductions, bool isMarked) {
  if (!findJoin())
    return;
  bool hasObjects = any_of(copies, [](const Value *own) {
    const auto *variable = dyn_cast<AllocaInst>(own);
    return variable && variable->getAllocatedType()->isStructTy();
  });
  if (hasObjects) {
    std::vector<Reduction> found;
    if (!isMarked && readObject(found))
      append_range(reductions, found);
    else if (reason.empty())
      fail("reduces by an operator of its own");
    return;
  }
  if (stores.size() !=
      cast<ConstantInt>(call.getArgOperand(2))->getZExtValue()) {
    fail("reduces arrays");
    return;
  }
  SmallPtrSet<const Value *, 4> joined;
  for (StoreInst *store : stores) {
    Reduction reduction;
    // Which copy is joined here, its use says.
    bool isRead = any_of(copies, [&](Value *candidate) {
      copy = candidate;
      return read(*store, reduction);
    });
    if (!isRead || !isAlways(*store) ||
        !joined.insert(reduction.variable).second) {
      fail("reduces by an operator of its own");
      return;
    }
    reason.clear();
    if (!isMarked && !checkCopy(reduction, *copy))
      return;
    // The code before may be left out, and what it has computed.
    StoreInst *plain = write(reduction, reduction.variable, store->getAlign());
    if (isMarked)
      plain->setMetadata(joinedMetadata, MDNode::get(plain->getContext(), {}));
    reductions.push_back(reduction);
  }
  for (StoreInst *store : stores)
    store->eraseFromParent();
  end->eraseFromParent();
  if (isMarked)
    goToJoin();
  call.replaceAllUsesWith(ConstantInt::get(call.getType(), 1));
  call.eraseFromParent();
}

/// Leaves out the code that is replaced.
void ReductionReader::goToJoin() {
  BasicBlock *before = call.getParent();
  BasicBlock *plain = first->getParent()->splitBasicBlock(first->getIterator());
  Instruction *choice = before->getTerminator();
  for (BasicBlock *next : successors(before))
    next->removePredecessor(before);
  IRBuilder<> builder(choice);
  builder.CreateBr(plain);
  choice->eraseFromParent();
}

std::vector<Reduction> openmp::rewriteReductions(Function &work,
                                                 Reason &reason) {
  std::vector<Reduction> reductions;
  for (CallInst *call : reductionCalls(work)) {
    ReductionReader(*call, reason).run(reductions);
    if (!reason.empty())
      return {};
  }
  return reductions;
}

Reason openmp::joinPlainly(CallInst &call) {
  Reason reason;
  std::vector<Reduction> reductions;
  ReductionReader(call, reason).run(reductions, /*isMarked=*/true);
  return reason;
}

void openmp::dropReductions(Function &work) {
  for (CallInst *call : reductionCalls(work)) {
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
    call->eraseFromParent();
  }
}

bool openmp::isReductionList(const Value &variable) {
  return any_of(variable.uses(), [](const Use &use) {
    const auto *call = dyn_cast<CallInst>(use.getUser());
    return call && use.getOperandNo() == 4 && isReduction(*call);
  });
}

bool openmp::isListed(const StoreInst &store) {
  return isReductionList(*getUnderlyingObject(store.getPointerOperand()));
}

bool openmp::isBegunOnce(const Value &copy,
                         function_ref<bool(const Instruction &)> isKnown) {
  unsigned numStores = 0;
  return all_of(copy.uses(), [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    const auto *store = dyn_cast<StoreInst>(user);
    if (user->isLifetimeStartOrEnd() || isKnown(*user))
      return true;
    return store &&
           (use.getOperandNo() == 0
                ? isListed(*store)
                : isa<Constant>(store->getValueOperand()) && !numStores++);
  });
}

/// Whether code around loops only sets a thread's copy of an object to zeros,
/// and joins it.
static bool beginsWithZeros(const Value &place,
                            const SmallPtrSetImpl<const BasicBlock *> &inside) {
  return all_of(place.uses(), [&](const Use &use) {
    const auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user || inside.contains(user->getParent()) || isa<LoadInst>(user) ||
        user->isLifetimeStartOrEnd())
      return true;
    if (isa<GetElementPtrInst>(user))
      return beginsWithZeros(*user, inside);
    if (const auto *set = dyn_cast<MemSetInst>(user)) {
      const auto *byte = dyn_cast<ConstantInt>(set->getValue());
      return byte && byte->isZero();
    }
    if (const auto *copy = dyn_cast<MemTransferInst>(user)) {
      const auto *from = dyn_cast<GlobalVariable>(
          copy->getSource()->stripInBoundsConstantOffsets());
      return use.getOperandNo() == 0 && from && from->isConstant() &&
             from->hasInitializer() && from->getInitializer()->isNullValue();
    }
    const auto *store = dyn_cast<StoreInst>(user);
    if (!store)
      return false;
    if (use.getOperandNo() == 0)
      return isListed(*store);
    const auto *value = dyn_cast<Constant>(store->getValueOperand());
    const auto *number = dyn_cast_or_null<ConstantFP>(value);
    return value && (value->isNullValue() || (number && number->isZero()));
  });
}

/// Every thread adds once what it does to its copy around the loop; code of
/// iterations would add it for each of them.
Reason openmp::findReducedAround(Function &work, ArrayRef<SharedLoop> loops) {
  SmallPtrSet<const BasicBlock *, 16> inside;
  for (const SharedLoop &loop : loops)
    inside.insert_range(loop.blocks);
  for (CallInst *call : reductionCalls(work))
    for (Value *copy : copiesIn(*call)) {
      if (const auto *variable = dyn_cast<AllocaInst>(copy);
          variable && variable->getAllocatedType()->isStructTy()) {
        if (!beginsWithZeros(*copy, inside))
          return "reduces around its loop";
        continue;
      }
      if (!isBegunOnce(*copy, [&](const Instruction &user) {
            return inside.contains(user.getParent()) || isa<LoadInst>(user);
          }))
        return "reduces around its loop";
    }
  return {};
}
