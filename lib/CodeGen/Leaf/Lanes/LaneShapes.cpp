//===- LaneShapes.cpp - How values differ between lanes -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A data flow that starts with everything unknown: shapes only ever become
// more general, until nothing changes. Lanes that are active run in step, so a
// variable of a loop that they all count alike is uniform inside the loop,
// even if they leave it in different rounds; behind it, it is not.
//
//===----------------------------------------------------------------------===//

#include "LaneShapes.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace sluice::codegen {

LaneShapes::LaneShapes(const LaneRegions &regions,
                       const DenseMap<const PHINode *, int64_t> &steps,
                       const PrivateMemory &memory, ScalarEvolution &evolution)
    : regions(regions), memory(memory), evolution(evolution) {
  for (auto [phi, step] : steps)
    shapes[phi] = linear(step);
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (BasicBlock *block : regions.blocks()) {
      bool isAlike = computeAlike(block);
      auto [place, isNew] = alike.try_emplace(block, isAlike);
      hasChanged |= isNew || place->second != isAlike;
      place->second = isAlike;
      for (Instruction &instruction : *block) {
        if (isa<PHINode>(instruction) &&
            steps.contains(cast<PHINode>(&instruction)))
          continue;
        Shape shape = join(compute(instruction), shapes[&instruction]);
        hasChanged |= shape != shapes[&instruction];
        shapes[&instruction] = shape;
      }
    }
  }
}

LaneShapes::Shape LaneShapes::join(Shape a, Shape b) {
  if (!a.isKnown || !b.isKnown)
    return a.isKnown ? a : b;
  return a == b ? a : varying();
}

LaneShapes::Shape LaneShapes::shapeOf(const Value *value) const {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !regions.outer().contains(instruction))
    return linear(0);
  return shapes.lookup(value);
}

std::optional<int64_t> LaneShapes::stride(const Value *value) const {
  Shape shape = shapeOf(value);
  assert(shape.isKnown && "every block of a loop is reached");
  return shape.stride;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

bool LaneShapes::isDivergent(const BasicBlock *block) const {
  const Instruction *end = block->getTerminator();
  if (block->getUniqueSuccessor() || end->getNumSuccessors() == 0)
    return false;
  Shape condition = shapeOf(end->getOperand(0));
  return condition.isKnown && condition.stride != 0;
}

bool LaneShapes::isDivergent(const Loop *loop) const {
  const BasicBlock *latch = loop->getLoopLatch();
  return loop->getExitingBlock() != latch || isDivergent(latch);
}

bool LaneShapes::isInDivergentLoop(const BasicBlock *block) const {
  for (Loop *loop = regions.loopOf(block); loop != &regions.outer();
       loop = loop->getParentLoop())
    if (isDivergent(loop))
      return true;
  return false;
}

/// Lanes take the way alike, seen from `to`.
bool LaneShapes::isTakenAlike(const BasicBlock *from,
                              const BasicBlock *to) const {
  for (Loop *loop = regions.loopOf(from); !loop->contains(to);
       loop = loop->getParentLoop())
    if (isDivergent(loop))
      return false;
  auto known = alike.find(from);
  return (known == alike.end() || known->second) && !isDivergent(from);
}

bool LaneShapes::computeAlike(BasicBlock *block) const {
  Loop *region = regions.loopOf(block);
  if (region->getHeader() == block) {
    if (region == &regions.outer() || isDivergent(region))
      return true;
    return alike.lookup_or(region->getLoopPreheader(), true);
  }
  BasicBlock *above = regions.parent(block, region);
  if (regions.closes(block, above, region)) {
    Loop *inside = regions.loopAt(above, region);
    return alike.lookup_or(inside ? inside->getLoopPreheader() : above, true);
  }
  return all_of(predecessors(block), [&](const BasicBlock *from) {
    return isTakenAlike(from, block);
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value *LaneShapes::onlyValue(const PHINode &phi) const {
  Value *value = phi.hasConstantValue();
  const auto *instruction = dyn_cast_or_null<Instruction>(value);
  if (!instruction || !regions.outer().contains(instruction))
    return value;
  // Behind its loop a value is what it was in each lane's last round.
  return regions.loopOf(instruction->getParent())->contains(&phi) ? value
                                                                  : nullptr;
}

LaneShapes::Shape LaneShapes::computePhi(PHINode &phi) const {
  BasicBlock *block = phi.getParent();
  bool isHeader = regions.loopOf(block)->getHeader() == block;
  if (!isHeader) {
    if (const Value *value = onlyValue(phi))
      return shapeOf(value);
    for (BasicBlock *from : predecessors(block))
      if (!isTakenAlike(from, block))
        return varying();
  }
  Shape result;
  for (const Value *value : phi.incoming_values())
    result = join(result, shapeOf(value));
  return result;
}

LaneShapes::Shape
LaneShapes::computeAddress(const GetElementPtrInst &address) const {
  const DataLayout &layout = address.getDataLayout();
  Shape base = shapeOf(address.getPointerOperand());
  if (!base.isKnown || !base.stride)
    return base;
  int64_t stride = *base.stride;
  unsigned indexBits = layout.getIndexTypeSizeInBits(address.getType());
  for (auto at = gep_type_begin(address), end = gep_type_end(address);
       at != end; ++at) {
    Shape index = shapeOf(at.getOperand());
    if (!index.isKnown || !index.stride)
      return index;
    if (*index.stride == 0)
      continue;
    if (at.isStruct() || !at.getOperand()->getType()->isIntegerTy(indexBits))
      return varying();
    int64_t step;
    if (MulOverflow(*index.stride,
                    int64_t(at.getSequentialElementStride(layout)), step) ||
        AddOverflow(stride, step, stride))
      return varying();
  }
  return linear(stride);
}

/// An extended value grows evenly if the narrow value grows evenly without
/// overflow in all lanes. ScalarEvolution shows that, or all lanes compute the
/// value and overflow is undefined.
LaneShapes::Shape LaneShapes::computeExtension(CastInst &cast) const {
  Shape from = shapeOf(cast.getOperand(0));
  if (!from.isKnown || from.stride == 0)
    return from;
  if (!from.stride)
    return varying();
  const auto *sum = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&cast));
  if (sum && sum->getLoop() == &regions.outer() && sum->isAffine())
    if (const auto *step = dyn_cast<SCEVConstant>(sum->getOperand(1));
        step && step->getAPInt().isSignedIntN(64) &&
        step->getAPInt().getSExtValue() == *from.stride)
      return from;
  return varying();
}

LaneShapes::Shape
LaneShapes::computeBinary(const BinaryOperator &binary) const {
  Shape left = shapeOf(binary.getOperand(0));
  Shape right = shapeOf(binary.getOperand(1));
  if (!left.isKnown || !right.isKnown)
    return {};
  if (left.stride == 0 && right.stride == 0)
    return linear(0);
  if (!left.stride || !right.stride ||
      binary.getType()->getScalarSizeInBits() > 64)
    return varying();
  int64_t result;
  const auto *factor = dyn_cast<ConstantInt>(binary.getOperand(1));
  switch (binary.getOpcode()) {
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(binary).isDisjoint())
      return varying();
    [[fallthrough]];
  case Instruction::Add:
    return AddOverflow(*left.stride, *right.stride, result) ? varying()
                                                            : linear(result);
  case Instruction::Sub:
    return SubOverflow(*left.stride, *right.stride, result) ? varying()
                                                            : linear(result);
  case Instruction::Mul:
    return !factor || !factor->getValue().isSignedIntN(64) ||
                   MulOverflow(*left.stride, factor->getSExtValue(), result)
               ? varying()
               : linear(result);
  case Instruction::Shl:
    return !factor || factor->getValue().uge(32) ||
                   MulOverflow(*left.stride,
                               int64_t(1) << factor->getZExtValue(), result)
               ? varying()
               : linear(result);
  default:
    return varying();
  }
}

/// Uniform if all operands are.
LaneShapes::Shape
LaneShapes::computeOther(const Instruction &instruction) const {
  bool isKnown = true;
  for (const Value *operand : instruction.operands()) {
    if (isa<BasicBlock, Function>(operand) || isa<MetadataAsValue>(operand))
      continue;
    Shape shape = shapeOf(operand);
    isKnown &= shape.isKnown;
    if (shape.isKnown && shape.stride != 0)
      return varying();
  }
  return isKnown ? linear(0) : Shape();
}

LaneShapes::Shape LaneShapes::compute(Instruction &instruction) const {
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return computePhi(*phi);
  if (const auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return computeAddress(*address);
  if (const auto *load = dyn_cast<LoadInst>(&instruction);
      load && memory.contains(load->getPointerOperand()))
    return varying();
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return computeBinary(*binary);
  if (isa<SExtInst, ZExtInst>(instruction))
    return computeExtension(cast<CastInst>(instruction));
  if (isa<TruncInst, FreezeInst>(instruction)) {
    Shape from = shapeOf(instruction.getOperand(0));
    bool isInteger = instruction.getType()->isIntegerTy() &&
                     instruction.getType()->getIntegerBitWidth() >= 8;
    return !from.isKnown || from.stride == 0 || (from.stride && isInteger)
               ? from
               : varying();
  }
  return computeOther(instruction);
}

} // namespace sluice::codegen
