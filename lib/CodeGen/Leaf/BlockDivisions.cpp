//===- BlockDivisions.cpp - Divisions of the instance number --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisors that are constants are tried first. Other divisors are only
// considered if no constant one pays off.
//
//===----------------------------------------------------------------------===//

#include "BlockDivisions.h"

#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace sluice::codegen {

/// A vector of this many instances would gather as many elements in each access
/// that depends on a division. Shorter blocks take several rounds instead,
/// which pays off if there is more than one such access.
static constexpr uint64_t usualVector = 8;
/// A division by a number that is not a power of two costs as much as some
/// accesses.
static constexpr unsigned costOfDivision = 4;
/// The number of accesses that justify a third copy of the loop.
static constexpr unsigned fewestForUnknown = 2;

//===----------------------------------------------------------------------===//
// What is divided
//===----------------------------------------------------------------------===//

/// `(i << shift) & mask`, possibly of only the low bits of `i`.
std::optional<Division> BlockDivisions::maskOf(Instruction &instruction,
                                               Value *value,
                                               const APInt &mask) {
  KnownBits known = computeKnownBits(value, instruction.getDataLayout(),
                                     &assumptions, &instruction, &dominators);
  // A pattern that does not match may have set the first of its values.
  uint64_t shift = 0, count;
  Value *inner;
  if (match(value, m_Trunc(m_Value(inner))))
    value = inner;
  if (match(value, m_Shl(m_Value(inner), m_ConstantInt(count)))) {
    value = inner;
    shift = count;
  }
  if (match(value, m_Trunc(m_Value(inner))))
    value = inner;
  auto *phi = dyn_cast<PHINode>(value);
  unsigned bits = mask.getBitWidth();
  if (!phi || !steps.contains(phi) || shift >= bits)
    return std::nullopt;
  APInt low = mask | APInt::getLowBitsSet(bits, shift);
  // LLVM drops mask bits that are zero anyway.
  APInt high =
      ~(mask | APInt::getHighBitsSet(bits, known.countMinLeadingZeros()));
  bool isRemainder = low.isMask() && !low.isAllOnes();
  if (!isRemainder && !high.isMask())
    return std::nullopt;
  unsigned end = (isRemainder ? low : high).countr_one();
  if (end <= shift || end - shift >= 31)
    return std::nullopt;
  return Division{&instruction, phi, unsigned(shift),
                  uint64_t(1) << (end - shift), isRemainder};
}

static bool isUnsigned(const Instruction &division) {
  unsigned opcode = division.getOpcode();
  return opcode == Instruction::URem || opcode == Instruction::UDiv;
}
bool Division::isSigned() const {
  return instruction->isIntDivRem() && !isUnsigned(*instruction);
}
static bool isRemainder(const Instruction &division) {
  unsigned opcode = division.getOpcode();
  return opcode == Instruction::URem || opcode == Instruction::SRem;
}

std::optional<Division> BlockDivisions::divisionOf(Instruction &instruction) {
  Value *value;
  const APInt *constant;
  if (match(&instruction, m_And(m_Value(value), m_APInt(constant))))
    return maskOf(instruction, value, *constant);
  bool isShift = match(&instruction, m_Shr(m_Value(value), m_APInt(constant)));
  if (!isShift &&
      !match(&instruction, m_IDiv(m_Value(value), m_APInt(constant))) &&
      !match(&instruction, m_IRem(m_Value(value), m_APInt(constant))))
    return std::nullopt;
  auto *phi = dyn_cast<PHINode>(value);
  if (!phi || !steps.contains(phi) || constant->isNegative() ||
      constant->getActiveBits() > 31)
    return std::nullopt;
  uint64_t own = constant->getZExtValue();
  if (isShift)
    return own > 0 && own < 31
               ? std::optional(
                     Division{&instruction, phi, 0, uint64_t(1) << own, false})
               : std::nullopt;
  if (own == 0)
    return std::nullopt;
  Division division{&instruction, phi, 0, own, isRemainder(instruction)};
  division.mayWrap = !staysAboveZero(*phi, isUnsigned(instruction));
  return division;
}

/// Blocks would be incomplete where numbers wrap around, and around zero.
bool BlockDivisions::staysAboveZero(const PHINode &phi, bool isUnsigned) {
  const auto *count =
      cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<PHINode *>(&phi)));
  auto startsAboveZero = [&] {
    return evolution.isLoopEntryGuardedByCond(
        &loop, ICmpInst::ICMP_SGE, count->getStart(),
        evolution.getZero(count->getType()));
  };
  return (isUnsigned && count->hasNoUnsignedWrap()) ||
         evolution.isKnownNonNegative(count) ||
         (count->hasNoSignedWrap() && startsAboveZero());
}

/// -n, or -n - 1, of something.
static bool isNegated(const SCEV *value) {
  if (const auto *sum = dyn_cast<SCEVAddExpr>(value))
    return all_of(sum->operands(), isNegated);
  if (const auto *product = dyn_cast<SCEVMulExpr>(value))
    value = product->getOperand(0);
  const auto *constant = dyn_cast<SCEVConstant>(value);
  return constant && constant->getAPInt().isNegative();
}

/// `i & n` is the remainder by n + 1, or `i` without its remainder by -n. The
/// program tests at run time for the form that n looks like.
std::optional<Division> BlockDivisions::unknownMask(Instruction &instruction) {
  for (unsigned operand : {0, 1}) {
    auto *phi = dyn_cast<PHINode>(instruction.getOperand(operand));
    Value *mask = instruction.getOperand(1 - operand);
    if (!phi || !steps.contains(phi) || !loop.isLoopInvariant(mask))
      continue;
    const SCEV *own = evolution.getSCEV(mask);
    const SCEV *above =
        evolution.getAddExpr(own, evolution.getOne(own->getType()));
    bool isQuotient = isNegated(own);
    return withSize({&instruction, phi, 0, 0, !isQuotient,
                     isQuotient ? evolution.getNegativeSCEV(own) : above,
                     /*isMask=*/true});
  }
  return std::nullopt;
}

std::optional<Division>
BlockDivisions::unknownDivision(Instruction &instruction) {
  if (instruction.getOpcode() == Instruction::And)
    return unknownMask(instruction);
  if (!instruction.isIntDivRem())
    return std::nullopt;
  auto *phi = dyn_cast<PHINode>(instruction.getOperand(0));
  Value *divisor = instruction.getOperand(1);
  if (!phi || !steps.contains(phi) || !loop.isLoopInvariant(divisor))
    return std::nullopt;
  Division division{&instruction,
                    phi,
                    0,
                    0,
                    isRemainder(instruction),
                    evolution.getSCEV(divisor)};
  division.mayWrap = !staysAboveZero(*phi, isUnsigned(instruction));
  return withSize(division);
}

/// Returns the division if its size can be computed before the loop.
std::optional<Division> BlockDivisions::withSize(Division division) {
  bool isKnown =
      division.number->getType()->getIntegerBitWidth() <= 64 &&
      !isa<SCEVConstant>(division.size) &&
      SCEVExpander(evolution, "blocks")
          .isSafeToExpandAt(division.size,
                            loop.getLoopPreheader()->getTerminator());
  return isKnown ? std::optional(division) : std::nullopt;
}

/// The savings of blocks like those of `wanted`: accesses that depend on
/// quotients and remainders, and divisions by numbers other than powers of two.
unsigned BlockDivisions::gainOf(const Division &wanted) const {
  SmallSetVector<Instruction *, 16> reached;
  unsigned cost = 0;
  for (const Division &division : divisions)
    if (isServedBy(division, wanted)) {
      reached.insert(division.instruction);
      bool isLong =
          division.instruction->isIntDivRem() && !isPowerOf2_64(division.block);
      cost += isLong ? costOfDivision : 0;
    }
  for (unsigned i = 0; i != reached.size(); ++i)
    for (User *user : reached[i]->users()) {
      auto *instruction = cast<Instruction>(user);
      if (getLoadStorePointerOperand(instruction) == reached[i])
        ++cost;
      else if (isa<BinaryOperator, CastInst, SelectInst, GetElementPtrInst>(
                   instruction))
        reached.insert(instruction);
    }
  return cost * (wanted.size ? longVector : std::min(wanted.block, longVector));
}

void BlockDivisions::addNumbers() {
  BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  SmallVector<Instruction *> sums;
  for (BasicBlock *own : loop.blocks())
    for (Instruction &instruction : *own)
      if (instruction.isIntDivRem() &&
          loop.isLoopInvariant(instruction.getOperand(1)) &&
          isa<BinaryOperator, TruncInst>(instruction.getOperand(0)))
        sums.push_back(&instruction);
  SCEVExpander expander(evolution, "blocks");
  SmallDenseMap<const SCEV *, PHINode *> numbers;
  for (Instruction *division : sums) {
    const auto *sum =
        dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(division->getOperand(0)));
    if (!sum || sum->getLoop() != &loop || !sum->isAffine() ||
        !sum->getOperand(1)->isOne() ||
        evolution.getTypeSizeInBits(sum->getType()) > 64 ||
        !expander.isSafeToExpandAt(sum->getStart(), before->getTerminator()))
      continue;
    PHINode *&number = numbers[sum];
    if (!number) {
      Type *type = sum->getType();
      Value *start = expander.expandCodeFor(sum->getStart(), type,
                                            before->getTerminator());
      number = PHINode::Create(type, 2, "number", loop.getHeader()->begin());
      number->addIncoming(start, before);
      number->addIncoming(
          BinaryOperator::CreateAdd(number, ConstantInt::get(type, 1), "",
                                    latch->getTerminator()->getIterator()),
          latch);
    }
    division->setOperand(0, number);
  }
}

bool BlockDivisions::findSteps() {
  for (PHINode &phi : loop.getHeader()->phis()) {
    InductionDescriptor induction;
    if (!evolution.isSCEVable(phi.getType()) ||
        !InductionDescriptor::isInductionPHI(&phi, &loop, &evolution,
                                             induction))
      return false;
    const ConstantInt *step = induction.getConstIntStepValue();
    if (!step || step->getBitWidth() > 64)
      return false;
    steps[&phi] = step->getSExtValue();
  }
  return !steps.empty();
}

bool BlockDivisions::find() {
  for (BasicBlock *own : loop.blocks())
    for (Instruction &instruction : *own)
      if (std::optional<Division> found = divisionOf(instruction))
        if (found->block > 1 && steps[found->number] == 1)
          divisions.push_back(*found);
  if (choose(usualVector))
    return true;
  divisions.clear();
  for (BasicBlock *own : loop.blocks())
    for (Instruction &instruction : *own)
      if (std::optional<Division> found = unknownDivision(instruction))
        if (steps[found->number] == 1)
          divisions.push_back(*found);
  return choose(fewestForUnknown * longVector);
}

/// Chooses the divisions with the largest total savings, if they save at least
/// `least`.
bool BlockDivisions::choose(unsigned least) {
  unsigned best = least - 1;
  Division chosen{};
  for (const Division &division : divisions) {
    unsigned gain = gainOf(division);
    if (gain > best || (gain == best && division.block < chosen.block)) {
      best = gain;
      chosen = division;
    }
  }
  number = chosen.number;
  block = chosen.block;
  size = chosen.size;
  if (number)
    erase_if(divisions, [&](const Division &division) {
      return !isServedBy(division, chosen);
    });
  return number;
}

} // namespace sluice::codegen
