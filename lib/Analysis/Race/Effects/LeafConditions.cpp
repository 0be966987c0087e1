//===- LeafConditions.cpp - Conditions under which blocks run -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   1. If one edge of a branch dominates a block, the branch's condition holds
//      there. A comparison of polynomials becomes a condition.
//      Values in comparisons are exact, so a condition is exactly the machine's
//      comparison.
//      The same applies to statements of the program (`__builtin_assume`) on
//      every path to the block, and to divisions: nothing is divided by 0.
//   2. A branch that affects the block's execution in another way, or that is
//      no comparison of polynomials, makes its execution uncertain. If it does
//      so only through the back edge of a loop, the loop's first iteration is
//      certain.
//
//===----------------------------------------------------------------------===//

#include "LeafAddresses.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Analysis/InstanceUniformity.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

LeafConditions::LeafConditions(Function &leaf, LeafValues &values)
    : values(values), dependence(std::make_unique<ControlDependence>(leaf)) {
  // Statements that are reached whenever their block is reached.
  for (BasicBlock &block : leaf)
    for (Instruction &instruction : block) {
      if (auto *assume = dyn_cast<AssumeInst>(&instruction))
        statements.push_back(assume);
      else if (auto *operation = dyn_cast<BinaryOperator>(&instruction);
               operation && operation->isIntDivRem() &&
               !isa<Constant>(operation->getOperand(1)) &&
               !operation->getType()->isVectorTy())
        divisions.push_back(operation);
      else if (hpvmIntrinsicName(instruction).empty() &&
               !symbolOfQuery(instruction) &&
               !isGuaranteedToTransferExecutionToSuccessor(&instruction))
        break;
    }
}

LeafConditions::~LeafConditions() = default;

/// Adds `left PREDICATE right` for numbers; false if it is no known form of
/// condition.
static bool addComparison(CmpInst::Predicate predicate, const Polynomial &left,
                          const Polynomial &right, int loop,
                          std::vector<Condition> &conditions) {
  Polynomial value = left - right;
  if (!value.isValid())
    return false;
  switch (predicate) {
  case CmpInst::ICMP_EQ:
    conditions.push_back({Condition::Kind::Zero, value, loop});
    return true;
  case CmpInst::ICMP_NE:
    conditions.push_back({Condition::Kind::NotZero, value, loop});
    return true;
  case CmpInst::ICMP_SLT:
  case CmpInst::ICMP_ULT:
    value += 1;
    [[fallthrough]];
  case CmpInst::ICMP_SLE:
  case CmpInst::ICMP_ULE:
    if (value.isValid())
      conditions.push_back({Condition::Kind::NotPositive, value, loop});
    return value.isValid();
  default:
    return false;
  }
}

/// `a && b` as clang emits it: all incoming values are false except that of the
/// block that computes `b`, which runs if `a` holds. `a || b` is similar.
bool LeafConditions::addMerged(PHINode &phi, bool isTrue, int loop,
                               const BasicBlock &block, Facts &facts) {
  BasicBlock *from = nullptr;
  for (auto [value, incoming] : zip(phi.incoming_values(), phi.blocks())) {
    auto *constant = dyn_cast<ConstantInt>(value);
    if (constant && constant->isOne() != isTrue)
      continue;
    if (from)
      return false;
    from = incoming;
  }
  // A value from the previous iteration differs from the value in this one.
  if (from && values.loops.isLoopHeader(phi.getParent()))
    return false;
  // It cannot be so.
  if (!from) {
    facts.conditions.push_back(
        {Condition::Kind::NotPositive, Polynomial(1), loop});
    return true;
  }
  bool isComplete = addCondition(phi.getIncomingValueForBlock(from), isTrue,
                                 loop, block, facts);
  DominatorTree &dominators = values.dominators;
  auto *end = dominators.getNode(phi.getParent())->getIDom();
  auto *node = dominators.getNode(from);
  for (BasicBlock *current = from; node != end && node->getIDom();) {
    node = node->getIDom();
    auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    for (unsigned side : {0, 1}) {
      BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(side));
      if (dominators.dominates(edge, current))
        isComplete &=
            addCondition(branch->getCondition(), side == 0, loop, block, facts);
    }
  }
  return isComplete;
}

/// The operands for which `predicate` holds if it holds for `value`: below a
/// minimum means below all of its operands, above a maximum means above all of
/// them. Null stands for the value itself.
SmallVector<const SCEV *, 2>
LeafConditions::boundsOf(Value *value, CmpInst::Predicate predicate,
                         bool isUpper) {
  const SCEV *expression = values.scalars.getSCEV(value);
  SCEVTypes wanted = CmpInst::isSigned(predicate)
                         ? (isUpper ? scSMinExpr : scSMaxExpr)
                         : (isUpper ? scUMinExpr : scUMaxExpr);
  if (CmpInst::isRelational(predicate) && expression->getSCEVType() == wanted)
    return SmallVector<const SCEV *, 2>(expression->operands());
  return {nullptr};
}

/// Returns false if a part of the condition could not be expressed.
bool LeafConditions::addCondition(Value *condition, bool isTrue, int loop,
                                  const BasicBlock &block, Facts &facts) {
  using namespace PatternMatch;
  Value *left, *right;
  if (match(condition, m_Not(m_Value(left))))
    return addCondition(left, !isTrue, loop, block, facts);
  bool isConjunction =
      isTrue ? match(condition, m_LogicalAnd(m_Value(left), m_Value(right)))
             : match(condition, m_LogicalOr(m_Value(left), m_Value(right)));
  if (isConjunction) {
    bool first = addCondition(left, isTrue, loop, block, facts);
    bool second = addCondition(right, isTrue, loop, block, facts);
    return first && second;
  }
  if (auto *phi = dyn_cast<PHINode>(condition))
    return addMerged(*phi, isTrue, loop, block, facts);
  if (auto *constant = dyn_cast<ConstantInt>(condition)) {
    if (constant->isOne() != isTrue)
      facts.conditions.push_back(
          {Condition::Kind::NotPositive, Polynomial(1), loop});
    return true;
  }
  auto *comparison = dyn_cast<ICmpInst>(condition);
  if (!comparison)
    return false;
  CmpInst::Predicate predicate =
      isTrue ? comparison->getPredicate() : comparison->getInversePredicate();
  left = comparison->getOperand(0);
  right = comparison->getOperand(1);
  if (!left->getType()->isIntegerTy())
    return false;
  if (ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate)) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  std::string reason;
  if (CmpInst::isEquality(predicate)) {
    auto difference =
        values.difference(left, right, block, reason, facts.follow);
    return difference && addComparison(predicate, *difference, Polynomial(0),
                                       loop, facts.conditions);
  }
  bool isSigned = CmpInst::isSigned(predicate);
  // In 64 bits, a negative number is a large unsigned one.
  bool mayBeLarge = !isSigned && left->getType()->getIntegerBitWidth() >= 64;
  auto compare = [&](std::optional<Polynomial> a, std::optional<Polynomial> b) {
    if (!a || !b || (mayBeLarge && mayBeHuge(*b)))
      return false;
    bool isComplete = true;
    if (mayBeLarge && rangeOf(*a).least < 0)
      isComplete = addComparison(CmpInst::ICMP_ULE, Polynomial(0), *a, loop,
                                 facts.conditions);
    return addComparison(predicate, *a, *b, loop, facts.conditions) &&
           isComplete;
  };
  auto number = [&](const SCEV *bound, Value *value) {
    return bound ? values.number(bound, isSigned, block, reason, facts.follow)
                 : values.number(value, isSigned, block, reason, facts.follow);
  };
  bool isComplete = true;
  for (const SCEV *low : boundsOf(left, predicate, /*isUpper=*/false))
    for (const SCEV *high : boundsOf(right, predicate, /*isUpper=*/true))
      isComplete &= compare(number(low, left), number(high, right));
  return isComplete;
}

/// Adds the condition that holds in `block` because `branch` went that way.
bool LeafConditions::addBranch(const BranchInst &branch, bool isTaken,
                               const BasicBlock &block, Facts &facts) {
  const BasicBlock *other = branch.getSuccessor(isTaken ? 1 : 0);
  const Loop *loop = values.loops.getLoopFor(branch.getParent());
  bool keepsGoing = loop && loop->contains(&block) && !loop->contains(other);
  return addCondition(branch.getCondition(), isTaken,
                      keepsGoing ? loopNumber(*loop, values.loops) : -1, block,
                      facts);
}

bool LeafConditions::reachesForward(const BasicBlock *from,
                                    const BasicBlock *to) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const BasicBlock *> worklist = {from};
  while (!worklist.empty()) {
    const BasicBlock *block = worklist.pop_back_val();
    for (const BasicBlock *next : successors(block)) {
      if (values.dominators.dominates(next, block))
        continue;
      if (next == to)
        return true;
      if (seen.insert(next).second)
        worklist.push_back(next);
    }
  }
  return false;
}

LeafConditions::Facts LeafConditions::collect(const BasicBlock &block,
                                              Follow follow) {
  Facts facts;
  facts.follow = follow;
  SmallPtrSet<const BasicBlock *, 8> expressed;
  DominatorTree &dominators = values.dominators;
  if (!dominators.isReachableFromEntry(&block))
    return facts;
  for (auto *node = dominators.getNode(&block)->getIDom(); node;
       node = node->getIDom()) {
    const auto *branch =
        dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    for (unsigned side : {0, 1}) {
      BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(side));
      if (dominators.dominates(edge, &block) &&
          addBranch(*branch, side == 0, block, facts))
        expressed.insert(node->getBlock());
    }
  }
  // In the order of the branches: each condition guards the loads of later
  // ones.
  if (follow != Follow::Nothing)
    std::reverse(facts.conditions.begin(), facts.conditions.end());
  for (AssumeInst *statement : statements)
    if (dominators.dominates(statement->getParent(), &block))
      addCondition(statement->getArgOperand(0), /*isTrue=*/true, /*loop=*/-1,
                   block, facts);
  for (BinaryOperator *division : divisions) {
    std::string reason;
    if (!dominators.dominates(division->getParent(), &block))
      continue;
    std::optional<Polynomial> divisor = values.number(
        division->getOperand(1), /*isSigned=*/true, block, reason, follow);
    if (divisor && divisor->isValid() && !divisor->asConstant())
      facts.conditions.push_back(
          {Condition::Kind::NotZero, *divisor, -1, /*isResult=*/true});
  }
  auto *self = const_cast<BasicBlock *>(&block);
  for (BasicBlock *controller : dependence->allControllers({self})) {
    if (expressed.contains(controller))
      continue;
    if (reachesForward(controller, &block)) {
      facts.isCertain = false;
      continue;
    }
    for (const Loop *loop = values.loops.getLoopFor(&block); loop;
         loop = loop->getParentLoop())
      if (loop->contains(controller))
        facts.firstTurns.push_back(loopNumber(*loop, values.loops));
  }
  append_range(facts.conditions, values.turnLimits(block, follow));
  if (follow != Follow::Nothing)
    return facts;
  sort(facts.conditions);
  facts.conditions.erase(llvm::unique(facts.conditions),
                         facts.conditions.end());
  return facts;
}

void LeafConditions::describe(const BasicBlock &block, LeafAccess &access) {
  auto [found, isNew] = known.try_emplace(&block);
  if (isNew) {
    found->second.facts = collect(block, Follow::Nothing);
    if (!found->second.facts.isComplete())
      found->second.followed = collect(block, Follow::Loads);
  }
  const auto &[facts, followed] = found->second;
  if (followed && followed->isComplete())
    access.followedConditions = followed->conditions;
  access.conditions = facts.conditions;
  access.isCertain &= facts.isCertain;
  access.firstTurns = facts.firstTurns;
}
