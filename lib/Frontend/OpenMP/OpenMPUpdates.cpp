//===- OpenMPUpdates.cpp - Iterations that sum up -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an iteration leaves in a variable that all of them sum up in must be
// what was there, joined with something that does not depend on it. Then each
// iteration begins with nothing, and joins what it has in the end.
//
//===----------------------------------------------------------------------===//

#include "OpenMPRegions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::openmp;

static constexpr StringLiteral partialName = "openmp.partial";

bool openmp::isAllOfWay(const BasicBlock &block, const Instruction *effect) {
  const BasicBlock *before = block.getSinglePredecessor();
  const BasicBlock *after = block.getSingleSuccessor();
  bool isOnly = all_of(block, [&](const Instruction &instruction) {
    return &instruction == effect || instruction.isTerminator() ||
           instruction.isLifetimeStartOrEnd() ||
           !instruction.mayHaveSideEffects();
  });
  return before && after && isOnly &&
         (!effect || (is_contained(successors(before), after) &&
                      all_of(after->phis(), [&](const PHINode &phi) {
                        return phi.getIncomingValueForBlock(&block) ==
                               phi.getIncomingValueForBlock(before);
                      })));
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

void openmp::declarePartial(IRBuilder<> &builder, Value *place,
                            const Reduction &how) {
  Module &module = *builder.GetInsertBlock()->getModule();
  // The last argument tells the type.
  FunctionCallee declares = module.getOrInsertFunction(
      partialName, FunctionType::get(builder.getVoidTy(),
                                     {builder.getPtrTy(), builder.getInt32Ty(),
                                      builder.getInt1Ty()},
                                     /*isVarArg=*/true));
  // It touches nothing, and stays where it is.
  cast<Function>(declares.getCallee())->setOnlyAccessesInaccessibleMemory();
  builder.CreateCall(declares, {place, builder.getInt32(how.op),
                                builder.getInt1(how.isUnsigned),
                                Constant::getNullValue(how.type)});
}

namespace {
/// Whether what an iteration leaves in a variable is what was there, joined
/// with something that does not depend on it.
class UpdateReader {
public:
  explicit UpdateReader(const Reduction &how) : how(how) {}

  bool run(const Argument &place);

  const Reduction how;

private:
  bool isHeld(const Value *value) const { return held.contains(value); }
  bool isWidened(const Instruction &user) const;
  bool grow(const Instruction &user);
  bool isKnownUse(const Use &use);
  bool isChoice(const SelectInst &choice);
  bool isGuarded(const StoreInst &store);

  /// What was there, joined with something.
  SmallSetVector<const Value *, 16> held;
  /// That decide between it and something better: as a choice, or by a branch.
  SmallPtrSet<const Value *, 4> decisions, guards;
  const Argument *memory = nullptr;
};
} // namespace

/// `a * b + held`
static bool isMultiplyAdd(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && (call->getIntrinsicID() == Intrinsic::fmuladd ||
                  call->getIntrinsicID() == Intrinsic::fma);
}

/// C computes with wider numbers where one of two is wide: of sums, the bits
/// that are kept are the same, or are rounded.
bool UpdateReader::isWidened(const Instruction &user) const {
  if (how.op == 2 || how.op == 3)
    return false;
  const auto *cast = dyn_cast<CastInst>(&user);
  if (!cast)
    return false;
  if (isa<SExtInst, ZExtInst, FPExtInst>(cast))
    return cast->getSrcTy() == how.type &&
           (how.op == 0 || !isa<FPExtInst>(cast));
  return isa<TruncInst, FPTruncInst>(cast) && cast->getDestTy() == how.type;
}

bool UpdateReader::grow(const Instruction &user) {
  bool isOperation = isa<PHINode, SelectInst>(user) || isMultiplyAdd(user) ||
                     isa<BinaryOperator>(user) || choiceOf(user) ||
                     isWidened(user);
  return isOperation && held.insert(&user);
}

/// `held > better ? held : better`
bool UpdateReader::isChoice(const SelectInst &choice) {
  const auto *comparison = dyn_cast<CmpInst>(choice.getCondition());
  if (!comparison || (how.op != 2 && how.op != 3))
    return false;
  const Value *left = comparison->getOperand(0);
  const Value *right = comparison->getOperand(1);
  CmpInst::Predicate predicate = comparison->getPredicate();
  if (choice.getTrueValue() == right && choice.getFalseValue() == left) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  bool isUnsigned = false;
  std::optional<unsigned> op = betterBy(predicate, isUnsigned);
  if (left != choice.getTrueValue() || right != choice.getFalseValue() ||
      op != how.op || isUnsigned != how.isUnsigned)
    return false;
  decisions.insert(comparison);
  return true;
}

/// `if (better > held) held = better;`
bool UpdateReader::isGuarded(const StoreInst &store) {
  const BasicBlock *block = store.getParent();
  const BranchInst *branch = branchBefore(*block);
  const auto *comparison =
      branch ? dyn_cast<CmpInst>(branch->getCondition()) : nullptr;
  if (!comparison || !comparison->hasOneUse() ||
      branch->getSuccessor(0) == branch->getSuccessor(1) ||
      !isAllOfWay(*block, &store))
    return false;
  CmpInst::Predicate predicate = comparison->getPredicate();
  if (branch->getSuccessor(0) != block)
    predicate = CmpInst::getInversePredicate(predicate);
  const Value *left = comparison->getOperand(0);
  const Value *right = comparison->getOperand(1);
  if (right == store.getValueOperand()) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  bool isUnsigned = false;
  std::optional<unsigned> op = betterBy(predicate, isUnsigned);
  const auto *load = dyn_cast<LoadInst>(right);
  if (left != store.getValueOperand() || !load || !isHeld(load) ||
      load->getParent() != branch->getParent() || op != how.op ||
      isUnsigned != how.isUnsigned)
    return false;
  // What was compared is what is there.
  auto isChange = [&](const Instruction &instruction) {
    const auto *other = dyn_cast<StoreInst>(&instruction);
    return other && other != &store && other->getPointerOperand() == memory;
  };
  if (any_of(make_range(load->getIterator(), branch->getIterator()),
             isChange) ||
      any_of(make_range(block->begin(), store.getIterator()), isChange))
    return false;
  guards.insert(comparison);
  return true;
}

bool UpdateReader::isKnownUse(const Use &use) {
  const auto *user = cast<Instruction>(use.getUser());
  if (const auto *store = dyn_cast<StoreInst>(user))
    return store->getPointerOperand() == memory;
  if (isa<CmpInst>(user))
    return true; // checked in the end
  if (!isHeld(user))
    return false;
  if (const auto *operation = dyn_cast<BinaryOperator>(user)) {
    unsigned index = use.getOperandNo();
    return joinOf(*operation, index) == how.op &&
           !isHeld(operation->getOperand(1 - index));
  }
  if (isa<CastInst>(user))
    return true; // one that widens, or narrows again
  if (choiceOf(*user)) {
    unsigned index = use.getOperandNo();
    return choiceOf(*user) == how.op && index < 2 &&
           !isHeld(user->getOperand(1 - index));
  }
  if (isMultiplyAdd(*user))
    return how.op == 0 && use.getOperandNo() == 2 &&
           !isHeld(user->getOperand(0)) && !isHeld(user->getOperand(1));
  if (const auto *phi = dyn_cast<PHINode>(user))
    return all_of(phi->incoming_values(),
                  [&](const Use &value) { return isHeld(value.get()); });
  const auto *choice = dyn_cast<SelectInst>(user);
  return choice && use.getOperandNo() != 0 &&
         ((isHeld(choice->getTrueValue()) && isHeld(choice->getFalseValue())) ||
          isChoice(*choice));
}

bool UpdateReader::run(const Argument &place) {
  memory = &place;
  SmallVector<const StoreInst *> stores;
  for (const Use &use : place.uses()) {
    const auto *load = dyn_cast<LoadInst>(use.getUser());
    const auto *store = dyn_cast<StoreInst>(use.getUser());
    if (load && load->isSimple() && load->getType() == how.type)
      held.insert(load);
    else if (store && store->isSimple() && use.getOperandNo() == 1 &&
             store->getValueOperand()->getType() == how.type)
      stores.push_back(store);
    else
      return false;
  }
  for (unsigned i = 0; i != held.size(); ++i)
    for (const User *user : held[i]->users())
      grow(*cast<Instruction>(user));
  for (const Value *value : held)
    for (const Use &use : value->uses())
      if (!isKnownUse(use))
        return false;
  for (const StoreInst *store : stores)
    if (!isHeld(store->getValueOperand()) && !isGuarded(*store))
      return false;
  for (const Value *value : held)
    for (const User *user : value->users())
      if (isa<CmpInst>(user) && !decisions.contains(user) &&
          !guards.contains(user))
        return false;
  return all_of(decisions, [&](const Value *decision) {
    return all_of(decision->users(),
                  [&](const User *user) { return isHeld(user); });
  });
}

/// Has an iteration work on a variable of its own, which begins with what is at
/// a place and replaces that in the end; or, with `joins`, begins with nothing
/// and is joined with that.
static void workOnCopy(Argument &place, const Reduction &how, bool joins) {
  Function &iteration = *place.getParent();
  BasicBlock &entry = iteration.getEntryBlock();
  IRBuilder<> builder(&entry, entry.begin());
  AllocaInst *own = builder.CreateAlloca(how.type);
  place.replaceAllUsesWith(own);
  builder.CreateStore(joins ? cast<Value>(neutralFor(how))
                            : builder.CreateLoad(how.type, &place),
                      own);
  for (BasicBlock &block : iteration)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      IRBuilder<> last(end);
      Value *held = joins ? last.CreateLoad(how.type, &place) : nullptr;
      Value *value = last.CreateLoad(how.type, own);
      last.CreateStore(joins ? joinValues(last, how, held, value) : value,
                       &place);
    }
}

void openmp::takePartials(Function &iteration, PassAnalyses &analyses,
                          std::vector<Reduction> &reductions, Reason &reason) {
  SmallVector<CallInst *> calls;
  for (Instruction &instruction : instructions(iteration))
    if (calledName(instruction) == partialName)
      calls.push_back(cast<CallInst>(&instruction));
  for (CallInst *call : calls) {
    auto *place = dyn_cast<Argument>(call->getArgOperand(0));
    Reduction how{
        .op =
            unsigned(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue()),
        .isUnsigned = cast<ConstantInt>(call->getArgOperand(2))->isOne(),
        .type = call->getArgOperand(3)->getType(),
        .variable = place};
    call->eraseFromParent();
    if (!place || place->use_empty())
      continue;
    if (!UpdateReader(how).run(*place)) {
      // In registers, more is known.
      workOnCopy(*place, how, /*joins=*/false);
      std::vector<Reduction> own = reductions;
      own.push_back(how);
      simplifyIteration(iteration, analyses, own);
    }
    if (!UpdateReader(how).run(*place)) {
      reason = "keeps values in variables of its threads from iteration to "
               "iteration";
      return;
    }
    // Nobody else has its address.
    place->addAttr(Attribute::NoAlias);
    workOnCopy(*place, how, /*joins=*/true);
    reductions.push_back(how);
  }
}
