//===- LowerCalls.cpp - From HPVM-C calls to intrinsics -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most HPVM-C functions correspond to one intrinsic of nearly the same name.
// The table of intrinsics gives the types; integers are converted.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportIntrinsics.h"
#include "LowerCallsPhases.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

/// The functions of hpvm.h that are not part of HPVM.
static bool isSluicesOwn(StringRef name) {
  return name == "sluice_assume_disjoint" || name == "sluice_assume_ordered" ||
         name == "sluice_ordered" || name == "sluice_temporary" ||
         name.starts_with("sluice_reduce_") || name.starts_with("sluice_scan_");
}

StringRef sluice::calledHPVM(const CallBase &call) {
  auto *callee = dyn_cast<Function>(
      call.getCalledOperand()->stripPointerCastsAndAliases());
  if (!callee)
    return {};
  StringRef name = callee->getName();
  if (isSluicesOwn(name))
    return name.substr(strlen("sluice_"));
  return name.consume_front("__hpvm__") ? name : StringRef();
}

const CallRecord *sluice::recordOf(const CallBase &call,
                                   const CompiledUnit &unit) {
  if (call.arg_empty())
    return nullptr;
  auto *number = dyn_cast<ConstantInt>(call.getArgOperand(0));
  if (!number || number->getBitWidth() > 32)
    return nullptr;
  uint64_t index = number->getZExtValue() - CallRecord::firstNumber;
  return index < unit.calls.size() ? &unit.calls[index] : nullptr;
}

/// The called function, as programs spell it.
static std::string spellCallee(const CallBase &call) {
  const Value *callee = call.getCalledOperand()->stripPointerCastsAndAliases();
  return ("'" + callee->getName() + "'").str();
}

static bool isVariadic(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"createNodeND", "launch", "attributes", "return"}, true)
      .Default(false);
}

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

namespace {
class CallLowering {
public:
  CallLowering(CallInst &call, const CompiledUnit &unit,
               Diagnostics &diagnostics)
      : call(call), unit(unit), diagnostics(diagnostics), builder(&call) {}

  void run(StringRef name) {
    Value *result = lower(name);
    if (!call.use_empty())
      call.replaceAllUsesWith(result && result->getType() == call.getType()
                                  ? result
                                  : convert(result, call.getType()));
    if (result && isa<Instruction>(result) && !result->hasName())
      result->takeName(&call);
    call.eraseFromParent();
  }

private:
  Value *lower(StringRef name);
  Value *lowerCreateNode();
  Value *lowerLaunch();
  Value *lowerMath(StringRef name);
  Value *lowerByName(StringRef name);
  Value *callIntrinsic(const hpvm::HPVMIntrinsic &intrinsic,
                       ArrayRef<Value *> arguments);
  Value *convert(Value *value, Type *type);
  Type *typeOf(char code);

  CallInst &call;
  const CompiledUnit &unit;
  Diagnostics &diagnostics;
  IRBuilder<> builder;
};
} // namespace

Type *CallLowering::typeOf(char code) {
  switch (code) {
  case 'v':
    return builder.getVoidTy();
  case 'p':
    return builder.getPtrTy();
  case 'b':
    return builder.getInt1Ty();
  case 'i':
    return builder.getInt32Ty();
  case 'l':
    return builder.getInt64Ty();
  case 'f':
    return builder.getFloatTy();
  default:
    return builder.getDoubleTy();
  }
}

Value *CallLowering::convert(Value *value, Type *type) {
  if (!value)
    return PoisonValue::get(type);
  if (value->getType() == type)
    return value;
  if (value->getType()->isIntegerTy() && type->isIntegerTy(1))
    return builder.CreateIsNotNull(value);
  if (value->getType()->isIntegerTy() && type->isIntegerTy())
    return builder.CreateIntCast(value, type, /*isSigned=*/true);
  if (value->getType()->isFloatingPointTy() && type->isFloatingPointTy())
    return builder.CreateFPCast(value, type);
  // The arguments of variadic functions have been checked in the source.
  if (!isVariadic(calledHPVM(call)))
    diagnostics.error(placeOf(call),
                      spellCallee(call) +
                          " is declared with other types than hpvm.h gives it",
                      "arguments");
  return PoisonValue::get(type);
}

Value *CallLowering::callIntrinsic(const hpvm::HPVMIntrinsic &intrinsic,
                                   ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  SmallVector<Value *> values;
  for (auto [code, argument] :
       zip(intrinsic.signature.drop_front(), arguments)) {
    types.push_back(typeOf(code));
    values.push_back(convert(argument, types.back()));
  }
  auto *type = FunctionType::get(typeOf(intrinsic.signature.front()), types,
                                 /*isVarArg=*/false);
  FunctionCallee callee = call.getModule()->getOrInsertFunction(
      ("llvm.hpvm." + intrinsic.name).str(), type);
  CallInst *result = builder.CreateCall(callee, values);
  if (intrinsic.kind == hpvm::IntrinsicKind::AssumeDisjoint ||
      intrinsic.kind == hpvm::IntrinsicKind::AssumeOrdered ||
      intrinsic.kind == hpvm::IntrinsicKind::Reduce) {
    // Stays in place, and lets other instructions move.
    auto *declaration = cast<Function>(callee.getCallee());
    declaration->setOnlyAccessesInaccessibleMemory();
    declaration->setDoesNotThrow();
    declaration->setWillReturn();
  }
  if (intrinsic.kind == hpvm::IntrinsicKind::Barrier) {
    // Neither moved into branches nor duplicated.
    auto *declaration = cast<Function>(callee.getCallee());
    declaration->addFnAttr(Attribute::Convergent);
    declaration->addFnAttr(Attribute::NoDuplicate);
    result->addFnAttr(Attribute::Convergent);
    result->addFnAttr(Attribute::NoDuplicate);
  }
  return result;
}

Value *CallLowering::lowerCreateNode() {
  static constexpr StringRef names[] = {
      "llvm.hpvm.createNode", "llvm.hpvm.createNode1D",
      "llvm.hpvm.createNode2D", "llvm.hpvm.createNode3D"};
  // Wrong numbers of arguments have been reported from the source.
  if (call.arg_size() < 2 || call.arg_size() > 5)
    return nullptr;
  SmallVector<Value *> arguments(drop_begin(call.args()));
  return callIntrinsic(*hpvm::lookUpIntrinsic(names[arguments.size() - 1]),
                       arguments);
}

Value *CallLowering::lowerLaunch() {
  const CallRecord *record = recordOf(call, unit);
  if (!record || call.arg_size() != 3)
    return nullptr;
  return callIntrinsic(*hpvm::lookUpIntrinsic("llvm.hpvm.launch"),
                       {call.getArgOperand(1), call.getArgOperand(2),
                        builder.getInt1(record->isStream)});
}

Value *CallLowering::lowerMath(StringRef name) {
  if (call.arg_size() != 1 || !call.getArgOperand(0)->getType()->isFloatTy())
    return convert(nullptr, builder.getFloatTy());
  Value *value = call.getArgOperand(0);
  if (name == "rsqrt")
    return builder.CreateFDiv(
        ConstantFP::get(builder.getFloatTy(), 1.0),
        builder.CreateUnaryIntrinsic(Intrinsic::sqrt, value));
  auto intrinsic = StringSwitch<Intrinsic::ID>(name)
                       .Case("floor", Intrinsic::floor)
                       .Case("sqrt", Intrinsic::sqrt)
                       .Case("sin", Intrinsic::sin)
                       .Default(Intrinsic::cos);
  return builder.CreateUnaryIntrinsic(intrinsic, value);
}

/// "getNodeInstanceID_x" -> "llvm.hpvm.getNodeInstanceID.x", and so on.
static const hpvm::HPVMIntrinsic *intrinsicOf(StringRef name) {
  name = StringSwitch<StringRef>(name)
             .Case("edge", "createEdge")
             .Case("bindIn", "bind.input")
             .Case("bindOut", "bind.output")
             .Default(name);
  std::string spelled = "llvm.hpvm." + name.str();
  std::replace(spelled.begin(), spelled.end(), '_', '.');
  return hpvm::lookUpIntrinsic(spelled);
}

Value *CallLowering::lowerByName(StringRef name) {
  const hpvm::HPVMIntrinsic *intrinsic = intrinsicOf(name);
  if (!intrinsic) {
    diagnostics.error(placeOf(call),
                      "'__hpvm__" + name.str() +
                          "' is not a function of HPVM-C",
                      "arguments");
    return nullptr;
  }
  size_t expected = intrinsic->signature.size() - 1;
  if (call.arg_size() != expected) {
    diagnostics.error(placeOf(call),
                      spellCallee(call) + " takes " + std::to_string(expected) +
                          " arguments, but " + std::to_string(call.arg_size()) +
                          " are given",
                      "arguments");
    return nullptr;
  }
  SmallVector<Value *> arguments(call.args());
  return callIntrinsic(*intrinsic, arguments);
}

Value *CallLowering::lower(StringRef name) {
  enum { ByName, CreateNode, Launch, Math, Drop, Return };
  if (isVariadic(name) && !recordOf(call, unit)) {
    // The error may have been reported already.
    if (!diagnostics.hasErrors())
      diagnostics.error(placeOf(call),
                        "'__hpvm__" + name.str() +
                            "' cannot be understood here; call it in the body "
                            "of a function",
                        "arguments");
    return nullptr;
  }
  switch (StringSwitch<int>(name)
              .Case("createNodeND", CreateNode)
              .Case("launch", Launch)
              .Cases({"floor", "rsqrt", "sqrt", "sin", "cos"}, Math)
              .Cases({"hint", "attributes", "node_id", "grad"}, Drop)
              .StartsWith("tensor_", Drop)
              .Case("return", Return)
              .Default(ByName)) {
  case CreateNode:
    return lowerCreateNode();
  case Launch:
    return lowerLaunch();
  case Math:
    return lowerMath(name);
  case Drop:
    return nullptr;
  case Return:
    // Calls in node functions have been removed by now.
    diagnostics.error(placeOf(call),
                      "'__hpvm__return' stands in '" +
                          call.getFunction()->getName().str() +
                          "', which is not a node function",
                      "outputs");
    return nullptr;
  default:
    return lowerByName(name);
  }
}

//===----------------------------------------------------------------------===//
// All calls
//===----------------------------------------------------------------------===//

/// Reports HPVM-C functions that are not called but used as values.
static void checkOtherUses(Function &declaration, Diagnostics &diagnostics) {
  for (Use &use : declaration.uses()) {
    auto *call = dyn_cast<CallBase>(use.getUser());
    if (call && call->isCallee(&use))
      continue;
    auto *user = dyn_cast<Instruction>(use.getUser());
    diagnostics.error(user ? placeOf(*user) : SourcePlace(),
                      "'" + declaration.getName().str() +
                          "' can only be called: it has no address",
                      "arguments");
  }
}

void sluice::lowerCalls(CompiledUnit &unit, Diagnostics &diagnostics) {
  Module &module = *unit.module;
  for (Function &function : module) {
    SmallVector<CallBase *> calls;
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (!calledHPVM(*call).empty())
          calls.push_back(call);
    for (CallBase *call : calls) {
      auto *plain = dyn_cast<CallInst>(call);
      if (auto *invoke = dyn_cast<InvokeInst>(call))
        plain = changeToCall(invoke);
      CallLowering(*plain, unit, diagnostics).run(calledHPVM(*plain));
    }
  }
  for (Function &function : make_early_inc_range(module)) {
    if ((!function.getName().starts_with("__hpvm__") &&
         !isSluicesOwn(function.getName())) ||
        !function.isDeclaration())
      continue;
    checkOtherUses(function, diagnostics);
    if (function.use_empty())
      function.eraseFromParent();
  }
}
