//===- LeafAddresses.cpp - Values of a leaf as polynomials ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's scalar evolution knows how values grow with loops; what it says is
// put into polynomials over ids, extents, arguments and turns of loops.
//
//===----------------------------------------------------------------------===//

#include "LeafAddresses.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

LeafValues::LeafValues(Function &leaf, FunctionAnalysisManager &analyses)
    : scalars(analyses.getResult<ScalarEvolutionAnalysis>(leaf)),
      loops(analyses.getResult<LoopAnalysis>(leaf)),
      dominators(analyses.getResult<DominatorTreeAnalysis>(leaf)) {}

unsigned races::loopNumber(const Loop &loop, LoopInfo &info) {
  SmallVector<Loop *, 4> all = info.getLoopsInPreorder();
  return std::distance(all.begin(), find(all, &loop));
}

static Polynomial turnOf(const Loop &loop, LoopInfo &loops) {
  Symbol turn;
  turn.kind = Symbol::Kind::Turn;
  turn.index = loopNumber(loop, loops);
  return Polynomial::of(turn);
}

/// What an index that is no polynomial is, for messages.
static std::string describeUnknown(const Value &value) {
  if (isa<LoadInst>(value))
    return "it depends on a value that is loaded from memory";
  if (const auto *call = dyn_cast<CallBase>(&value)) {
    const Function *callee = call->getCalledFunction();
    return callee
               ? "it depends on what '" + callee->getName().str() + "' returns"
               : "it depends on what an indirect call returns";
  }
  return "it is not linear in the instance ids and loop counters";
}

static const std::string notLinear =
    "it is not linear in the instance ids and loop counters";

std::optional<Polynomial> LeafValues::convert(const SCEV *expression,
                                              const BasicBlock &block,
                                              std::string &reason) {
  if (auto *constant = dyn_cast<SCEVConstant>(expression)) {
    if (constant->getAPInt().getSignificantBits() > 64)
      return std::nullopt;
    return Polynomial(constant->getAPInt().getSExtValue());
  }
  if (auto *cast = dyn_cast<SCEVCastExpr>(expression))
    return convert(cast->getOperand(), block, reason);
  if (auto *nary = dyn_cast<SCEVNAryExpr>(expression);
      nary && isa<SCEVAddExpr, SCEVMulExpr>(nary)) {
    bool isSum = isa<SCEVAddExpr>(nary);
    Polynomial result(isSum ? 0 : 1);
    for (const SCEV *operand : nary->operands()) {
      std::optional<Polynomial> value = convert(operand, block, reason);
      if (!value)
        return std::nullopt;
      result = isSum ? result + *value : result * *value;
    }
    return result;
  }
  if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
    const Loop *loop = recurrence->getLoop();
    if (recurrence->isAffine() && loop->contains(&block)) {
      auto start = convert(recurrence->getStart(), block, reason);
      auto step = convert(recurrence->getOperand(1), block, reason);
      if (start && step)
        return *start + *step * turnOf(*loop, loops);
      return std::nullopt;
    }
  }
  if (auto *unknown = dyn_cast<SCEVUnknown>(expression)) {
    Value *value = unknown->getValue();
    if (std::optional<Symbol> query = symbolOfQuery(*value))
      return Polynomial::of(*query);
    if (auto *argument = dyn_cast<Argument>(value);
        argument && argument->getType()->isIntegerTy()) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::Argument;
      symbol.index = argument->getArgNo();
      return Polynomial::of(symbol);
    }
    reason = describeUnknown(*value);
    return std::nullopt;
  }
  if (reason.empty())
    reason = notLinear;
  return std::nullopt;
}

std::optional<Polynomial> LeafValues::convert(Value *value,
                                              const BasicBlock &block,
                                              std::string &reason) {
  if (!scalars.isSCEVable(value->getType()) || value->getType()->isPointerTy())
    return std::nullopt;
  return convert(scalars.getSCEV(value), block, reason);
}

std::optional<Polynomial> LeafValues::offset(Value *pointer, const Value *base,
                                             const BasicBlock &block,
                                             std::string &reason) {
  const SCEV *expression = scalars.getSCEV(pointer);
  const auto *found = dyn_cast<SCEVUnknown>(scalars.getPointerBase(expression));
  if (!found || found->getValue() != base) {
    reason = notLinear;
    return std::nullopt;
  }
  const SCEV *bytes = scalars.removePointerBase(expression);
  if (isa<SCEVCouldNotCompute>(bytes)) {
    reason = notLinear;
    return std::nullopt;
  }
  std::optional<Polynomial> result = convert(bytes, block, reason);
  if (result && !result->isValid())
    return std::nullopt;
  return result;
}

std::vector<Condition> LeafValues::turnLimits(const BasicBlock &block) {
  std::vector<Condition> limits;
  for (const Loop *loop = loops.getLoopFor(&block); loop;
       loop = loop->getParentLoop()) {
    const SCEV *most = scalars.getSymbolicMaxBackedgeTakenCount(loop);
    if (isa<SCEVCouldNotCompute>(most))
      continue;
    std::string reason;
    std::optional<Polynomial> limit = convert(most, block, reason);
    if (!limit || !limit->isValid())
      continue;
    limits.push_back({Condition::Kind::NotPositive,
                      turnOf(*loop, loops) - *limit,
                      static_cast<int>(loopNumber(*loop, loops))});
  }
  return limits;
}
