//===- LeafValues.cpp - Values of a leaf as polynomials -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of the neighbouring files: queries of the race check about
// the pointers and numbers of one leaf.
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::races;

LeafValues::LeafValues(Function &leaf, FunctionAnalysisManager &analyses)
    : scalars(analyses.getResult<ScalarEvolutionAnalysis>(leaf)),
      loops(analyses.getResult<LoopAnalysis>(leaf)),
      dominators(analyses.getResult<DominatorTreeAnalysis>(leaf)) {}

std::optional<Symbol> races::symbolOfMemory(const Value &base) {
  Symbol symbol;
  const auto *argument = dyn_cast<Argument>(&base);
  const auto *global = dyn_cast<GlobalVariable>(&base);
  if (argument && !argument->hasByValAttr()) {
    symbol.kind = Symbol::Kind::Argument;
    symbol.index = argument->getArgNo();
  } else if (global && !global->isThreadLocal()) {
    symbol.kind = Symbol::Kind::Value;
    symbol.owner = global;
  } else {
    return std::nullopt;
  }
  return symbol;
}

bool races::mayBeHuge(const Polynomial &value) {
  return rangeOf(value, [](const Symbol &symbol) {
           IntegerRange range = naturalRange(symbol);
           if (symbol.bits == 0 || symbol.bits == 64)
             range.least = std::max<int64_t>(range.least, 0);
           return range;
         }).least < 0;
}

std::optional<Polynomial> FactBuilder::offset(Value *pointer,
                                              const Value *base) {
  if (pointer == base)
    return Polynomial(0);
  if (++depth > 60)
    return unknown();
  if (auto *address = dyn_cast<GEPOperator>(pointer)) {
    std::optional<Polynomial> result =
        offset(address->getPointerOperand(), base);
    SmallMapVector<Value *, APInt, 4> indices;
    APInt constant(64, 0);
    if (!result || !address->collectOffset(layout, 64, indices, constant))
      return result ? std::optional<Polynomial>(unknown()) : std::nullopt;
    *result += Polynomial(constant.getSExtValue());
    for (const auto &[index, stride] : indices) {
      std::optional<Polynomial> value = number(index, /*isSigned=*/true);
      if (!value)
        return std::nullopt;
      *result += *value * Polynomial(stride.getSExtValue());
    }
    if (!result->isValid())
      return unknown();
    return result;
  }
  if (auto *cast = dyn_cast<Operator>(pointer);
      cast && (cast->getOpcode() == Instruction::BitCast ||
               cast->getOpcode() == Instruction::AddrSpaceCast))
    return offset(cast->getOperand(0), base);
  if (auto *select = dyn_cast<SelectInst>(pointer))
    return pick(select->getCondition(), offset(select->getTrueValue(), base),
                offset(select->getFalseValue(), base));
  auto *phi = dyn_cast<PHINode>(pointer);
  if (!phi)
    return unknown();
  const SCEV *expression = values.scalars.getSCEV(phi);
  const auto *found =
      dyn_cast<SCEVUnknown>(values.scalars.getPointerBase(expression));
  if (found && found->getValue() == base) {
    const SCEV *bytes = values.scalars.removePointerBase(expression);
    if (isa<SCEVCouldNotCompute>(bytes))
      return unknown();
    return number(bytes, /*isSigned=*/true);
  }
  const Loop *around = values.loops.getLoopFor(phi->getParent());
  Value *yes, *no;
  if (around && around->getHeader() == phi->getParent())
    return unknown();
  if (BranchInst *branch = decidingBranch(*phi, values.dominators, yes, no))
    return pick(branch->getCondition(), offset(yes, base), offset(no, base));
  return unknown();
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

std::optional<Polynomial> LeafValues::number(Value *value, bool isSigned,
                                             const BasicBlock &block,
                                             std::string &reason,
                                             Follow follow) {
  return FactBuilder(*this, block, reason, follow).number(value, isSigned);
}

std::optional<Polynomial> LeafValues::number(const SCEV *expression,
                                             bool isSigned,
                                             const BasicBlock &block,
                                             std::string &reason,
                                             Follow follow) {
  return FactBuilder(*this, block, reason, follow).number(expression, isSigned);
}

std::optional<Polynomial> LeafValues::difference(Value *a, Value *b,
                                                 const BasicBlock &block,
                                                 std::string &reason,
                                                 Follow follow) {
  FactBuilder facts(*this, block, reason, follow);
  std::optional<Fact> first = facts.of(a), second = facts.of(b);
  if (!first || !second)
    return std::nullopt;
  // Either view of both will do.
  bool isSigned = !(first->isUnsigned && second->isUnsigned) ||
                  (first->isSigned && second->isSigned);
  unsigned bits = a->getType()->getIntegerBitWidth();
  std::optional<Polynomial> x = facts.number(first, bits, isSigned);
  std::optional<Polynomial> y = facts.number(second, bits, isSigned);
  if (!x || !y)
    return std::nullopt;
  return *x - *y;
}

std::optional<Polynomial> LeafValues::offset(Value *pointer, const Value *base,
                                             const BasicBlock &block,
                                             std::string &reason,
                                             Follow follow) {
  return FactBuilder(*this, block, reason, follow).offset(pointer, base);
}
