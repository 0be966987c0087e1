//===- AffineId.cpp - Dependence of values on an instance's id ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from a value to its operands. Anything except addition or
// multiplication by a constant ends the walk, unless it is independent of the
// id.
//
//===----------------------------------------------------------------------===//

#include "AffineId.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace sluice::codegen {

using Coefficient = std::optional<int64_t>;

/// Whether `value` depends in any way on `id`.
static bool dependsOn(const Value &value, const Value &id,
                      SmallPtrSetImpl<const Value *> &visited) {
  if (&value == &id)
    return true;
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || !visited.insert(instruction).second)
    return false;
  return any_of(instruction->operands(), [&](const Use &operand) {
    return dependsOn(*operand.get(), id, visited);
  });
}

static Coefficient scaled(Coefficient coefficient, const Value *factor) {
  const auto *constant = dyn_cast<ConstantInt>(factor);
  if (!coefficient || !constant || constant->getBitWidth() > 64)
    return std::nullopt;
  return *coefficient * constant->getSExtValue();
}

static Coefficient sum(Coefficient left, Coefficient right, int sign = 1) {
  if (!left || !right)
    return std::nullopt;
  return *left + sign * *right;
}

static Coefficient ofBinary(const BinaryOperator &binary, const Value &id) {
  auto of = [&](unsigned operand) {
    return idCoefficient(*binary.getOperand(operand), id);
  };
  switch (binary.getOpcode()) {
  case Instruction::Add:
    return sum(of(0), of(1));
  case Instruction::Sub:
    return sum(of(0), of(1), -1);
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(binary).isDisjoint())
      return sum(of(0), of(1));
    return std::nullopt;
  case Instruction::Mul:
    return scaled(of(0), binary.getOperand(1));
  case Instruction::Shl:
    if (const auto *bits = dyn_cast<ConstantInt>(binary.getOperand(1)))
      if (Coefficient inner = of(0); inner && bits->getZExtValue() < 32)
        return *inner * (int64_t(1) << bits->getZExtValue());
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

static Coefficient ofAddress(const GEPOperator &address, const Value &id) {
  Coefficient result = idCoefficient(*address.getPointerOperand(), id);
  const DataLayout &layout = cast<Instruction>(address).getDataLayout();
  SmallMapVector<Value *, APInt, 4> offsets;
  APInt constant(64, 0);
  if (!address.collectOffset(layout, 64, offsets, constant))
    return std::nullopt;
  for (const auto &[index, scale] : offsets) {
    Coefficient inner = idCoefficient(*index, id);
    if (!inner)
      return std::nullopt;
    result = sum(result, *inner * scale.getSExtValue());
  }
  return result;
}

std::optional<int64_t> idCoefficient(const Value &value, const Value &id) {
  if (&value == &id)
    return 1;
  SmallPtrSet<const Value *, 16> visited;
  if (!dependsOn(value, id, visited))
    return 0;
  if (isa<SExtInst, ZExtInst, TruncInst>(value))
    return idCoefficient(*cast<Instruction>(value).getOperand(0), id);
  if (const auto *binary = dyn_cast<BinaryOperator>(&value))
    return ofBinary(*binary, id);
  if (const auto *address = dyn_cast<GEPOperator>(&value))
    if (isa<Instruction>(address))
      return ofAddress(*address, id);
  return std::nullopt;
}

} // namespace sluice::codegen
