//===- InlineMath.cpp - Math functions that become vector code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Calls of libm functions lose errno: they read and write no memory.
// 2. Functions that Lanes.h implements replace the calls. Their bodies are
//    linked into the module once, and inlined: at once, or after loops have
//    been unrolled (LateMath.h).
//
//===----------------------------------------------------------------------===//

#include "ComplexNumbers.h"
#include "LateMath.h"
#include "VectorSlowPaths.h"

#include "sluice/CodeGen/InlineMath.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice::codegen;

extern const unsigned char sluiceFusedLanes[], sluicePlainLanes[];
extern const std::size_t sluiceFusedLanesSize, sluicePlainLanesSize;

//===----------------------------------------------------------------------===//
// What is called
//===----------------------------------------------------------------------===//

/// A C function that LLVM does not list.
static bool isErfc(const Function &function) {
  Type *type = function.getReturnType();
  return function.arg_size() == 1 && function.getArg(0)->getType() == type &&
         ((function.getName() == "erfc" && type->isDoubleTy()) ||
          (function.getName() == "erfcf" && type->isFloatTy()));
}

/// The C function of an intrinsic or of a libm call, without the suffix "f";
/// empty for other calls.
static bool isMathIntrinsic(Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::exp10:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::tan:
  case Intrinsic::asin:
  case Intrinsic::acos:
  case Intrinsic::atan:
  case Intrinsic::atan2:
  case Intrinsic::sinh:
  case Intrinsic::cosh:
  case Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

/// The intrinsic of LLVM that rounds to a whole number as `callee` does.
static Intrinsic::ID roundingIntrinsic(const Function &callee) {
  if (callee.arg_size() != 1 || !callee.getReturnType()->isIntegerTy(64))
    return Intrinsic::not_intrinsic;
  StringRef name = callee.getName();
  const Type *number = callee.getArg(0)->getType();
  if (number->isFloatTy() ? !name.consume_back("f") : !number->isDoubleTy())
    return Intrinsic::not_intrinsic;
  return StringSwitch<Intrinsic::ID>(name)
      .Case("lrint", Intrinsic::lrint)
      .Case("llrint", Intrinsic::llrint)
      .Default(Intrinsic::not_intrinsic);
}

static StringRef mathName(const CallInst &call,
                          const TargetLibraryInfo &library) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::exp:
    return "exp";
  case Intrinsic::exp2:
    return "exp2";
  case Intrinsic::log:
    return "log";
  case Intrinsic::log2:
    return "log2";
  case Intrinsic::log10:
    return "log10";
  case Intrinsic::pow:
    return "pow";
  case Intrinsic::sin:
    return "sin";
  case Intrinsic::cos:
    return "cos";
  case Intrinsic::tan:
    return "tan";
  case Intrinsic::tanh:
    return "tanh";
  case Intrinsic::not_intrinsic:
    break;
  default:
    return "";
  }
  const Function *callee = call.getCalledFunction();
  LibFunc function;
  if (!callee || !callee->isDeclaration() || call.isNoBuiltin() ||
      call.isStrictFP())
    return "";
  if (roundingIntrinsic(*callee))
    return "lrint";
  if (!library.getLibFunc(*callee, function) && !isErfc(*callee))
    return "";
  StringRef name = callee->getName();
  if (call.getType()->isFloatTy())
    name.consume_back("f");
  // Functions of one or two numbers whose only side effect is to set errno.
  return StringSwitch<StringRef>(name)
      .Cases({"exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p",
              "pow", "sqrt", "cbrt", "hypot"},
             name)
      .Cases({"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh",
              "cosh", "tanh", "asinh", "acosh", "atanh"},
             name)
      .Cases({"erf", "erfc", "tgamma", "fmod", "remainder", "fdim", "ldexp"},
             name)
      .Default("");
}

static bool hasOurs(StringRef name, const Type &type) {
  if (!type.isFloatTy() && !type.isDoubleTy())
    return false;
  return StringSwitch<bool>(name)
      .Cases({"exp", "exp2", "log", "log2", "log10", "pow", "tanh", "erf"},
             true)
      .Cases({"erfc", "sin", "cos", "tan"}, true)
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Our functions
//===----------------------------------------------------------------------===//

/// Adds all of Sluice's functions to the module; unused ones are removed later.
static void addLanes(Module &module, bool isFused) {
  StringRef code =
      isFused ? StringRef(reinterpret_cast<const char *>(sluiceFusedLanes),
                          sluiceFusedLanesSize)
              : StringRef(reinterpret_cast<const char *>(sluicePlainLanes),
                          sluicePlainLanesSize);
  Expected<std::unique_ptr<Module>> lanes =
      parseBitcodeFile(MemoryBufferRef(code, "lanes"), module.getContext());
  if (!lanes)
    report_fatal_error(lanes.takeError());
  (*lanes)->setTargetTriple(module.getTargetTriple());
  (*lanes)->setDataLayout(module.getDataLayout());
  if (NamedMDNode *flags = (*lanes)->getModuleFlagsMetadata())
    flags->eraseFromParent();
  for (const char *name : {"llvm.ident", "llvm.errno.tbaa"})
    if (NamedMDNode *note = (*lanes)->getNamedMetadata(name))
      note->eraseFromParent();
  SmallVector<std::string> names;
  for (Function &function : **lanes) {
    if (function.isDeclaration())
      continue;
    names.push_back(function.getName().str());
    // Properties that come from the caller, since the code is compiled for it
    // and inlined there.
    for (StringRef attribute :
         {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
          "min-legal-vector-width", "stack-protector-buffer-size"})
      function.removeFnAttr(attribute);
    function.removeFnAttr(Attribute::UWTable);
  }
  if (Linker::linkModules(module, std::move(*lanes)))
    report_fatal_error("math functions cannot be linked");
  for (const std::string &name : names) {
    Function &function = *module.getFunction(name);
    function.setLinkage(GlobalValue::InternalLinkage);
    // LLVM then does not inline the function too early, and does not preserve
    // loops on the assumption that it might.
    function.addFnAttr(Attribute::NoInline);
    function.setDoesNotAccessMemory();
    function.setDoesNotThrow();
    function.setWillReturn();
  }
}

/// Makes the slow-path variants of `ours` known to vectorisers.
static void addVariantsOf(Function &ours) {
  for (Instruction &instruction : instructions(ours)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration())
      continue;
    if (isFarFunction(*callee))
      addVectorVariants(*call);
    else if (callee->getName().starts_with(mathPrefix))
      addVariantsOf(*callee);
  }
}

static Function *ourFunction(Module &module, StringRef name, bool isFloat,
                             bool isFused) {
  std::string full = (mathPrefix + name + (isFloat ? "f" : "")).str();
  if (!module.getFunction(full))
    addLanes(module, isFused);
  Function *ours = module.getFunction(full);
  addVariantsOf(*ours);
  return ours;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

SmallVector<CallInst *> sluice::codegen::keepMath(Function &function) {
  SmallVector<CallInst *> kept;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->isNoBuiltin() ||
        !isMathIntrinsic(call->getIntrinsicID()))
      continue;
    call->addFnAttr(Attribute::NoBuiltin);
    kept.push_back(call);
  }
  return kept;
}

static void splitMultiplyAdd(Function &function, bool isFused) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->getIntrinsicID() != Intrinsic::fmuladd)
      continue;
    Type *type = call->getType()->getScalarType();
    const bool isOne = isFused && (type->isFloatTy() || type->isDoubleTy());
    // If the program allows it, sums may be computed in any order.
    if (isOne && call->hasAllowReassoc())
      continue;
    IRBuilder<> builder(call);
    builder.setFastMathFlags(call->getFastMathFlags());
    if (isOne) {
      // LLVM would evaluate `fmuladd` of constants with a separate rounding
      // of the product, and variants of a leaf differ in which values are
      // constant.
      call->replaceAllUsesWith(builder.CreateIntrinsic(
          Intrinsic::fma, {call->getType()},
          {call->getArgOperand(0), call->getArgOperand(1),
           call->getArgOperand(2)}));
      call->eraseFromParent();
      continue;
    }
    Value *product =
        builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
    call->replaceAllUsesWith(
        builder.CreateFAdd(product, call->getArgOperand(2)));
    call->eraseFromParent();
  }
}

void sluice::codegen::splitMultiplyAdd(Module &module, bool isFused) {
  for (Function &function : module)
    ::splitMultiplyAdd(function, isFused);
}

void sluice::codegen::splitMultiplyAddOfLeaves(Module &module, bool isFused,
                                               ArrayRef<Function *> leaves) {
  if (!isFused)
    return splitMultiplyAdd(module, isFused);
  SmallSetVector<Function *, 16> reached(leaves.begin(), leaves.end());
  for (size_t i = 0; i != reached.size(); ++i) {
    bool callsAny = false;
    for (Instruction &instruction : instructions(*reached[i])) {
      auto *call = dyn_cast<CallBase>(&instruction);
      callsAny |= call && call->isIndirectCall();
      for (Value *operand : instruction.operands())
        if (auto *named =
                dyn_cast<Function>(operand->stripPointerCastsAndAliases()))
          reached.insert(named);
    }
    for (Function &function : module)
      if (callsAny && function.hasAddressTaken())
        reached.insert(&function);
    ::splitMultiplyAdd(*reached[i], isFused);
  }
}

/// x to the power of a constant that takes at most one operation; null
/// otherwise. The function has the same bits, so it does not matter when the
/// exponent becomes known (POWER_OF_ANY in Logarithm.c).
static Value *simplePower(IRBuilder<> &builder, Value *x,
                          const Value *exponent) {
  const auto *constant = dyn_cast<ConstantFP>(exponent);
  if (!constant)
    return nullptr;
  if (constant->isExactlyValue(1.0))
    return x;
  if (constant->isExactlyValue(2.0))
    return builder.CreateFMul(x, x);
  return nullptr;
}

static void rewrite(CallInst &call, StringRef name, const MathOptions &options,
                    function_ref<bool(const Argument &)> isKnown) {
  if (options.library == MathLibrary::Errno) {
    // The call stays; LLVM evaluates it for constants in another way.
    if (name != "sqrt" && name != "lrint")
      call.addFnAttr(Attribute::NoBuiltin);
    return;
  }
  IRBuilder<> builder(&call);
  builder.setFastMathFlags(call.getFastMathFlags());
  Type *type = call.getType();
  if (name == "sqrt") {
    Value *root =
        builder.CreateUnaryIntrinsic(Intrinsic::sqrt, call.getArgOperand(0));
    call.replaceAllUsesWith(root);
    call.eraseFromParent();
    return;
  }
  if (name == "lrint") {
    Value *number = call.getArgOperand(0);
    call.replaceAllUsesWith(
        builder.CreateIntrinsic(roundingIntrinsic(*call.getCalledFunction()),
                                {type, number->getType()}, {number}));
    call.eraseFromParent();
    return;
  }
  call.setDoesNotAccessMemory();
  call.setDoesNotThrow();
  call.addFnAttr(Attribute::WillReturn);
  if (options.library != MathLibrary::Inline || !hasOurs(name, *type)) {
    // LLVM evaluates these for constants in another way than libm.
    if (!options.hasVectorLibrary)
      call.addFnAttr(Attribute::NoBuiltin);
    return;
  }
  if (Value *power = name == "pow" ? simplePower(builder, call.getArgOperand(0),
                                                 call.getArgOperand(1))
                                   : nullptr) {
    call.replaceAllUsesWith(power);
    call.eraseFromParent();
    return;
  }
  Function *ours =
      ourFunction(*call.getModule(), name, type->isFloatTy(), options.isFused);
  SmallVector<Value *> operands(call.args());
  CallInst *replacement = builder.CreateCall(ours, operands);
  replacement->setDebugLoc(call.getDebugLoc());
  call.replaceAllUsesWith(replacement);
  call.eraseFromParent();
  if (!mayBecomeConstant(operands, isKnown))
    inlineMathCall(*replacement);
}

static void rewriteProduct(CallInst &call, const MathOptions &options) {
  Module &module = *call.getModule();
  const bool isFloat = call.getArgOperand(0)->getType()->isFloatTy();
  for (CallInst *part : rewriteComplexProduct(call, [&](StringRef name) {
         return ourFunction(module, name, isFloat, options.isFused);
       }))
    inlineMathCall(*part);
}

namespace {
/// Visits everything that a leaf calls. Functions that are not inlined, and
/// that host code may call as well, are copied for leaves.
class MathRewriter {
public:
  MathRewriter(Module &module, const MathOptions &options)
      : module(module), options(options), functions(module.getTargetTriple()) {}

  void run(Function &function, function_ref<bool(const Argument &)> isKnown);

private:
  bool callsMath(Function &function);
  Function &copyFor(Function &callee);

  Module &module;
  const MathOptions &options;
  TargetLibraryInfoImpl functions;
  /// Whether a function calls math functions; false while it is being examined.
  DenseMap<Function *, bool> known;
};
} // namespace

/// A function of the program that is called directly.
static Function *ownCallee(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() && !callee->isInterposable() &&
                 !callee->getName().starts_with(mathPrefix)
             ? callee
             : nullptr;
}

bool MathRewriter::callsMath(Function &function) {
  auto [place, isNew] = known.try_emplace(&function, false);
  if (!isNew)
    return place->second;
  TargetLibraryInfo library(functions, &function);
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Function *callee = ownCallee(instruction);
    if ((call &&
         (isComplexProduct(*call) || !mathName(*call, library).empty())) ||
        (callee && callsMath(*callee)))
      return known[&function] = true;
  }
  return false;
}

Function &MathRewriter::copyFor(Function &callee) {
  std::string name = (callee.getName() + ".math").str();
  if (Function *copy = module.getFunction(name))
    return *copy;
  ValueToValueMapTy map;
  Function *copy = CloneFunction(&callee, map);
  copy->setName(name);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setComdat(nullptr);
  run(*copy, [](const Argument &) { return false; });
  return *copy;
}

void MathRewriter::run(Function &function,
                       function_ref<bool(const Argument &)> isKnown) {
  if (function.hasFnAttribute(Attribute::StrictFP))
    return;
  TargetLibraryInfo library(functions, &function);
  SmallVector<std::pair<CallInst *, StringRef>> calls;
  SmallVector<CallInst *> products;
  SmallVector<CallBase *> others;
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (call && isComplexProduct(*call))
      products.push_back(call);
    else if (StringRef name = call ? mathName(*call, library) : "";
             !name.empty())
      calls.push_back({call, name});
    else if (Function *callee = ownCallee(instruction);
             callee && callee != &function && callsMath(*callee))
      others.push_back(cast<CallBase>(&instruction));
  }
  for (auto [call, name] : calls)
    rewrite(*call, name, options, isKnown);
  if (options.library == MathLibrary::Inline) {
    for (CallInst *call : products)
      rewriteProduct(*call, options);
    splitPairs(function);
  }
  for (CallBase *call : others)
    call->setCalledFunction(&copyFor(*call->getCalledFunction()));
}

void sluice::codegen::inlineMath(Function &function, const MathOptions &options,
                                 function_ref<bool(const Argument &)> isKnown) {
  MathRewriter(*function.getParent(), options).run(function, isKnown);
}
