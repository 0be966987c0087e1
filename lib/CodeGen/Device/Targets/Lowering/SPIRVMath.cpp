//===- SPIRVMath.cpp - Math functions of OpenCL ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL has builtin math functions with its own names. This file calls them.
//
//===----------------------------------------------------------------------===//

#include "SPIRVMath.h"
#include "DeviceFunctions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

static StringRef letterOf(const Type &type) {
  if (type.isHalfTy())
    return "Dh";
  return type.isFloatTy() ? "f" : "d";
}

/// OpenCL's functions have C++ mangled names: _Z3powff.
static std::string mangle(const MathFunction &function, const Type &real) {
  std::string name =
      "_Z" + utostr(function.opencl.size()) + function.opencl.str();
  for (char kind : function.operands)
    name += kind == 'x' ? letterOf(real) : "i";
  return name;
}

static void replaceCall(CallInst &call, const MathFunction &function) {
  IRBuilder<> builder(&call);
  Type *real = call.getType();
  SmallVector<Type *> types;
  for (char kind : function.operands)
    types.push_back(kind == 'x' ? real : builder.getInt32Ty());
  FunctionCallee callee = call.getModule()->getOrInsertFunction(
      mangle(function, *real), FunctionType::get(real, types, false));
  auto *declaration = cast<Function>(callee.getCallee());
  declaration->setCallingConv(CallingConv::SPIR_FUNC);
  declaration->setDoesNotAccessMemory();
  declaration->setDoesNotThrow();
  SmallVector<Value *> operands(call.args());
  CallInst *other = builder.CreateCall(callee, operands);
  other->setCallingConv(CallingConv::SPIR_FUNC);
  other->takeName(&call);
  call.replaceAllUsesWith(other);
  call.eraseFromParent();
}

void lowering::lowerMathForOpenCL(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (const MathFunction *math = calledMathFunction(*call))
        replaceCall(*call, *math);
}
