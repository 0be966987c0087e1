//===- TableCallers.cpp - Adapters from the runtime to user code ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TableCallers.h"
#include "sluice-c/RegionPython.h"
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

TableCallers::TableCallers(const RegionModel &program, Module &module,
                           Tables &tables)
    : program(program), module(module), tables(tables),
      pointer(PointerType::get(module.getContext(), 0)) {}

/// An internal function that takes pointers; without `result`, it returns
/// nothing.
Function *TableCallers::begin(const std::string &name, unsigned numParameters,
                              IRBuilder<> &builder, Type *result) {
  SmallVector<Type *> parameters(numParameters, pointer);
  auto *function = Function::Create(
      FunctionType::get(result ? result : builder.getVoidTy(), parameters,
                        /*isVarArg=*/false),
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
// Functions in C
//===----------------------------------------------------------------------===//

/// A call that is being emitted.
struct TableCallers::Call {
  Call(LLVMContext &context) : builder(context) {}

  /// A place in the views that the caller gets.
  Value *place(size_t offset) {
    return builder.CreateConstInBoundsGEP1_64(
        builder.getInt8Ty(), views, view * sizeof(SluiceView) + offset);
  }
  Value *load(size_t offset, Type *type) {
    return builder.CreateLoad(type, place(offset));
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
  const bool isPython = program.pythonFunctions.contains(statement.function);
  for (const RegionArgument &argument : statement.arguments) {
    out << ' ' << argument.kind << ' ';
    if (isPython) { // it gets the names
      out << argument.root << ' ' << argument.partition << ' '
          << unsigned(argument.privilege);
      for (unsigned field : argument.fields)
        out << ' ' << field;
      out << ' ';
    }
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

Type *TableCallers::typeOfResult(const RegionArgument *result) const {
  LLVMContext &context = module.getContext();
  return result ? typeOf(program.roots[result->root].fields[0].type, context)
                : Type::getVoidTy(context);
}

Value *TableCallers::callFunction(const RegionStatement &statement,
                                  const RegionArgument *result, Call &call) {
  for (const RegionArgument &argument : statement.arguments)
    addArgument(argument, call);
  FunctionCallee callee = module.getOrInsertFunction(
      statement.function,
      FunctionType::get(typeOfResult(result), call.types, /*isVarArg=*/false));
  CallInst *value = call.builder.CreateCall(callee, call.values);
  extendIntegers(*value, *cast<Function>(callee.getCallee()));
  return value;
}

//===----------------------------------------------------------------------===//
// Functions in Python
//===----------------------------------------------------------------------===//

/// Passes the address of a view or of a number.
void TableCallers::addPort(const RegionArgument &argument, Call &call) {
  if (argument.kind == RegionArgument::Region) {
    call.pass(call.place(0));
    ++call.view;
    return;
  }
  const size_t before = call.values.size();
  addArgument(argument, call);
  if (call.values.size() == before)
    return;
  Value *slot = call.builder.CreateAlloca(call.types.back());
  call.builder.CreateStore(call.values.back(), slot);
  call.values.back() = slot;
}

static ElementType typeOfNumber(const RegionModel &program,
                                const RegionArgument &argument) {
  switch (argument.kind) {
  case RegionArgument::Constant:
    return argument.constantType;
  case RegionArgument::Parameter:
    return program.parameters[argument.parameter].type;
  case RegionArgument::Iteration:
    return ElementType::I64;
  default:
    return program.roots[argument.root].fields[0].type;
  }
}

Constant *TableCallers::portOf(const RegionArgument &argument) {
  SluicePythonPort port = {.name = Address(tables.null()),
                           .fields = Address(tables.null()),
                           .numFields = 0,
                           .type = 0,
                           .isReadOnly = 1,
                           .reserved = 0};
  if (argument.kind != RegionArgument::Region) {
    port.type = uint32_t(typeOfNumber(program, argument));
    return tables.structure(port);
  }
  const RegionRoot &root = program.roots[argument.root];
  std::vector<SluiceField> fields;
  for (unsigned index : argument.fields) {
    const RegionField &field = root.fields[index];
    fields.push_back({.name = tables.string(field.name),
                      .type = SluiceElementType(field.type),
                      .count = field.count});
  }
  port.name = tables.string(argument.partition == noIndex
                                ? root.name
                                : program.partitions[argument.partition].name);
  port.fields = tables.array(fields);
  port.numFields = uint32_t(fields.size());
  port.isReadOnly = argument.privilege == RegionPrivilege::Read;
  return tables.structure(port);
}

Constant *TableCallers::kernelOf(const std::string &name,
                                 ArrayRef<Constant *> ports,
                                 uint32_t resultType) {
  const PythonPlace &place = program.pythonFunctions.at(name);
  return tables.structure(
      SluicePythonKernel{.path = tables.string(place.folder),
                         .module = tables.string(place.module),
                         .function = tables.string(name),
                         .ports = tables.array(ports),
                         .numPorts = uint32_t(ports.size()),
                         .resultType = resultType});
}

/// Of a coloring or a projection: passes its parameters on to libSluicePython.
Function *TableCallers::pythonCaller(const std::string &name,
                                     const char *callee, unsigned numParameters,
                                     Type *result) {
  Function *&caller = callers[name];
  if (caller)
    return caller;
  IRBuilder<> builder(module.getContext());
  caller = begin("sluice.call." + name, numParameters, builder, result);
  SmallVector<Value *> values = {
      tables.place(kernelOf(name, {}, SLUICE_PYTHON_NO_RESULT))};
  for (Argument &argument : caller->args())
    values.push_back(&argument);
  const SmallVector<Type *> types(values.size(), pointer);
  Value *value = builder.CreateCall(
      module.getOrInsertFunction(callee,
                                 FunctionType::get(caller->getReturnType(),
                                                   types, /*isVarArg=*/false)),
      values);
  if (result)
    builder.CreateRet(value);
  else
    builder.CreateRetVoid();
  return caller;
}

Value *TableCallers::callPython(const RegionStatement &statement,
                                const RegionArgument *result, Call &call) {
  IRBuilder<> &builder = call.builder;
  SmallVector<Constant *> ports;
  for (const RegionArgument &argument : statement.arguments) {
    addPort(argument, call);
    if (isParameter(argument))
      ports.push_back(portOf(argument));
  }
  Constant *kernel = kernelOf(statement.function, ports,
                              result ? uint32_t(typeOfNumber(program, *result))
                                     : SLUICE_PYTHON_NO_RESULT);
  // The first of the values is the task.
  auto *type = ArrayType::get(pointer, ports.size());
  Value *values = builder.CreateAlloca(type);
  for (size_t i = 0; i != ports.size(); ++i)
    builder.CreateStore(call.values[i + 1],
                        builder.CreateConstInBoundsGEP2_64(type, values, 0, i));
  Type *number = typeOfResult(result);
  Value *resultPlace = result ? builder.CreateAlloca(number)
                              : static_cast<Value *>(tables.null());
  builder.CreateCall(
      module.getOrInsertFunction(
          "sluicePythonTask",
          FunctionType::get(builder.getVoidTy(),
                            {pointer, pointer, pointer, pointer},
                            /*isVarArg=*/false)),
      {tables.place(kernel), call.values[0], values, resultPlace});
  return result ? builder.CreateLoad(number, resultPlace) : nullptr;
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

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
  for (const RegionArgument &argument : statement.arguments)
    if (isResult(argument))
      result = &argument;
  Value *value = program.pythonFunctions.contains(statement.function)
                     ? callPython(statement, result, call)
                     : callFunction(statement, result, call);
  if (result)
    addResult(*result, call, value);
  call.builder.CreateRetVoid();
  return caller;
}

Function *TableCallers::projection(const std::string &name) {
  Type *color = Type::getInt64Ty(module.getContext());
  if (program.pythonFunctions.contains(name))
    return pythonCaller(name, "sluicePythonProjection", 1, color);
  return cast<Function>(
      module
          .getOrInsertFunction(
              name, FunctionType::get(color, {pointer}, /*isVarArg=*/false))
          .getCallee());
}

Function *TableCallers::coloring(const std::string &name) {
  if (program.pythonFunctions.contains(name))
    return pythonCaller(name, "sluicePythonColoring", 2, nullptr);
  return declareFold(name);
}
