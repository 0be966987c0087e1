//===- RehearsalNumbers.cpp - Computes what instructions compute ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result depends on everything that its operands depend on.
//
//===----------------------------------------------------------------------===//

#include "RehearsalRun.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"

#include <bit>
#include <cmath>

using namespace llvm;
using namespace sluice;
using namespace sluice::rehearsal;

uint64_t rehearsal::cut(uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((uint64_t(1) << width) - 1);
}

int64_t rehearsal::extended(uint64_t bits, unsigned width) {
  return width >= 64 ? int64_t(bits)
                     : int64_t(bits << (64 - width)) >> (64 - width);
}

static double realOf(uint64_t bits, const Type *type) {
  return type->isFloatTy() ? double(std::bit_cast<float>(uint32_t(bits)))
                           : std::bit_cast<double>(bits);
}

static uint64_t bitsOfReal(double value, const Type *type) {
  return type->isFloatTy() ? std::bit_cast<uint32_t>(float(value))
                           : std::bit_cast<uint64_t>(value);
}

bool rehearsal::isSimple(const Type *type) {
  return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) ||
         type->isPointerTy() || type->isFloatTy() || type->isDoubleTy();
}

FollowedNumber RehearsalRun::constant(Thread &thread, const Constant &value) {
  if (const auto *number = dyn_cast<ConstantInt>(&value)) {
    if (number->getBitWidth() <= 64)
      return {number->getZExtValue()};
  } else if (const auto *real = dyn_cast<ConstantFP>(&value)) {
    if (isSimple(real->getType()))
      return {real->getValueAPF().bitcastToAPInt().getZExtValue()};
  } else if (value.isNullValue() || isa<UndefValue>(value)) {
    return {};
  } else if (const auto *variable = dyn_cast<GlobalVariable>(&value)) {
    return {globalOf(thread, *variable, /*isThreads=*/false)};
  } else if (const auto *function = dyn_cast<Function>(&value)) {
    return {reinterpret_cast<uint64_t>(function)};
  } else if (const auto *alias = dyn_cast<GlobalAlias>(&value)) {
    return constant(thread, *alias->getAliasee());
  } else if (const auto *expression = dyn_cast<ConstantExpr>(&value)) {
    if (auto *place =
            dyn_cast<GEPOperator>(const_cast<ConstantExpr *>(expression)))
      return addressOf(thread, *place);
    if (expression->isCast()) {
      FollowedNumber made = convert(
          constant(thread, *expression->getOperand(0)), expression->getOpcode(),
          expression->getOperand(0)->getType(), value.getType());
      if (expression->getOpcode() == Instruction::PtrToInt)
        made.depends |= Input | Order;
      return made;
    }
    if (Instruction::isBinaryOp(expression->getOpcode()))
      return binary(expression->getOpcode(), value.getType(),
                    constant(thread, *expression->getOperand(0)),
                    constant(thread, *expression->getOperand(1)));
  }
  stop("it uses constants of unusual types");
  return {};
}

FollowedNumber RehearsalRun::valueOf(Thread &thread, const Value *value) {
  if (const auto *known = dyn_cast<Constant>(value))
    return constant(thread, *known);
  auto &values = thread.frames.back().values;
  auto found = values.find(value);
  if (found == values.end())
    return FollowedNumber();
  FollowedNumber known = found->second;
  // Another thread may run this code.
  if ((known.depends & ByThread) && !isFixed(thread.strand))
    known.depends |= Order;
  return known;
}

FollowedNumber RehearsalRun::addressOf(Thread &thread, GEPOperator &place) {
  FollowedNumber address = valueOf(thread, place.getPointerOperand());
  for (gep_type_iterator at = gep_type_begin(&place),
                         end = gep_type_end(&place);
       at != end; ++at) {
    FollowedNumber index = valueOf(thread, at.getOperand());
    address.depends |= index.depends;
    if (index.depends & OwnNumber)
      address.depends = (address.depends & ~OwnNumber) | Input;
    if (StructType *record = at.getStructTypeOrNull()) {
      address.bits += layout.getStructLayout(record)->getElementOffset(
          unsigned(index.bits));
      continue;
    }
    int64_t number =
        extended(index.bits, at.getOperand()->getType()->getIntegerBitWidth());
    address.bits += uint64_t(number) *
                    at.getSequentialElementStride(layout).getFixedValue();
  }
  return address;
}

FollowedNumber RehearsalRun::convert(const FollowedNumber &value,
                                     unsigned opcode, Type *from, Type *to) {
  FollowedNumber result = value;
  if (!isSimple(from) || !isSimple(to)) {
    stop("it uses numbers of unusual types");
    return {};
  }
  unsigned width = from->isIntegerTy() ? from->getIntegerBitWidth() : 64;
  // Only an extension keeps the number.
  constexpr unsigned ofNumbers = 32;
  if (width < ofNumbers ||
      (opcode != Instruction::SExt && opcode != Instruction::ZExt))
    result.depends = madeOf(result.depends);
  unsigned wide = to->isIntegerTy() ? to->getIntegerBitWidth() : 64;
  switch (opcode) {
  case Instruction::SExt:
    result.bits = cut(uint64_t(extended(value.bits, width)), wide);
    break;
  case Instruction::FPTrunc:
  case Instruction::FPExt:
    result.bits = bitsOfReal(realOf(value.bits, from), to);
    break;
  case Instruction::SIToFP:
    result.bits =
        to->isFloatTy()
            ? std::bit_cast<uint32_t>(float(extended(value.bits, width)))
            : bitsOfReal(double(extended(value.bits, width)), to);
    break;
  case Instruction::UIToFP:
    result.bits = to->isFloatTy() ? std::bit_cast<uint32_t>(float(value.bits))
                                  : bitsOfReal(double(value.bits), to);
    break;
  case Instruction::FPToSI:
  case Instruction::FPToUI: {
    double real = realOf(value.bits, from);
    bool isSigned = opcode == Instruction::FPToSI;
    if (!(real > -9.2e18 && real < (isSigned ? 9.2e18 : 1.8e19))) {
      doubt("it converts numbers that do not fit");
      result.bits = 0;
    } else {
      result.bits =
          cut(isSigned || real < 0 ? uint64_t(int64_t(real)) : uint64_t(real),
              wide);
    }
    break;
  }
  default:
    result.bits = cut(value.bits, wide);
  }
  return result;
}

FollowedNumber RehearsalRun::binary(unsigned opcode, Type *type,
                                    const FollowedNumber &left,
                                    const FollowedNumber &right) {
  FollowedNumber result;
  result.depends = left.depends | right.depends;
  if (result.depends & OwnNumber)
    result.depends = (result.depends & ~OwnNumber) | Input;
  if (!isSimple(type)) {
    stop("it uses numbers of unusual types");
    return result;
  }
  if (type->isFloatingPointTy()) {
    auto apply = [&]<typename Real>(Real a, Real b) -> Real {
      switch (opcode) {
      case Instruction::FAdd:
        return a + b;
      case Instruction::FSub:
        return a - b;
      case Instruction::FMul:
        return a * b;
      case Instruction::FDiv:
        return a / b;
      default:
        return std::fmod(a, b);
      }
    };
    result.bits =
        type->isFloatTy()
            ? std::bit_cast<uint32_t>(
                  apply(std::bit_cast<float>(uint32_t(left.bits)),
                        std::bit_cast<float>(uint32_t(right.bits))))
            : std::bit_cast<uint64_t>(apply(std::bit_cast<double>(left.bits),
                                            std::bit_cast<double>(right.bits)));
    return result;
  }
  unsigned width = type->getIntegerBitWidth();
  uint64_t a = left.bits, b = right.bits;
  int64_t signedA = extended(a, width), signedB = extended(b, width);
  bool divides = opcode == Instruction::UDiv || opcode == Instruction::URem ||
                 opcode == Instruction::SDiv || opcode == Instruction::SRem;
  if (divides && (b == 0 || (signedB == -1 && signedA == INT64_MIN))) {
    stop("it divides by zero");
    return result;
  }
  switch (opcode) {
  case Instruction::Add:
    result.bits = a + b;
    break;
  case Instruction::Sub:
    result.bits = a - b;
    break;
  case Instruction::Mul:
    result.bits = a * b;
    break;
  case Instruction::UDiv:
    result.bits = a / b;
    break;
  case Instruction::URem:
    result.bits = a % b;
    break;
  case Instruction::SDiv:
    result.bits = uint64_t(signedA / signedB);
    break;
  case Instruction::SRem:
    result.bits = uint64_t(signedA % signedB);
    break;
  case Instruction::Shl:
    result.bits = b >= width ? 0 : a << b;
    break;
  case Instruction::LShr:
    result.bits = b >= width ? 0 : a >> b;
    break;
  case Instruction::AShr:
    result.bits = uint64_t(signedA >> std::min<uint64_t>(b, 63));
    break;
  case Instruction::And:
    result.bits = a & b;
    break;
  case Instruction::Or:
    result.bits = a | b;
    break;
  case Instruction::Xor:
    result.bits = a ^ b;
    break;
  default:
    stop("it computes in an unusual way");
  }
  result.bits = cut(result.bits, width);
  return result;
}

bool RehearsalRun::compare(const CmpInst &comparison,
                           const FollowedNumber &left,
                           const FollowedNumber &right) {
  Type *type = comparison.getOperand(0)->getType();
  if (!isSimple(type)) {
    stop("it uses numbers of unusual types");
    return false;
  }
  if (isa<FCmpInst>(comparison))
    return FCmpInst::compare(APFloat(realOf(left.bits, type)),
                             APFloat(realOf(right.bits, type)),
                             comparison.getPredicate());
  unsigned width = type->isPointerTy() ? 64 : type->getIntegerBitWidth();
  int64_t a = extended(left.bits, width), b = extended(right.bits, width);
  switch (comparison.getPredicate()) {
  case CmpInst::ICMP_EQ:
    return left.bits == right.bits;
  case CmpInst::ICMP_NE:
    return left.bits != right.bits;
  case CmpInst::ICMP_UGT:
    return left.bits > right.bits;
  case CmpInst::ICMP_UGE:
    return left.bits >= right.bits;
  case CmpInst::ICMP_ULT:
    return left.bits < right.bits;
  case CmpInst::ICMP_ULE:
    return left.bits <= right.bits;
  case CmpInst::ICMP_SGT:
    return a > b;
  case CmpInst::ICMP_SGE:
    return a >= b;
  case CmpInst::ICMP_SLT:
    return a < b;
  default:
    return a <= b;
  }
}

bool rehearsal::isOfDependence(const StoreInst &write) {
  const auto *place = dyn_cast<GEPOperator>(write.getPointerOperand());
  const auto *record =
      place ? dyn_cast<StructType>(place->getSourceElementType()) : nullptr;
  return record && record->hasName() &&
         record->getName().starts_with("struct.kmp_depend_info");
}

/// True if only distances between addresses are used. Addresses differ from run
/// to run, but distances within an object do not.
static bool isOfDistances(const Value &address) {
  return all_of(address.users(), [](const User *user) {
    if (const auto *comparison = dyn_cast<ICmpInst>(user))
      return comparison->isEquality();
    if (const auto *write = dyn_cast<StoreInst>(user))
      return isOfDependence(*write);
    const auto *distance = dyn_cast<BinaryOperator>(user);
    return distance && distance->getOpcode() == Instruction::Sub &&
           isa<PtrToIntInst>(distance->getOperand(0)) &&
           isa<PtrToIntInst>(distance->getOperand(1));
  });
}

/// Instructions without effects.
FollowedNumber RehearsalRun::compute(Thread &thread, Instruction &instruction) {
  auto operand = [&](unsigned index) {
    return valueOf(thread, instruction.getOperand(index));
  };
  Type *type = instruction.getType();
  if (auto *comparison = dyn_cast<CmpInst>(&instruction)) {
    FollowedNumber left = operand(0), right = operand(1);
    // For any number of threads, all but a few behave alike.
    if (comparison->isEquality() && isa<ICmpInst>(comparison) &&
        left.depends == (OwnNumber | ByThread) && right.depends == None &&
        isa<ConstantInt>(instruction.getOperand(1)) && right.bits < 64 &&
        int(right.bits) <= thread.team->mostNamed)
      left.depends = ByThread;
    // A new object may have the address of freed memory.
    if (comparison->getOperand(0)->getType()->isPointerTy() &&
        (isDangling(left.bits) || isDangling(right.bits)))
      left.depends |= Input | Order;
    // Only the equality of addresses is the same in each run.
    if (!comparison->isEquality() &&
        comparison->getOperand(0)->getType()->isPointerTy() &&
        !areOfOne(left.bits, right.bits))
      left.depends |= Input | Order;
    return {compare(*comparison, left, right), 0,
            uint8_t(left.depends | right.depends)};
  }
  if (auto *place = dyn_cast<GetElementPtrInst>(&instruction))
    return addressOf(thread, cast<GEPOperator>(*place));
  if (auto *cast = dyn_cast<CastInst>(&instruction)) {
    FollowedNumber made =
        convert(operand(0), cast->getOpcode(), cast->getSrcTy(), type);
    if (isa<PtrToIntInst>(cast) && !isOfDistances(*cast))
      made.depends |= Input | Order;
    return made;
  }
  if (instruction.isBinaryOp()) {
    FollowedNumber left = operand(0), right = operand(1);
    FollowedNumber made = binary(instruction.getOpcode(), type, left, right);
    if (isa<PtrToIntInst>(instruction.getOperand(0)) &&
        isa<PtrToIntInst>(instruction.getOperand(1)) &&
        !areOfOne(left.bits, right.bits))
      made.depends |= Input | Order;
    return made;
  }
  switch (instruction.getOpcode()) {
  case Instruction::FNeg: {
    FollowedNumber value = operand(0);
    value.bits ^= uint64_t(1) << (type->isFloatTy() ? 31 : 63);
    if (!isSimple(type))
      stop("it uses numbers of unusual types");
    return value;
  }
  case Instruction::Select: {
    FollowedNumber choice = operand(0);
    FollowedNumber value = operand(choice.bits & 1 ? 1 : 2);
    value.depends |= madeOf(choice.depends);
    return value;
  }
  case Instruction::Freeze:
    return operand(0);
  case Instruction::ExtractValue: {
    auto &part = cast<ExtractValueInst>(instruction);
    FollowedNumber value = operand(0);
    if (part.getNumIndices() != 1 || *part.idx_begin() > 1)
      stop("it uses values of unusual types");
    return *part.idx_begin() == 0
               ? FollowedNumber{value.bits, 0, value.depends}
               : FollowedNumber{value.high, 0, value.depends};
  }
  case Instruction::InsertValue: {
    auto &part = cast<InsertValueInst>(instruction);
    FollowedNumber value = operand(0), inserted = operand(1);
    if (part.getNumIndices() != 1 || *part.idx_begin() > 1 ||
        !isSimple(part.getOperand(1)->getType()))
      stop("it uses values of unusual types");
    (*part.idx_begin() == 0 ? value.bits : value.high) = inserted.bits;
    value.depends |= inserted.depends;
    return value;
  }
  default:
    stop(std::string("it uses '") + instruction.getOpcodeName() + "'");
    return {};
  }
}
