//===- ExtentEmitter.cpp - Extents as LLVM code ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtentEmitter.h"
#include "ExtentDivision.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "sluice/DFG/DFG.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sluice;

Value *codegen::emitExtent(mlir::Value extent, IRBuilderBase &b,
                           function_ref<Value *(mlir::Value)> leaf) {
  mlir::LLVM::TypeToLLVMIRTranslator types(b.getContext());
  namespace arith = mlir::arith;
  if (std::optional<int64_t> known = dfg::constantExtent(extent))
    return ConstantInt::getSigned(types.translateType(extent.getType()),
                                  *known);
  mlir::Operation *op = extent.getDefiningOp();
  if (auto part = dyn_cast_or_null<mlir::LLVM::ExtractValueOp>(op)) {
    SmallVector<unsigned> path(part.getPosition());
    return b.CreateExtractValue(leaf(part.getContainer()), path);
  }
  if (!op || !isa<arith::ArithDialect>(op->getDialect()))
    return leaf(extent);
  SmallVector<Value *> in;
  for (mlir::Value operand : op->getOperands())
    in.push_back(emitExtent(operand, b, leaf));
  Type *type = types.translateType(extent.getType());
  ExtentDivision division(b, in);
  return TypeSwitch<mlir::Operation *, Value *>(op)
      .Case([&](arith::AddIOp) { return b.CreateAdd(in[0], in[1]); })
      .Case([&](arith::SubIOp) { return b.CreateSub(in[0], in[1]); })
      .Case([&](arith::MulIOp) { return b.CreateMul(in[0], in[1]); })
      .Case([&](arith::DivSIOp) { return division.quotient(true); })
      .Case([&](arith::DivUIOp) { return division.quotient(false); })
      .Case([&](arith::CeilDivSIOp) { return division.rounded(true, 1); })
      .Case([&](arith::CeilDivUIOp) { return division.rounded(false, 1); })
      .Case([&](arith::FloorDivSIOp) { return division.rounded(true, -1); })
      .Case([&](arith::RemSIOp) { return division.remainder(true); })
      .Case([&](arith::RemUIOp) { return division.remainder(false); })
      .Case([&](arith::AndIOp) { return b.CreateAnd(in[0], in[1]); })
      .Case([&](arith::OrIOp) { return b.CreateOr(in[0], in[1]); })
      .Case([&](arith::XOrIOp) { return b.CreateXor(in[0], in[1]); })
      .Case([&](arith::ShLIOp) { return b.CreateShl(in[0], in[1]); })
      .Case([&](arith::ShRSIOp) { return b.CreateAShr(in[0], in[1]); })
      .Case([&](arith::ShRUIOp) { return b.CreateLShr(in[0], in[1]); })
      .Case([&](arith::MaxSIOp) {
        return b.CreateBinaryIntrinsic(Intrinsic::smax, in[0], in[1]);
      })
      .Case([&](arith::MinSIOp) {
        return b.CreateBinaryIntrinsic(Intrinsic::smin, in[0], in[1]);
      })
      .Case([&](arith::MaxUIOp) {
        return b.CreateBinaryIntrinsic(Intrinsic::umax, in[0], in[1]);
      })
      .Case([&](arith::MinUIOp) {
        return b.CreateBinaryIntrinsic(Intrinsic::umin, in[0], in[1]);
      })
      .Case([&](arith::ExtSIOp) { return b.CreateSExt(in[0], type); })
      .Case([&](arith::ExtUIOp) { return b.CreateZExt(in[0], type); })
      .Case([&](arith::TruncIOp) { return b.CreateTrunc(in[0], type); })
      .Case(
          [&](arith::SelectOp) { return b.CreateSelect(in[0], in[1], in[2]); })
      .Case([&](arith::CmpIOp compare) {
        // arith and LLVM list the predicates in different orders.
        static const CmpInst::Predicate predicates[] = {
            CmpInst::ICMP_EQ,  CmpInst::ICMP_NE,  CmpInst::ICMP_SLT,
            CmpInst::ICMP_SLE, CmpInst::ICMP_SGT, CmpInst::ICMP_SGE,
            CmpInst::ICMP_ULT, CmpInst::ICMP_ULE, CmpInst::ICMP_UGT,
            CmpInst::ICMP_UGE};
        return b.CreateICmp(
            predicates[static_cast<unsigned>(compare.getPredicate())], in[0],
            in[1]);
      })
      .Default([&](mlir::Operation *) -> Value * {
        llvm_unreachable("the verifier of dfg.graph admits no other operation");
      });
}
