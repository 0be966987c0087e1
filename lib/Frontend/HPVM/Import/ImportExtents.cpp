//===- ImportExtents.cpp - Arithmetic for extents -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrapping flags (nsw, nuw) are dropped: results that would be poison simply
// wrap, and a negative extent is rejected when the graph runs.
//
//===----------------------------------------------------------------------===//

#include "ImportExtents.h"

#include "ImportProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace sluice::hpvm;
namespace arith = mlir::arith;

static bool isInteger(const llvm::Value &value) {
  return value.getType()->isIntegerTy();
}

/// Intrinsics that clang emits for std::min, std::max and abs.
static bool isExtentIntrinsic(llvm::Intrinsic::ID id) {
  switch (id) {
  case llvm::Intrinsic::smin:
  case llvm::Intrinsic::smax:
  case llvm::Intrinsic::umin:
  case llvm::Intrinsic::umax:
  case llvm::Intrinsic::abs:
    return true;
  default:
    return false;
  }
}

bool sluice::hpvm::isExtentArithmetic(const llvm::Instruction &instruction) {
  if (!isInteger(instruction))
    return false;
  // A member of a structure.
  if (llvm::isa<llvm::ExtractValueInst>(instruction))
    return true;
  if (!llvm::all_of(instruction.operands(), [&](const llvm::Use &use) {
        return isInteger(*use) || use->getType()->isPointerTy();
      }))
    return false;
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return isExtentIntrinsic(call->getIntrinsicID());
  return llvm::isa<llvm::BinaryOperator, llvm::ZExtInst, llvm::SExtInst,
                   llvm::TruncInst, llvm::SelectInst, llvm::FreezeInst>(
             instruction) ||
         (llvm::isa<llvm::ICmpInst>(instruction) &&
          isInteger(*instruction.getOperand(0)));
}

static const llvm::Value *
findIllegalOperand(const llvm::Value *value,
                   llvm::SmallPtrSetImpl<const llvm::Value *> &seen) {
  if (!seen.insert(value).second)
    return nullptr;
  if (llvm::isa<llvm::ConstantInt>(value))
    return nullptr;
  if (llvm::isa<llvm::Argument>(value))
    return isInteger(*value) ? nullptr : value;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !isExtentArithmetic(*instruction))
    return value;
  if (auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(instruction)) {
    const llvm::Value *whole = part->getAggregateOperand();
    return llvm::isa<llvm::Argument>(whole) ? nullptr : whole;
  }
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction);
  for (const llvm::Use &use : call ? call->args() : instruction->operands())
    if (const llvm::Value *illegal = findIllegalOperand(use.get(), seen))
      return illegal;
  return nullptr;
}

const llvm::Value *sluice::hpvm::findIllegalOperand(const llvm::Value *extent) {
  llvm::SmallPtrSet<const llvm::Value *, 8> seen;
  return ::findIllegalOperand(extent, seen);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

mlir::Location sluice::hpvm::locationOf(const llvm::Instruction &instruction,
                                        mlir::MLIRContext *context) {
  SourcePlace place = placeOf(instruction);
  if (!place.isKnown())
    return mlir::UnknownLoc::get(context);
  return mlir::FileLineColLoc::get(context, place.file, place.line,
                                   place.column);
}

mlir::Value ExtentBuilder::build(const llvm::Value *extent) {
  auto it = values.find(extent);
  if (it != values.end())
    return it->second;
  mlir::Value built;
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(extent))
    built = arith::ConstantOp::create(
        builder, location,
        builder.getIntegerAttr(builder.getIntegerType(constant->getBitWidth()),
                               constant->getValue()));
  else
    built = buildInstruction(*llvm::cast<llvm::Instruction>(extent));
  values[extent] = built;
  return built;
}

static mlir::Value buildBinary(mlir::OpBuilder &b, mlir::Location l,
                               unsigned opcode, mlir::Value x, mlir::Value y) {
  switch (opcode) {
  case llvm::Instruction::Add:
    return arith::AddIOp::create(b, l, x, y);
  case llvm::Instruction::Sub:
    return arith::SubIOp::create(b, l, x, y);
  case llvm::Instruction::Mul:
    return arith::MulIOp::create(b, l, x, y);
  case llvm::Instruction::UDiv:
    return arith::DivUIOp::create(b, l, x, y);
  case llvm::Instruction::SDiv:
    return arith::DivSIOp::create(b, l, x, y);
  case llvm::Instruction::URem:
    return arith::RemUIOp::create(b, l, x, y);
  case llvm::Instruction::SRem:
    return arith::RemSIOp::create(b, l, x, y);
  case llvm::Instruction::And:
    return arith::AndIOp::create(b, l, x, y);
  case llvm::Instruction::Or:
    return arith::OrIOp::create(b, l, x, y);
  case llvm::Instruction::Xor:
    return arith::XOrIOp::create(b, l, x, y);
  case llvm::Instruction::Shl:
    return arith::ShLIOp::create(b, l, x, y);
  case llvm::Instruction::LShr:
    return arith::ShRUIOp::create(b, l, x, y);
  case llvm::Instruction::AShr:
    return arith::ShRSIOp::create(b, l, x, y);
  default:
    llvm_unreachable("integers have no other binary operators");
  }
}

static arith::CmpIPredicate predicateOf(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
  case llvm::CmpInst::ICMP_EQ:
    return arith::CmpIPredicate::eq;
  case llvm::CmpInst::ICMP_NE:
    return arith::CmpIPredicate::ne;
  case llvm::CmpInst::ICMP_SLT:
    return arith::CmpIPredicate::slt;
  case llvm::CmpInst::ICMP_SLE:
    return arith::CmpIPredicate::sle;
  case llvm::CmpInst::ICMP_SGT:
    return arith::CmpIPredicate::sgt;
  case llvm::CmpInst::ICMP_SGE:
    return arith::CmpIPredicate::sge;
  case llvm::CmpInst::ICMP_ULT:
    return arith::CmpIPredicate::ult;
  case llvm::CmpInst::ICMP_ULE:
    return arith::CmpIPredicate::ule;
  case llvm::CmpInst::ICMP_UGT:
    return arith::CmpIPredicate::ugt;
  default:
    return arith::CmpIPredicate::uge;
  }
}

static mlir::Value buildIntrinsic(mlir::OpBuilder &b, mlir::Location l,
                                  llvm::Intrinsic::ID id, mlir::Value x,
                                  mlir::Value y) {
  switch (id) {
  case llvm::Intrinsic::smin:
    return arith::MinSIOp::create(b, l, x, y);
  case llvm::Intrinsic::smax:
    return arith::MaxSIOp::create(b, l, x, y);
  case llvm::Intrinsic::umin:
    return arith::MinUIOp::create(b, l, x, y);
  case llvm::Intrinsic::umax:
    return arith::MaxUIOp::create(b, l, x, y);
  default: { // abs; its second operand only affects the result for the minimum.
    mlir::Value zero =
        arith::ConstantOp::create(b, l, b.getIntegerAttr(x.getType(), 0));
    return arith::MaxSIOp::create(b, l, x,
                                  arith::SubIOp::create(b, l, zero, x));
  }
  }
}

/// Builds a member once for all of its users.
mlir::Value ExtentBuilder::buildPart(const llvm::ExtractValueInst &part,
                                     mlir::Location l) {
  mlir::Value whole = values.lookup(part.getAggregateOperand());
  llvm::SmallVector<int64_t> path(part.getIndices());
  for (mlir::Operation *user : whole.getUsers())
    if (auto known = llvm::dyn_cast<mlir::LLVM::ExtractValueOp>(user))
      if (known.getPosition() == llvm::ArrayRef(path))
        return known;
  return mlir::LLVM::ExtractValueOp::create(builder, l, whole, path);
}

mlir::Value
ExtentBuilder::buildInstruction(const llvm::Instruction &instruction) {
  mlir::Location l = locationOf(instruction, builder.getContext());
  mlir::Type type =
      builder.getIntegerType(instruction.getType()->getIntegerBitWidth());
  if (auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction))
    return buildPart(*part, l);
  llvm::SmallVector<mlir::Value, 3> operands;
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  for (const llvm::Use &use : call ? call->args() : instruction.operands())
    operands.push_back(build(use.get()));
  if (call)
    return buildIntrinsic(builder, l, call->getIntrinsicID(), operands[0],
                          operands[1]);
  switch (instruction.getOpcode()) {
  case llvm::Instruction::ZExt:
    return arith::ExtUIOp::create(builder, l, type, operands[0]);
  case llvm::Instruction::SExt:
    return arith::ExtSIOp::create(builder, l, type, operands[0]);
  case llvm::Instruction::Trunc:
    return arith::TruncIOp::create(builder, l, type, operands[0]);
  case llvm::Instruction::Select:
    return arith::SelectOp::create(builder, l, operands[0], operands[1],
                                   operands[2]);
  case llvm::Instruction::Freeze:
    return operands[0];
  case llvm::Instruction::ICmp:
    return arith::CmpIOp::create(
        builder, l,
        predicateOf(llvm::cast<llvm::ICmpInst>(instruction).getPredicate()),
        operands[0], operands[1]);
  default:
    return buildBinary(builder, l, instruction.getOpcode(), operands[0],
                       operands[1]);
  }
}
