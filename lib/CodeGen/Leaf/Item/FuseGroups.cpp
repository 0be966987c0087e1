//===- FuseGroups.cpp - Fusing adjacent groups into one row ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Examines every use of the two ids of one dimension: each must be part of
// `parent * extent + own`.
//
//===----------------------------------------------------------------------===//

#include "FuseGroups.h"
#include "../Debug/ForgetVariables.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace sluice::codegen {

namespace {

class Fusion {
public:
  Fusion(Function &item, const RangeSpec &spec, unsigned dim)
      : spec(spec), signature(spec), dim(dim), level(signature.numLevels - 1),
        parent(item.getArg(signature.id(level - 1, dim))),
        own(item.getArg(signature.id(level, dim))),
        extent(item.getArg(signature.extent(level, dim))) {}

  bool isPossible();
  void apply();

private:
  const RangeSpec &spec;
  ItemSignature signature;
  unsigned dim;
  unsigned level;
  Argument *parent, *own, *extent;
  SmallPtrSet<Instruction *, 4> starts; ///< parent * extent
  SmallPtrSet<Instruction *, 4> sums;   ///< start + own
  SmallPtrSet<Value *, 4> owns;         ///< own, and what equals it

  std::optional<int64_t> knownExtent() const {
    const InstanceLevel &shape = spec.levels[level];
    return dim < shape.dims ? shape.extents[dim] : std::optional<int64_t>(1);
  }
  bool isStart(const Instruction &user) const;
  bool collectStarts();
  bool collectOwns(Value *value);
};

} // namespace

bool Fusion::isStart(const Instruction &user) const {
  const auto *binary = dyn_cast<BinaryOperator>(&user);
  if (!binary)
    return false;
  if (binary->getOpcode() == Instruction::Mul) {
    const Value *other = binary->getOperand(binary->getOperand(0) == parent);
    const auto *constant = dyn_cast<ConstantInt>(other);
    return other == extent || (constant && knownExtent() &&
                               constant->getSExtValue() == *knownExtent());
  }
  const auto *bits = dyn_cast<ConstantInt>(binary->getOperand(1));
  return binary->getOpcode() == Instruction::Shl && bits && knownExtent() &&
         bits->getZExtValue() < 62 &&
         (int64_t(1) << bits->getZExtValue()) == *knownExtent();
}

bool Fusion::collectStarts() {
  for (User *user : parent->users()) {
    auto *instruction = dyn_cast<Instruction>(user);
    if (!instruction || !isStart(*instruction))
      return false;
    starts.insert(instruction);
  }
  return !starts.empty();
}

/// Collects the sums that use the own id, directly or after truncation to 32
/// bits and extension (which changes nothing in a small dimension).
bool Fusion::collectOwns(Value *value) {
  owns.insert(value);
  for (User *user : value->users()) {
    auto *instruction = cast<Instruction>(user);
    bool isCut = isa<TruncInst, SExtInst, ZExtInst>(instruction) &&
                 knownExtent() && *knownExtent() <= INT32_MAX &&
                 instruction->getType()->getIntegerBitWidth() >= 32;
    if (isCut) {
      if (!collectOwns(instruction))
        return false;
      continue;
    }
    if (instruction->getOpcode() != Instruction::Add ||
        !instruction->getType()->isIntegerTy(64))
      return false;
    Value *other = instruction->getOperand(instruction->getOperand(0) == value);
    auto *start = dyn_cast<Instruction>(other);
    if (!start || !starts.contains(start))
      return false;
    sums.insert(instruction);
  }
  return true;
}

bool Fusion::isPossible() {
  if (spec.levels[level - 1].dims <= dim || knownExtent() == 1 ||
      !collectStarts() || !collectOwns(own))
    return false;
  for (Instruction *start : starts)
    for (User *user : start->users())
      if (!sums.contains(cast<Instruction>(user)))
        return false;
  return !sums.empty();
}

void Fusion::apply() {
  // The own id counts over all groups from now on.
  forgetVariables(*parent);
  for (Value *value : owns)
    forgetVariables(*value);
  for (Instruction *sum : sums) {
    sum->replaceAllUsesWith(own);
    sum->eraseFromParent();
  }
  for (Instruction *start : starts)
    start->eraseFromParent();
}

std::array<bool, 3> fuseGroups(Function &item, const RangeSpec &spec) {
  std::array<bool, 3> result{};
  if (spec.levels.size() < 2)
    return result;
  for (unsigned dim = 0; dim < 2; ++dim) {
    Fusion fusion(item, spec, dim);
    if (dim > 0 && !result[0])
      break;
    if (!fusion.isPossible())
      continue;
    fusion.apply();
    result[dim] = true;
  }
  return result;
}

} // namespace sluice::codegen
