//===- CLeaf.cpp - Calls of C functions -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function is called with exactly the types of its prototype. Shapes are
// known here, so values that do not fit are reported here as well.
//
//===----------------------------------------------------------------------===//

#include "TaskLeaf.h"
#include "sluice/Analysis/LeafMemory.h"
#include "sluice/CodeGen/Debugging.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;
using Parameter = CSignature::Parameter;
using Kind = CSignature::Parameter::Kind;

namespace {
class CCall {
public:
  CCall(TaskFunction &code, bool mayPack)
      : code(code), site(code.site), packed(code) {
    dfg::TaskOp task = site.op();
    packs = mayPack && task.getContiguous();
  }

  /// Emits the call and returns its result as a status; null after an error.
  Value *emit();

private:
  Value *address(unsigned argument);
  Value *number(const Parameter &parameter);
  Value *argument(const Parameter &parameter);
  Value *fail(const Twine &message);
  Function *callee(ArrayRef<Value *> arguments);
  Value *status(CallInst *call);
  /// The strides that the kernel sees.
  std::vector<int64_t> stridesOf(const TaskView &view) {
    return isPacked(view) ? denseStrides(view.shape) : view.strides;
  }
  bool isPacked(const TaskView &view) { return packs && !view.isDense(); }

  TaskFunction &code;
  const TaskSite &site;
  PackedArguments packed;
  bool packs = false;
  /// Once per argument.
  DenseMap<unsigned, Value *> addresses;
};
} // namespace

Value *CCall::fail(const Twine &message) {
  dfg::TaskOp task = site.op();
  task.emitError(message);
  return nullptr;
}

Value *CCall::address(unsigned argument) {
  Value *&known = addresses[argument];
  const TaskView &view = site.views()[argument];
  if (!known)
    known = isPacked(view) ? packed.pack(view) : code.address(view);
  return known;
}

/// An offset, extent or stride. (Parts begin at their first element.)
Value *CCall::number(const Parameter &parameter) {
  const TaskView &view = site.views()[parameter.argument];
  int64_t number = 0;
  const char *what = "offset";
  if (parameter.kind == Kind::Extent) {
    number = view.shape[parameter.dimension];
    what = "extent";
  } else if (parameter.kind == Kind::Stride) {
    number = stridesOf(view)[parameter.dimension];
    what = "stride";
  }
  auto *type = dyn_cast<IntegerType>(parameter.type);
  if (!type)
    return fail(Twine("'") + site.op().getCallee() + "' takes the " + what +
                " of '" + site.data[view.datum].name +
                "' as something other than an integer");
  unsigned bits = type->getBitWidth();
  if (parameter.isSigned ? !isIntN(bits, number) : !isUIntN(bits, number))
    return fail(Twine("the ") + what + " " + Twine(number) + " of '" +
                site.data[view.datum].name + "' does not fit the " +
                Twine(bits) + "-bit integer that '" + site.op().getCallee() +
                "' takes for it; declare that parameter as int64_t");
  return ConstantInt::getSigned(type, number);
}

Value *CCall::argument(const Parameter &parameter) {
  const TaskView &view = site.views()[parameter.argument];
  const TaskDatum &datum = site.data[view.datum];
  switch (parameter.kind) {
  case Kind::Base:
  case Kind::First:
  case Kind::Pointer:
    return address(parameter.argument);
  case Kind::Offset:
  case Kind::Extent:
  case Kind::Stride:
    return number(parameter);
  case Kind::Value:
    break;
  }
  if (Value *value =
          convertScalar(code.b, code.value(view), datum, parameter.type))
    return value;
  std::string wanted;
  raw_string_ostream(wanted) << *parameter.type;
  return fail(Twine("'") + site.op().getCallee() + "' takes '" + datum.name +
              "' as " + wanted + ", which cannot hold its values");
}

/// The function; declares it if needed.
Function *CCall::callee(ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *value : arguments)
    types.push_back(value->getType());
  const CSignature &c = site.resolved.c;
  auto *type = FunctionType::get(c.result ? c.result : code.b.getVoidTy(),
                                 types, /*isVarArg=*/false);
  StringRef name = site.op().getCallee();
  GlobalValue *known = site.code.getNamedValue(name);
  if (!known)
    return Function::Create(type, GlobalValue::ExternalLinkage, name,
                            site.code);
  auto *function = dyn_cast_or_null<Function>(known->getAliaseeObject());
  if (function && function->getFunctionType() == type)
    return function;
  fail(Twine("'") + name +
       "' is called with other types here than it has elsewhere");
  return nullptr;
}

Value *CCall::status(CallInst *call) {
  if (!site.resolved.c.isStatus)
    return code.b.getInt32(0);
  Type *type = call->getType();
  if (!type->isIntegerTy())
    return fail(Twine("'") + site.op().getCallee() +
                "' returns no integer, which a status is");
  if (type->getIntegerBitWidth() <= 32)
    return code.b.CreateSExt(call, code.b.getInt32Ty());
  // Preserves information that is only in the upper bits.
  Value *low = code.b.CreateTrunc(call, code.b.getInt32Ty());
  Value *isLost =
      code.b.CreateAnd(code.b.CreateICmpNE(call, ConstantInt::get(type, 0)),
                       code.b.CreateICmpEQ(low, code.b.getInt32(0)));
  return code.b.CreateSelect(isLost, code.b.getInt32(-1), low);
}

Value *CCall::emit() {
  SmallVector<Value *> arguments;
  bool isGood = checkPacking(site, [&](unsigned argument) {
    return isPacked(site.views()[argument]);
  });
  for (const Parameter &parameter : site.resolved.c.parameters) {
    arguments.push_back(argument(parameter));
    isGood &= arguments.back() != nullptr;
  }
  Function *function = isGood ? callee(arguments) : nullptr;
  if (!function)
    return nullptr;
  CallInst *call = code.b.CreateCall(function, arguments);
  call->setCallingConv(function->getCallingConv());
  for (auto [index, parameter] : enumerate(site.resolved.c.parameters))
    addExtension(*call, index, parameter.isSigned);
  Value *result = status(call);
  if (result)
    packed.unpack();
  return result;
}

/// True if the code of the function and of everything it calls is known, except
/// for functions that access no memory besides their arguments.
static bool isKnown(const Function &function,
                    SmallPtrSetImpl<const Function *> &seen) {
  if (!seen.insert(&function).second)
    return true;
  for (const Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&inst);
    if (!call || call->onlyAccessesArgMemory() ||
        call->onlyAccessesInaccessibleMemOrArgMem())
      continue;
    const Function *callee = call->getCalledFunction();
    if (!callee || callee->isDeclaration() || !isKnown(*callee, seen))
      return false;
  }
  return true;
}

/// While the kernel runs, each dataset is only reached through its own
/// argument, unless some code stores pointers elsewhere.
static void addNoAlias(TaskFunction &code) {
  Function *callee = code.site.code.getFunction(code.site.op().getCallee());
  SmallPtrSet<const Function *, 8> seen;
  if (!callee || callee->isDeclaration() || !globalsUsedBy(*callee).empty() ||
      !isKnown(*callee, seen))
    return;
  for (Argument &argument : code.function->args())
    if (argument.getType()->isPointerTy() && &argument != code.run)
      argument.addAttr(Attribute::NoAlias);
}

Function *codegen::emitCCall(const TaskSite &site) {
  LLVMContext &context = site.code.getContext();
  Type *i32 = Type::getInt32Ty(context);
  TaskFunction code(site, site.op().getCallee() + ".call", i32, {i32});
  Value *status = CCall(code, /*mayPack=*/true).emit();
  if (!status) {
    code.function->eraseFromParent();
    return nullptr;
  }
  code.b.CreateRet(status);
  describeCaller(*code.function);
  addNoAlias(code);
  return code.function;
}

Function *codegen::emitInstanceLeaf(const TaskSite &site, StringRef name) {
  dfg::TaskOp task = site.op();
  Function *callee = site.code.getFunction(task.getCallee());
  if (!callee || callee->isDeclaration()) {
    task.emitError("'") << task.getCallee()
                        << "' runs over a grid, so its source or its bitcode "
                           "is needed; name it with dfg.kernel_source";
    return nullptr;
  }
  TaskFunction leaf(site, name, Type::getVoidTy(site.code.getContext()));
  if (!CCall(leaf, /*mayPack=*/false).emit()) {
    leaf.function->eraseFromParent();
    return nullptr;
  }
  leaf.b.CreateRetVoid();
  describeCaller(*leaf.function);
  if (takeFolds(site, *leaf.function))
    return leaf.function;
  leaf.function->eraseFromParent();
  return nullptr;
}
