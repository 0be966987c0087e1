//===- DeviceFunctions.cpp - Functions that kernels may call --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of the math functions that kernels may call, so that the accepted
// and the lowered functions cannot differ.
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice::codegen;
using namespace sluice::codegen::lowering;

static const MathFunction functions[] = {
    {"sin", "sin", "x", Intrinsic::sin},
    {"cos", "cos", "x", Intrinsic::cos},
    {"tan", "tan", "x", Intrinsic::tan},
    {"asin", "asin", "x", Intrinsic::asin},
    {"acos", "acos", "x", Intrinsic::acos},
    {"atan", "atan", "x", Intrinsic::atan},
    {"atan2", "atan2", "xx", Intrinsic::atan2},
    {"sinh", "sinh", "x", Intrinsic::sinh},
    {"cosh", "cosh", "x", Intrinsic::cosh},
    {"tanh", "tanh", "x", Intrinsic::tanh},
    {"asinh", "asinh", "x"},
    {"acosh", "acosh", "x"},
    {"atanh", "atanh", "x"},
    {"exp", "exp", "x", Intrinsic::exp},
    {"exp2", "exp2", "x", Intrinsic::exp2},
    {"exp10", "exp10", "x", Intrinsic::exp10},
    {"expm1", "expm1", "x"},
    {"log", "log", "x", Intrinsic::log},
    {"log2", "log2", "x", Intrinsic::log2},
    {"log10", "log10", "x", Intrinsic::log10},
    {"log1p", "log1p", "x"},
    {"pow", "pow", "xx", Intrinsic::pow},
    {"cbrt", "cbrt", "x"},
    {"hypot", "hypot", "xx"},
    {"fmod", "fmod", "xx"},
    {"remainder", "remainder", "xx"},
    {"fdim", "fdim", "xx"},
    {"sqrt", "sqrt", "x", Intrinsic::sqrt},
    {"fabs", "fabs", "x", Intrinsic::fabs},
    {"floor", "floor", "x", Intrinsic::floor},
    {"ceil", "ceil", "x", Intrinsic::ceil},
    {"trunc", "trunc", "x", Intrinsic::trunc},
    {"round", "round", "x", Intrinsic::round},
    {"rint", "rint", "x", Intrinsic::rint},
    {"nearbyint", "rint", "x", Intrinsic::nearbyint},
    {"roundeven", "rint", "x", Intrinsic::roundeven},
    {"fmin", "fmin", "xx", Intrinsic::minnum},
    {"fmax", "fmax", "xx", Intrinsic::maxnum},
    {"copysign", "copysign", "xx", Intrinsic::copysign},
    {"fma", "fma", "xxx", Intrinsic::fma},
    {"ldexp", "ldexp", "xi", Intrinsic::ldexp},
};

const MathFunction *lowering::findMathFunction(StringRef name) {
  for (StringRef base : {name, name.ends_with("f") ? name.drop_back() : name}) {
    const auto *found = find_if(
        functions, [&](const MathFunction &f) { return f.name == base; });
    if (found != std::end(functions))
      return found;
  }
  return nullptr;
}

const MathFunction *lowering::findMathFunction(Intrinsic::ID intrinsic) {
  if (intrinsic == Intrinsic::not_intrinsic)
    return nullptr;
  const auto *found = find_if(functions, [&](const MathFunction &f) {
    return f.intrinsic == intrinsic;
  });
  return found == std::end(functions) ? nullptr : found;
}

/// True if the operands and the result match the function; libm's float
/// functions take float, the others double.
static bool fits(const MathFunction &function, const Function &callee) {
  Type *real = callee.getReturnType();
  bool isIntrinsic = callee.isIntrinsic();
  if (!isIntrinsic && !(callee.getName() == function.name ? real->isDoubleTy()
                                                          : real->isFloatTy()))
    return false;
  if (callee.arg_size() != function.operands.size())
    return false;
  for (auto [kind, argument] : zip(function.operands, callee.args())) {
    Type *type = argument.getType();
    if (kind == 'x' ? type != real : !type->getScalarType()->isIntegerTy(32))
      return false;
  }
  return true;
}

const MathFunction *lowering::calledMathFunction(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return nullptr;
  const MathFunction *function =
      callee->isIntrinsic() ? findMathFunction(callee->getIntrinsicID())
                            : findMathFunction(callee->getName());
  return function && fits(*function, *callee) ? function : nullptr;
}

bool lowering::isDeviceIntrinsic(Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case Intrinsic::fmuladd:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::minimumnum:
  case Intrinsic::maximumnum:
  case Intrinsic::powi:
  case Intrinsic::lround:
  case Intrinsic::llround:
  case Intrinsic::lrint:
  case Intrinsic::llrint:
  case Intrinsic::is_fpclass:
  case Intrinsic::canonicalize:
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat:
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::abs:
  case Intrinsic::scmp:
  case Intrinsic::ucmp:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::sshl_sat:
  case Intrinsic::ushl_sat:
  case Intrinsic::sadd_with_overflow:
  case Intrinsic::uadd_with_overflow:
  case Intrinsic::ssub_with_overflow:
  case Intrinsic::usub_with_overflow:
  case Intrinsic::smul_with_overflow:
  case Intrinsic::umul_with_overflow:
  case Intrinsic::memcpy:
  case Intrinsic::memcpy_inline:
  case Intrinsic::memmove:
  case Intrinsic::memset:
  case Intrinsic::memset_inline:
  case Intrinsic::vector_reduce_add:
  case Intrinsic::vector_reduce_mul:
  case Intrinsic::vector_reduce_and:
  case Intrinsic::vector_reduce_or:
  case Intrinsic::vector_reduce_xor:
  case Intrinsic::vector_reduce_smin:
  case Intrinsic::vector_reduce_smax:
  case Intrinsic::vector_reduce_umin:
  case Intrinsic::vector_reduce_umax:
  case Intrinsic::vector_reduce_fadd:
  case Intrinsic::vector_reduce_fmul:
  case Intrinsic::vector_reduce_fmin:
  case Intrinsic::vector_reduce_fmax:
  case Intrinsic::assume:
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::dbg_declare:
  case Intrinsic::dbg_value:
  case Intrinsic::dbg_label:
  case Intrinsic::dbg_assign:
  case Intrinsic::sideeffect:
  case Intrinsic::donothing:
  case Intrinsic::ssa_copy:
  case Intrinsic::is_constant:
  case Intrinsic::objectsize:
    return true;
  default:
    return false;
  }
}
