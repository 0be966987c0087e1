//===- CallOnce.cpp - std::call_once as a static of a function ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance of std::call_once makes a closure of the function and its
// arguments, publishes it in thread-local variables during the lifetime of an
// object of _Prepare_execution, and calls pthread_once. The replacement calls
// the closure directly, between the calls that guard statics. This works
// because a new flag and a new guard are both zero.
//
//===----------------------------------------------------------------------===//

#include "CallOnce.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace {
/// The parts of an instance of std::call_once.
struct Parts {
  /// The constructor and destructors of _Prepare_execution.
  SmallVector<CallBase *> preparations;
  CallBase *once = nullptr;
  Value *closure = nullptr;
  Function *action = nullptr;
};
} // namespace

using Found = MapVector<Function *, Parts>;

/// True if the flags that `function` receives are only passed to functions that
/// were found, and no other code knows these flags.
static bool hasOwnFlags(const Function &function, const Found &found) {
  return all_of(function.users(), [&](const User *user) {
    const auto *call = dyn_cast<CallBase>(user);
    if (!call || call->getCalledFunction() != &function)
      return false;
    const auto *flag =
        dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    return flag && flag->hasLocalLinkage() &&
           all_of(flag->users(), [&](const User *other) {
             const auto *call = dyn_cast<CallBase>(other);
             return call && call->getCalledFunction() &&
                    found.contains(call->getCalledFunction());
           });
  });
}

static std::optional<Parts> partsOf(Function &function) {
  StringRef name = function.getName();
  if (function.isDeclaration() || !name.starts_with("_ZSt9call_onceI"))
    return std::nullopt;
  Parts parts;
  parts.action = function.getParent()->getFunction(
      ("_ZZ" + name.drop_front(2) + "ENKUlvE_clEv").str());
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee)
      continue;
    if (callee->getName().starts_with("_ZNSt9once_flag18_Prepare_execution")) {
      parts.preparations.push_back(call);
      if (call->arg_size() == 2)
        parts.closure = call->getArgOperand(1);
    } else if (call->arg_size() == 2 && call->getType()->isIntegerTy(32) &&
               call->getArgOperand(1)->getName() == "__once_proxy") {
      parts.once = call;
    }
  }
  if (!parts.once || !parts.closure || !parts.action)
    return std::nullopt;
  return parts;
}

/// Makes `int once(int *flag, Closure *closure)`. It calls `action` of the
/// closure if no thread has done so, waits while another thread does, and
/// returns 0.
static Function *makeOnce(Function &action, Function &user) {
  Module &code = *action.getParent();
  LLVMContext &context = code.getContext();
  IRBuilder<> b(context);
  Type *ptr = b.getPtrTy(), *i32 = b.getInt32Ty();
  auto *once =
      Function::Create(FunctionType::get(i32, {ptr, ptr}, false),
                       GlobalValue::InternalLinkage, "sluice.once", code);
  FunctionCallee personality = code.getOrInsertFunction(
      "__gxx_personality_v0", FunctionType::get(i32, /*isVarArg=*/true));
  once->setPersonalityFn(cast<Constant>(personality.getCallee()));
  for (Attribute::AttrKind kind : {Attribute::UWTable})
    if (user.hasFnAttribute(kind))
      once->addFnAttr(user.getFnAttribute(kind));
  Value *flag = once->getArg(0), *closure = once->getArg(1);
  auto block = [&](const char *name) {
    return BasicBlock::Create(context, name, once);
  };
  BasicBlock *entry = block("entry"), *ask = block("ask"), *run = block("run"),
             *done = block("done"), *failed = block("failed"),
             *end = block("end");
  auto guard = [&](const char *name, Type *result) {
    return b.CreateCall(code.getOrInsertFunction(name, result, ptr), {flag});
  };
  b.SetInsertPoint(entry);
  LoadInst *state = b.CreateAlignedLoad(b.getInt8Ty(), flag, Align(4));
  state->setAtomic(AtomicOrdering::Acquire);
  b.CreateCondBr(b.CreateIsNull(state), ask, end);
  b.SetInsertPoint(ask);
  b.CreateCondBr(b.CreateIsNotNull(guard("__cxa_guard_acquire", i32)), run,
                 end);
  b.SetInsertPoint(run);
  b.CreateInvoke(&action, done, failed, {closure});
  b.SetInsertPoint(done);
  guard("__cxa_guard_release", b.getVoidTy());
  b.CreateBr(end);
  b.SetInsertPoint(failed);
  LandingPadInst *pad =
      b.CreateLandingPad(StructType::get(ptr, i32), /*NumClauses=*/0);
  pad->setCleanup(true);
  guard("__cxa_guard_abort", b.getVoidTy());
  b.CreateResume(pad);
  b.SetInsertPoint(end);
  b.CreateRet(b.getInt32(0));
  return once;
}

void sluice::transforms::lowerCallOnce(Module &code) {
  Found found;
  for (Function &function : code)
    if (std::optional<Parts> parts = partsOf(function))
      found[&function] = std::move(*parts);
  for (size_t before = 0; before != found.size();) {
    before = found.size();
    found.remove_if(
        [&](const auto &one) { return !hasOwnFlags(*one.first, found); });
  }
  for (auto &[function, parts] : found) {
    parts.once->setCalledFunction(makeOnce(*parts.action, *function));
    parts.once->setArgOperand(1, parts.closure);
    parts.once->setAttributes({});
    for (CallBase *preparation : parts.preparations) {
      if (auto *invoke = dyn_cast<InvokeInst>(preparation)) {
        BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
        invoke->getUnwindDest()->removePredecessor(invoke->getParent());
      }
      preparation->eraseFromParent();
    }
  }
}
