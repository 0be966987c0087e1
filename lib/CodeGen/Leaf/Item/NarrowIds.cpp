//===- NarrowIds.cpp - Ids that fit into 32 bits --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An expression made of ids, extents and constants, none of them negative, by
// addition and multiplication is largest where all ids are largest. So it never
// exceeds 2^31 - 1 if the expression and each part of it do not exceed it for
// the last ids.
//
//===----------------------------------------------------------------------===//

#include "NarrowIds.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace sluice::codegen {

namespace {

class Narrowing {
public:
  Narrowing(Function &item, const RangeSpec &spec,
            const std::array<bool, 3> &fused)
      : item(item), spec(spec), signature(spec), fused(fused) {}

  Function *run();

private:
  Function &item;
  const RangeSpec &spec;
  ItemSignature signature;
  const std::array<bool, 3> &fused;
  Function *fits = nullptr;
  Value *condition = nullptr;
  DenseMap<const Value *, Value *> maxValues;

  bool isId(const Value *value) const {
    const auto *argument = dyn_cast<Argument>(value);
    return argument && argument->getArgNo() >= signature.id(0, 0) &&
           argument->getArgNo() < signature.extent(0, 0);
  }
  bool isExtent(const Value *value) const {
    const auto *argument = dyn_cast<Argument>(value);
    return argument && argument->getArgNo() >= signature.extent(0, 0) &&
           argument->getArgNo() < signature.last(0);
  }
  bool isGrowing(const Value *value) const;
  Value *extent(unsigned index) const;
  Value *largest(IRBuilder<> &builder, const Value *value);
  Value *narrow(IRBuilder<> &builder, Value *value);
};

} // namespace

/// The 64-bit value if `value` is its truncation to 32 bits, extended again.
static const Value *widenedNarrow(const Value *value) {
  if (!isa<SExtInst, ZExtInst>(value))
    return nullptr;
  const auto *truncation =
      dyn_cast<TruncInst>(cast<Instruction>(value)->getOperand(0));
  return truncation && truncation->getType()->isIntegerTy(32)
             ? truncation->getOperand(0)
             : nullptr;
}

/// True if `value` is made only of ids, extents and constants by addition and
/// multiplication.
bool Narrowing::isGrowing(const Value *value) const {
  if (isId(value) || isExtent(value))
    return true;
  if (const auto *constant = dyn_cast<ConstantInt>(value))
    return !constant->isNegative() && constant->getValue().isIntN(31);
  if (const Value *widened = widenedNarrow(value))
    return isGrowing(widened);
  const auto *binary = dyn_cast<BinaryOperator>(value);
  if (!binary)
    return false;
  switch (binary->getOpcode()) {
  case Instruction::Shl:
    if (const auto *bits = dyn_cast<ConstantInt>(binary->getOperand(1)))
      return bits->getZExtValue() < 31 && isGrowing(binary->getOperand(0));
    return false;
  case Instruction::Add:
  case Instruction::Mul:
    return isGrowing(binary->getOperand(0)) && isGrowing(binary->getOperand(1));
  default:
    return false;
  }
}

Value *Narrowing::extent(unsigned index) const {
  const InstanceLevel &level = spec.levels[index / 3];
  unsigned dim = index % 3;
  std::optional<int64_t> known =
      dim < level.dims ? level.extents[dim] : std::optional<int64_t>(1);
  if (known)
    return ConstantInt::get(Type::getInt64Ty(item.getContext()), *known);
  return fits->getArg(index);
}

/// The largest value of an expression, as an expression of the extents. Extends
/// `condition` so that it requires this value to fit.
Value *Narrowing::largest(IRBuilder<> &builder, const Value *value) {
  if (isa<ConstantInt>(value))
    return const_cast<Value *>(value);
  if (Value *known = maxValues.lookup(value))
    return known;
  if (const Value *widened = widenedNarrow(value))
    return largest(builder, widened);
  Value *result;
  if (isId(value)) {
    unsigned index = cast<Argument>(value)->getArgNo() - signature.id(0, 0);
    result = extent(index);
    if (signature.isOwnId(value) && fused[index % 3])
      result = builder.CreateMul(result, extent(index - 3));
    result = builder.CreateSub(result, builder.getInt64(1));
  } else if (isExtent(value)) {
    result = extent(cast<Argument>(value)->getArgNo() - signature.extent(0, 0));
  } else {
    const auto *binary = cast<BinaryOperator>(value);
    Value *left = largest(builder, binary->getOperand(0));
    Value *right = largest(builder, binary->getOperand(1));
    result = builder.CreateBinOp(binary->getOpcode(), left, right);
  }
  // If both parts fit, their 64-bit product is exact.
  condition = builder.CreateAnd(
      condition, builder.CreateICmpSLE(result, builder.getInt64(INT32_MAX)));
  maxValues[value] = result;
  return result;
}

Value *Narrowing::narrow(IRBuilder<> &builder, Value *value) {
  // The operand of an extension has 32 bits, and may have been narrowed
  // already.
  if (isa<SExtInst, ZExtInst>(value))
    return cast<Instruction>(value)->getOperand(0);
  auto *binary = dyn_cast<BinaryOperator>(value);
  if (!binary) // so that extending it gives back the value itself
    return builder.CreateTrunc(value, builder.getInt32Ty(), "",
                               /*IsNUW=*/true, /*IsNSW=*/true);
  Value *left = narrow(builder, binary->getOperand(0));
  Value *right = narrow(builder, binary->getOperand(1));
  Value *result = builder.CreateBinOp(binary->getOpcode(), left, right);
  if (auto *instruction = dyn_cast<BinaryOperator>(result)) {
    instruction->setHasNoSignedWrap();
    instruction->setHasNoUnsignedWrap();
  }
  return result;
}

/// What becomes `value << factor` if `value` fits: the low 32 bits of a 64-bit
/// value, extended again, which LLVM writes without a truncation.
static std::optional<std::pair<Value *, uint64_t>>
extendedAgain(Instruction &instruction) {
  Value *value;
  uint64_t back;
  if (!instruction.getType()->isIntegerTy(64))
    return std::nullopt;
  if (match(&instruction, m_AShr(m_Shl(m_Value(value), m_SpecificInt(32)),
                                 m_ConstantInt(back))) &&
      back <= 32)
    return std::pair(value, 32 - back);
  if (match(&instruction, m_And(m_Value(value), m_SpecificInt(UINT32_MAX))))
    return std::pair(value, uint64_t(0));
  return std::nullopt;
}

Function *Narrowing::run() {
  SmallVector<TruncInst *> truncations;
  MapVector<Instruction *, std::pair<Value *, uint64_t>> extensions;
  for (Instruction &instruction : instructions(item))
    if (auto extension = extendedAgain(instruction);
        extension && isGrowing(extension->first))
      extensions.insert({&instruction, *extension});
    else if (auto *truncation = dyn_cast<TruncInst>(&instruction))
      if (truncation->getType()->isIntegerTy(32) &&
          truncation->getSrcTy()->isIntegerTy(64) &&
          isGrowing(truncation->getOperand(0)))
        truncations.push_back(truncation);
  if (truncations.empty() && extensions.empty())
    return nullptr;

  LLVMContext &context = item.getContext();
  SmallVector<Type *> parameters(3 * signature.numLevels,
                                 Type::getInt64Ty(context));
  fits = Function::Create(
      FunctionType::get(Type::getInt1Ty(context), parameters, false),
      GlobalValue::InternalLinkage, spec.name + ".fits", item.getParent());
  IRBuilder<> builder(BasicBlock::Create(context, "entry", fits));
  condition = builder.getTrue();
  for (unsigned dim = 0; dim < 3; ++dim)
    largest(builder, item.getArg(signature.id(signature.numLevels - 1, dim)));
  for (TruncInst *truncation : truncations)
    largest(builder, truncation->getOperand(0));
  for (auto &[extended, extension] : extensions)
    largest(builder, extension.first);
  builder.CreateRet(condition);
  for (auto &[extended, extension] : extensions) {
    IRBuilder<> at(extended);
    auto [value, factor] = extension;
    extended->replaceAllUsesWith(at.CreateShl(value, factor, "",
                                              /*HasNUW=*/true,
                                              /*HasNSW=*/true));
    extended->eraseFromParent();
  }
  // LLVM only does this for truncations with a single use.
  for (TruncInst *truncation : truncations)
    for (User *user : make_early_inc_range(truncation->users()))
      if (isa<SExtInst, ZExtInst>(user) && user->getType()->isIntegerTy(64)) {
        user->replaceAllUsesWith(truncation->getOperand(0));
        cast<Instruction>(user)->eraseFromParent();
      }
  for (TruncInst *truncation : truncations) {
    IRBuilder<> at(truncation);
    truncation->replaceAllUsesWith(narrow(at, truncation->getOperand(0)));
    truncation->eraseFromParent();
  }
  return fits;
}

Function *narrowIds(Function &item, const RangeSpec &spec,
                    const std::array<bool, 3> &fused) {
  return Narrowing(item, spec, fused).run();
}

} // namespace sluice::codegen
