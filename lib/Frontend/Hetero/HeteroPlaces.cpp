//===- HeteroPlaces.cpp - Places computed from variables of loops ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of an instance has 64 bits, variables of loops mostly 32. LLVM
// does not see that a number that was cut, added to and extended again grows
// evenly.
//
//===----------------------------------------------------------------------===//

#include "HeteroGraph.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

/// Whether a value is computed from the number of the iteration by steps none
/// of which wraps around.
static bool countsUp(const Value &value, const Value &number,
                     unsigned depth = 0) {
  constexpr unsigned mostDepth = 8;
  if (&value == &number)
    return true;
  const auto *operation = dyn_cast<OverflowingBinaryOperator>(&value);
  return operation && isa<BinaryOperator>(value) && depth < mostDepth &&
         operation->hasNoSignedWrap() &&
         operation->getOpcode() != Instruction::Shl &&
         any_of(operation->operands(), [&](const Use &operand) {
           return countsUp(*operand, number, depth + 1);
         });
}

/// Such a value in the type of `whole`, which the number was cut from.
static Value *inWhole(Value &value, Value &number, Value &whole,
                      IRBuilder<> &builder) {
  if (&value == &number)
    return &whole;
  if (!countsUp(value, number))
    return builder.CreateSExt(&value, whole.getType());
  auto &operation = cast<BinaryOperator>(value);
  Value *left = inWhole(*operation.getOperand(0), number, whole, builder);
  Value *right = inWhole(*operation.getOperand(1), number, whole, builder);
  Value *result = builder.CreateBinOp(operation.getOpcode(), left, right);
  if (auto *computed = dyn_cast<BinaryOperator>(result))
    computed->setHasNoSignedWrap();
  return result;
}

void hetero::widenPlaces(Function &iteration, Value &number) {
  auto *cut = dyn_cast<TruncInst>(&number);
  if (!cut)
    return;
  Value &whole = *cut->getOperand(0);
  SmallVector<CastInst *> places;
  for (Instruction &instruction : instructions(iteration))
    if (auto *cast = dyn_cast<SExtInst>(&instruction);
        cast && cast->getType() == whole.getType() &&
        countsUp(*cast->getOperand(0), number))
      places.push_back(cast);
  for (CastInst *place : places) {
    IRBuilder<> builder(place);
    place->replaceAllUsesWith(
        inWhole(*place->getOperand(0), number, whole, builder));
  }
}
