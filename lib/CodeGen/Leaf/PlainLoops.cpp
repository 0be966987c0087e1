//===- PlainLoops.cpp - Loops that vectors run in few instructions --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlainLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace sluice::codegen {

/// A load or store of a number, from round to round at adjacent places or at
/// the same place.
static bool isPlainAccess(const Instruction &access, const Loop &loop,
                          ArrayRef<const BasicBlock *> lifted,
                          ScalarEvolution &evolution) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  Type *type = getLoadStoreType(const_cast<Instruction *>(&access));
  bool isSimple = isa<LoadInst>(access) ? cast<LoadInst>(access).isSimple()
                                        : cast<StoreInst>(access).isSimple();
  unsigned bits = type->getScalarSizeInBits();
  if (!isSimple || (!type->isIntegerTy() && !type->isFloatingPointTy()) ||
      (bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
      type->isBFloatTy() || type->isHalfTy())
    return false;
  const SCEV *place = evolution.getSCEV(const_cast<Value *>(pointer));
  if (evolution.isLoopInvariant(place, &loop))
    return isa<LoadInst>(access) && is_contained(lifted, access.getParent());
  const auto *moving = dyn_cast<SCEVAddRecExpr>(place);
  const auto *step =
      moving && moving->getLoop() == &loop && moving->isAffine()
          ? dyn_cast<SCEVConstant>(moving->getStepRecurrence(evolution))
          : nullptr;
  return step && step->getAPInt() == bits / 8;
}

bool isPlainInVectors(const Instruction &instruction, const Loop &loop,
                      ArrayRef<const BasicBlock *> lifted,
                      ScalarEvolution &evolution) {
  if (isa<LoadInst, StoreInst>(instruction))
    return isPlainAccess(instruction, loop, lifted, evolution);
  if (instruction.isIntDivRem() || instruction.getType()->isVectorTy())
    return false;
  if (isa<BranchInst, PHINode, GetElementPtrInst, CmpInst, SelectInst,
          UnaryOperator, BinaryOperator, FreezeInst>(instruction))
    return instruction.getOpcode() != Instruction::FRem;
  if (const auto *cast = dyn_cast<CastInst>(&instruction))
    return !cast->getType()->isPtrOrPtrVectorTy() &&
           !cast->getSrcTy()->isPtrOrPtrVectorTy();
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::abs:
  case Intrinsic::assume:
  case Intrinsic::copysign:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::fabs:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::maxnum:
  case Intrinsic::minnum:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::sqrt:
  case Intrinsic::umax:
  case Intrinsic::umin:
    return true;
  default:
    return false;
  }
}

bool masksAnyElement(const TargetTransformInfo &target, LLVMContext &context) {
  Type *byte = Type::getInt8Ty(context);
  return target.isLegalMaskedLoad(byte, Align(1), 0) &&
         target.isLegalMaskedStore(byte, Align(1), 0);
}

} // namespace sluice::codegen
