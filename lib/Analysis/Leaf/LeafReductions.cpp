//===- LeafReductions.cpp - Reductions that leaves declare ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the calls that declare reductions, and provides the neutral value and
// the join of each operator.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafReductions.h"
#include "sluice/Analysis/BarrierCheck.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace sluice {

using Op = LeafReduction::Op;

std::optional<LeafReduction> reductionOf(const Instruction &instruction) {
  StringRef name = hpvmIntrinsicName(instruction);
  LeafReduction result;
  if (name.consume_front("scan."))
    result.kind = name.consume_front("exclusive.")
                      ? LeafReduction::Kind::ExclusiveScan
                      : LeafReduction::Kind::Scan;
  else if (!name.consume_front("reduce."))
    return std::nullopt;
  result.call = cast<CallBase>(&instruction);
  result.memory =
      dyn_cast<Argument>(result.call->getArgOperand(0)->stripPointerCasts());
  result.bytes = result.call->getArgOperand(1);
  auto *third = dyn_cast<ConstantInt>(result.call->getArgOperand(2));
  if (name == "with") {
    result.op = Op::User;
    result.elementBytes = third ? third->getZExtValue() : 0;
    auto functionAt = [&](unsigned index) {
      return dyn_cast<Function>(
          result.call->getArgOperand(index)->stripPointerCastsAndAliases());
    };
    result.identity = functionAt(3);
    result.combine = functionAt(4);
    return result;
  }
  if (third && third->getZExtValue() < static_cast<uint64_t>(Op::User))
    result.op = static_cast<Op>(third->getZExtValue());
  unsigned bits = 0;
  name.drop_front().getAsInteger(10, bits);
  LLVMContext &context = instruction.getContext();
  result.isSigned = name.front() != 'u';
  result.elementBytes = bits / 8;
  result.type = name.front() != 'f' ? Type::getIntNTy(context, bits)
                : bits == 32        ? Type::getFloatTy(context)
                                    : Type::getDoubleTy(context);
  return result;
}

SmallVector<LeafReduction> reductionsOf(const Function &leaf) {
  SmallVector<LeafReduction> result;
  for (const Instruction &instruction : instructions(leaf))
    if (std::optional<LeafReduction> found = reductionOf(instruction))
      result.push_back(*found);
  return result;
}

bool hasReductions(const Function &leaf) {
  return any_of(instructions(leaf), [](const Instruction &instruction) {
    return reductionOf(instruction).has_value();
  });
}

bool hasScans(const Function &leaf) {
  return any_of(instructions(leaf), [](const Instruction &instruction) {
    return hpvmIntrinsicName(instruction).starts_with("scan.");
  });
}

bool isBeforeBranches(const Instruction &instruction) {
  const BasicBlock *start = &instruction.getFunction()->getEntryBlock();
  while (start != instruction.getParent()) {
    const BasicBlock *next = start->getSingleSuccessor();
    if (!next || next->getSinglePredecessor() != start)
      return false;
    start = next;
  }
  return true;
}

StringRef spellKind(LeafReduction::Kind kind) {
  static constexpr StringRef names[] = {"reduce", "scan", "exclusive_scan"};
  return names[static_cast<unsigned>(kind)];
}

StringRef spellNoun(LeafReduction::Kind kind) {
  return kind == LeafReduction::Kind::Reduce ? "reduction" : "scan";
}

StringRef spellIntrinsic(StringRef kind) {
  return kind == "reduce" ? "reduce."
         : kind == "scan" ? "scan."
                          : "scan.exclusive.";
}

StringRef spellReduction(Op op) {
  static constexpr StringRef names[] = {
      "sum", "product", "min", "max",
      "and", "or",      "xor", "the program's own operator"};
  return names[static_cast<unsigned>(op)];
}

Constant *identityOf(const LeafReduction &reduction) {
  Type *type = reduction.type;
  unsigned bits = type->getPrimitiveSizeInBits();
  bool isReal = type->isFloatingPointTy();
  auto limit = [&](bool isLeast) -> Constant * {
    if (isReal)
      return ConstantFP::getInfinity(type, /*Negative=*/isLeast);
    if (reduction.isSigned)
      return ConstantInt::get(type, isLeast ? APInt::getSignedMinValue(bits)
                                            : APInt::getSignedMaxValue(bits));
    return ConstantInt::get(type, isLeast ? APInt(bits, 0)
                                          : APInt::getMaxValue(bits));
  };
  switch (*reduction.op) {
  case Op::Sum: // -0.0 + x is x for every x, and 0.0 + -0.0 is not.
    return isReal ? ConstantFP::getNegativeZero(type)
                  : ConstantInt::get(type, 0);
  case Op::Product:
    return isReal ? ConstantFP::get(type, 1.0) : ConstantInt::get(type, 1);
  case Op::Min:
    return limit(/*isLeast=*/false);
  case Op::Max:
    return limit(/*isLeast=*/true);
  case Op::And:
    return Constant::getAllOnesValue(type);
  case Op::Or:
  case Op::Xor:
  case Op::User:
    return Constant::getNullValue(type);
  }
  return nullptr;
}

Value *emitReduction(IRBuilderBase &builder, const LeafReduction &reduction,
                     Value *into, Value *from) {
  bool isReal = reduction.type->isFloatingPointTy();
  auto choose = [&](CmpInst::Predicate real, CmpInst::Predicate isSigned,
                    CmpInst::Predicate isUnsigned) {
    Value *isBetter =
        isReal ? builder.CreateFCmp(real, from, into)
               : builder.CreateICmp(reduction.isSigned ? isSigned : isUnsigned,
                                    from, into);
    return builder.CreateSelect(isBetter, from, into);
  };
  switch (*reduction.op) {
  case Op::Sum:
    return isReal ? builder.CreateFAdd(into, from)
                  : builder.CreateAdd(into, from);
  case Op::Product:
    return isReal ? builder.CreateFMul(into, from)
                  : builder.CreateMul(into, from);
  case Op::Min:
    return choose(CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT);
  case Op::Max:
    return choose(CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT);
  case Op::And:
    return builder.CreateAnd(into, from);
  case Op::Or:
    return builder.CreateOr(into, from);
  case Op::Xor:
    return builder.CreateXor(into, from);
  case Op::User:
    break;
  }
  return nullptr;
}

bool followsFromArguments(const Value &value) {
  if (isa<Argument, ConstantInt>(value))
    return value.getType()->isIntegerTy();
  auto *instruction = dyn_cast<Instruction>(&value);
  bool isPlain =
      instruction &&
      (isa<ZExtInst, SExtInst, TruncInst>(*instruction) ||
       (isa<BinaryOperator>(*instruction) && !instruction->isIntDivRem()));
  return isPlain && all_of(instruction->operands(), [](const Use &operand) {
           return followsFromArguments(*operand);
         });
}

bool usesArgument(const Value &value, unsigned index) {
  if (auto *argument = dyn_cast<Argument>(&value))
    return argument->getArgNo() == index;
  auto *instruction = dyn_cast<Instruction>(&value);
  return instruction && any_of(instruction->operands(), [&](const Use &use) {
           return usesArgument(*use, index);
         });
}

} // namespace sluice
