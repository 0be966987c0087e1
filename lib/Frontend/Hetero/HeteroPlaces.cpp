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

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
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

/// Has variables for debuggers follow a value's counterpart of more bits.
static void describeBy(Value &value, Value &wide) {
  SmallVector<DbgVariableRecord *> records;
  findDbgUsers(&value, records);
  auto cut = DIExpression::getExtOps(wide.getType()->getIntegerBitWidth(),
                                     value.getType()->getIntegerBitWidth(),
                                     /*Signed=*/true);
  for (DbgVariableRecord *record : records) {
    if (record->getNumVariableLocationOps() != 1)
      continue;
    SmallVector<uint64_t> operations(cut.begin(), cut.end());
    record->replaceVariableLocationOp(&value, &wide);
    record->setExpression(DIExpression::prependOpcodes(
        record->getExpression(), operations, /*StackValue=*/true));
  }
}

namespace {
/// Values that count up, in the type of `whole`, which the number was cut from.
struct WidePlaces {
  Value &number, &whole;
  DenseMap<const Value *, Value *> known;

  Value *of(Value &value, Instruction &user);
};
} // namespace

Value *WidePlaces::of(Value &value, Instruction &user) {
  if (&value == &number)
    return &whole;
  if (!countsUp(value, number))
    return IRBuilder<>(&user).CreateSExt(&value, whole.getType());
  if (Value *found = known.lookup(&value))
    return found;
  auto &operation = cast<BinaryOperator>(value);
  Value *left = of(*operation.getOperand(0), operation);
  Value *right = of(*operation.getOperand(1), operation);
  Value *result =
      IRBuilder<>(&operation).CreateBinOp(operation.getOpcode(), left, right);
  if (auto *computed = dyn_cast<BinaryOperator>(result))
    computed->setHasNoSignedWrap();
  describeBy(operation, *result);
  return known[&value] = result;
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
  WidePlaces wide = {number, whole, DenseMap<const Value *, Value *>()};
  for (CastInst *place : places)
    place->replaceAllUsesWith(wide.of(*place->getOperand(0), *place));
}
