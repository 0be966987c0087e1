//===- TableCallers.cpp - Adapters from the runtime to user code ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableCallers.h"
#include "sluice-c/Regions.h"
#include "llvm/ADT/STLExtras.h"

#include <cstddef>

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

Type *codegen::typeOf(ElementType type, LLVMContext &context) {
  if (type == ElementType::F32)
    return Type::getFloatTy(context);
  if (type == ElementType::F64)
    return Type::getDoubleTy(context);
  return Type::getIntNTy(context, 8 * sizeOf(type));
}

Constant *codegen::constantOf(ValueBits value, ElementType type,
                              LLVMContext &context) {
  APInt bits(8 * sizeOf(type), value, /*isSigned=*/false,
             /*implicitTrunc=*/true);
  if (isInteger(type))
    return ConstantInt::get(context, bits);
  const fltSemantics &semantics =
      type == ElementType::F32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
  return ConstantFP::get(context, APFloat(semantics, bits));
}

TableCallers::TableCallers(const RegionModel &program, Module &module)
    : program(program), module(module),
      pointer(PointerType::get(module.getContext(), 0)) {}

/// An internal function that takes pointers and returns nothing.
Function *TableCallers::begin(const std::string &name, unsigned numParameters,
                              IRBuilder<> &builder) {
  SmallVector<Type *> parameters(numParameters, pointer);
  auto *function = Function::Create(
      FunctionType::get(builder.getVoidTy(), parameters, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, name, module);
  // Exceptions of a task pass through its caller.
  function->setUWTableKind(UWTableKind::Default);
  builder.SetInsertPoint(
      BasicBlock::Create(module.getContext(), "entry", function));
  return function;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Function *TableCallers::declareFold(const std::string &name) {
  Type *nothing = Type::getVoidTy(module.getContext());
  return cast<Function>(
      module
          .getOrInsertFunction(name,
                               FunctionType::get(nothing, {pointer, pointer},
                                                 /*isVarArg=*/false))
          .getCallee());
}

Function *TableCallers::folderOf(const std::string &foldFunction) {
  Function *&folder = folders[foldFunction];
  if (folder)
    return folder;
  IRBuilder<> builder(module.getContext());
  folder = begin("sluice.fold." + foldFunction, 2, builder);
  builder.CreateCall(declareFold(foldFunction),
                     {folder->getArg(0), folder->getArg(1)});
  builder.CreateRetVoid();
  return folder;
}

/// `into (op) value` by a built-in operator.
Value *TableCallers::fold(const RegionReduction &reduction, Value *into,
                          Value *value, IRBuilder<> &builder) {
  const bool isReal = !isInteger(reduction.type);
  StringRef op = reduction.op;
  if (op == "+")
    return isReal ? builder.CreateFAdd(into, value)
                  : builder.CreateAdd(into, value);
  if (op == "*")
    return isReal ? builder.CreateFMul(into, value)
                  : builder.CreateMul(into, value);
  if (op == "min" || op == "max") {
    Value *left = op == "min" ? value : into;
    Value *right = op == "min" ? into : value;
    Value *isLess = isReal ? builder.CreateFCmpOLT(left, right)
                           : builder.CreateICmpSLT(left, right);
    return builder.CreateSelect(isLess, value, into);
  }
  if (op == "and")
    return builder.CreateAnd(into, value);
  if (op == "or")
    return builder.CreateOr(into, value);
  return builder.CreateXor(into, value);
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

/// A call that is being emitted.
struct TableCallers::Call {
  Call(LLVMContext &context) : builder(context) {}

  /// Loads from the views that the caller gets.
  Value *load(size_t offset, Type *type) {
    Value *place = builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(), views, view * sizeof(SluiceView) + offset);
    return builder.CreateLoad(type, place);
  }
  /// The address of a field of the argument.
  Value *field(unsigned index) {
    Value *fields = load(offsetof(SluiceView, fields), builder.getPtrTy());
    Value *place =
        builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), fields, index);
    return builder.CreateLoad(builder.getPtrTy(), place);
  }
  void pass(Value *value) {
    values.push_back(value);
    types.push_back(value->getType());
  }

  IRBuilder<> builder;
  Value *views = nullptr, *closure = nullptr;
  size_t view = 0;
  SmallVector<Value *> values;
  SmallVector<Type *> types;
  /// Where the result goes.
  Value *result = nullptr;
};

void TableCallers::addArgument(const RegionArgument &argument, Call &call) {
  LLVMContext &context = module.getContext();
  switch (argument.kind) {
  case RegionArgument::Constant:
    return call.pass(
        constantOf(argument.constant, argument.constantType, context));
  case RegionArgument::Parameter: {
    const RegionParameter &parameter = program.parameters[argument.parameter];
    GlobalVariable *variable =
        module.getGlobalVariable(parameterVariable(parameter));
    return call.pass(
        call.builder.CreateLoad(variable->getValueType(), variable));
  }
  case RegionArgument::Iteration: {
    Type *number = call.builder.getInt64Ty();
    return call.pass(call.builder.CreateLoad(
        number, call.builder.CreateConstInBoundsGEP1_64(number, call.closure,
                                                        argument.iteration)));
  }
  case RegionArgument::Scalar: {
    Value *place = call.field(0);
    Type *type = typeOf(program.roots[argument.root].fields[0].type, context);
    if (isParameter(argument))
      call.pass(call.builder.CreateLoad(type, place));
    if (isResult(argument))
      call.result = place;
    break;
  }
  case RegionArgument::Region:
    for (size_t i = 0; i != argument.fields.size(); ++i)
      call.pass(call.field(i));
    call.pass(call.load(offsetof(SluiceView, domain), pointer));
  }
  ++call.view;
}

void TableCallers::addResult(const RegionArgument &result, Call &call,
                             Value *value) {
  IRBuilder<> &builder = call.builder;
  if (!isFolded(result)) {
    builder.CreateStore(value, call.result);
    return;
  }
  const RegionReduction &reduction = program.reductions[result.reduction];
  if (reduction.foldFunction.empty()) {
    Value *into = builder.CreateLoad(value->getType(), call.result);
    builder.CreateStore(fold(reduction, into, value, builder), call.result);
    return;
  }
  Value *copy = builder.CreateAlloca(value->getType());
  builder.CreateStore(value, copy);
  builder.CreateCall(declareFold(reduction.foldFunction), {call.result, copy});
}

/// Equal for statements that share one caller.
static std::string keyOf(const RegionModel &program,
                         const RegionStatement &statement) {
  std::string key = statement.function;
  raw_string_ostream out(key);
  for (const RegionArgument &argument : statement.arguments) {
    out << ' ' << argument.kind << ' ';
    if (argument.kind == RegionArgument::Region)
      out << argument.fields.size();
    else if (argument.kind == RegionArgument::Constant)
      out << unsigned(argument.constantType) << ' ' << argument.constant;
    else if (argument.kind == RegionArgument::Parameter)
      out << argument.parameter;
    else if (argument.kind == RegionArgument::Iteration)
      out << argument.iteration;
    else
      out << unsigned(program.roots[argument.root].fields[0].type) << ' '
          << isParameter(argument) << isResult(argument) << ' '
          << (isFolded(argument) ? argument.reduction : noIndex);
  }
  return key;
}

/// Callers extend arguments that are narrower than an int.
static void extendIntegers(CallBase &call, Function &callee) {
  for (auto [i, argument] : enumerate(call.args()))
    if (argument->getType()->isIntegerTy(8) ||
        argument->getType()->isIntegerTy(16)) {
      call.addParamAttr(i, Attribute::SExt);
      callee.addParamAttr(i, Attribute::SExt);
    }
}

Function *TableCallers::callerOf(const RegionStatement &statement) {
  Function *&caller = callers[keyOf(program, statement)];
  if (caller)
    return caller;
  Call call(module.getContext());
  caller = begin("sluice.call." + statement.function, 3, call.builder);
  call.views = caller->getArg(1);
  call.closure = caller->getArg(2);
  call.pass(caller->getArg(0));
  const RegionArgument *result = nullptr;
  Type *type = call.builder.getVoidTy();
  for (const RegionArgument &argument : statement.arguments) {
    addArgument(argument, call);
    if (!isResult(argument))
      continue;
    result = &argument;
    type = typeOf(program.roots[argument.root].fields[0].type,
                  module.getContext());
  }
  FunctionCallee callee = module.getOrInsertFunction(
      statement.function,
      FunctionType::get(type, call.types, /*isVarArg=*/false));
  CallInst *value = call.builder.CreateCall(callee, call.values);
  extendIntegers(*value, *cast<Function>(callee.getCallee()));
  if (result)
    addResult(*result, call, value);
  call.builder.CreateRetVoid();
  return caller;
}

Function *TableCallers::projection(const std::string &name) {
  Type *color = Type::getInt64Ty(module.getContext());
  return cast<Function>(
      module
          .getOrInsertFunction(
              name, FunctionType::get(color, {pointer}, /*isVarArg=*/false))
          .getCallee());
}

Function *TableCallers::coloring(const std::string &name) {
  return declareFold(name);
}
