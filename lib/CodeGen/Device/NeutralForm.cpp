//===- NeutralForm.cpp - Parts of the neutral form of kernels -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are built once, in LLVM IR that is independent of any device, and
// then lowered for each format. This file defines the names and calls of this
// form.
//
//===----------------------------------------------------------------------===//

#include "NeutralForm.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/CodeGen/CodeGen.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

static StringRef nameOf(Builtin builtin) {
  switch (builtin) {
  case Builtin::Group:
    return "sluice.device.group";
  case Builtin::Item:
    return "sluice.device.item";
  case Builtin::Items:
    return "sluice.device.items";
  case Builtin::Global:
    return "sluice.device.global";
  }
  llvm_unreachable("every builtin has a name");
}

static constexpr StringLiteral barrierName = "sluice.device.barrier";

Value *codegen::emitBuiltin(IRBuilderBase &b, Builtin builtin,
                            unsigned dimension) {
  Module &module = *b.GetInsertBlock()->getModule();
  FunctionCallee callee = module.getOrInsertFunction(
      nameOf(builtin), b.getInt64Ty(), b.getInt32Ty());
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(Attribute::Speculatable);
  CallInst *call = b.CreateCall(callee, b.getInt32(dimension));
  call->addRangeRetAttr(ConstantRange(APInt(64, builtin == Builtin::Items),
                                      APInt(64, uint64_t(1) << 31)));
  return call;
}

std::optional<unsigned> codegen::builtinDimension(const Value *value,
                                                  Builtin builtin) {
  const auto *call = dyn_cast<CallInst>(value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || callee->getName() != nameOf(builtin))
    return std::nullopt;
  return cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
}

static FunctionCallee declareBarrier(Module &module) {
  LLVMContext &context = module.getContext();
  FunctionCallee callee =
      module.getOrInsertFunction(barrierName, Type::getVoidTy(context));
  auto *function = cast<Function>(callee.getCallee());
  function->setConvergent();
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::WillReturn);
  return callee;
}

void codegen::emitBarrier(IRBuilderBase &b) {
  b.CreateCall(declareBarrier(*b.GetInsertBlock()->getModule()))
      ->setConvergent();
}

void codegen::replaceBarriers(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function)))
    if (hpvmIntrinsicName(inst) == "barrier") {
      IRBuilder<> b(&inst);
      emitBarrier(b);
      inst.eraseFromParent();
    }
}

bool codegen::isNeutralBuiltin(StringRef name) {
  return name.starts_with("sluice.device.");
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// Adds the globals that `constant` names.
static void collect(const Constant *constant,
                    SetVector<const GlobalValue *> &needed,
                    SmallPtrSetImpl<const Constant *> &visited) {
  if (!visited.insert(constant).second)
    return;
  if (const auto *global = dyn_cast<GlobalValue>(constant)) {
    needed.insert(global);
    return;
  }
  for (const Value *operand : constant->operands())
    if (const auto *inner = dyn_cast<Constant>(operand))
      collect(inner, needed, visited);
}

static SetVector<const GlobalValue *> neededBy(ArrayRef<Function *> leaves) {
  SetVector<const GlobalValue *> needed;
  SmallPtrSet<const Constant *, 32> visited;
  for (Function *leaf : leaves)
    needed.insert(leaf);
  for (unsigned i = 0; i != needed.size(); ++i) {
    if (const auto *function = dyn_cast<Function>(needed[i]))
      for (const Instruction &inst : instructions(function))
        for (const Value *operand : inst.operands())
          if (const auto *constant = dyn_cast<Constant>(operand))
            collect(constant, needed, visited);
    const auto *global = dyn_cast<GlobalVariable>(needed[i]);
    if (global && global->isConstant() && global->hasInitializer())
      collect(global->getInitializer(), needed, visited);
  }
  return needed;
}

/// Removes the host's attributes, such as the processor and unwinding.
static void dropHostAttributes(Function &function) {
  for (StringRef name :
       {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
        "stack-protector-buffer-size", "min-legal-vector-width", "probe-stack"})
    function.removeFnAttr(name);
  for (Attribute::AttrKind kind :
       {Attribute::OptimizeNone, Attribute::NoInline, Attribute::UWTable,
        Attribute::StackProtect, Attribute::StackProtectStrong,
        Attribute::StackProtectReq, Attribute::SanitizeAddress,
        Attribute::SanitizeThread, Attribute::SanitizeMemory})
    function.removeFnAttr(kind);
}

std::unique_ptr<Module> codegen::cloneForDevices(const Module &module,
                                                 ArrayRef<Function *> leaves) {
  SetVector<const GlobalValue *> needed = neededBy(leaves);
  ValueToValueMapTy map;
  std::unique_ptr<Module> clone =
      CloneModule(module, map, [&](const GlobalValue *value) {
        const auto *variable = dyn_cast<GlobalVariable>(value);
        return needed.contains(value) && (!variable || variable->isConstant());
      });
  clone->setModuleInlineAsm("");
  for (StringRef name : {"llvm.global_ctors", "llvm.global_dtors", "llvm.used",
                         "llvm.compiler.used"})
    if (GlobalVariable *list = clone->getNamedGlobal(name))
      list->eraseFromParent();
  for (Function &function : *clone) {
    dropHostAttributes(function);
    function.setComdat(nullptr);
  }
  for (GlobalVariable &global : clone->globals())
    global.setComdat(nullptr);
  return clone;
}

void codegen::finishNeutral(Module &module) {
  for (Function &function : module) {
    bool isKernel = function.hasFnAttribute(kernelAttribute);
    if (!isKernel && !function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  }
  for (GlobalVariable &global : module.globals())
    if (!global.isDeclaration())
      global.setLinkage(GlobalValue::InternalLinkage);
  for (GlobalAlias &alias : make_early_inc_range(module.aliases())) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  }
  StripDebugInfo(module);
  removeUnused(module);
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  for (GlobalVariable &global : make_early_inc_range(module.globals()))
    if (global.use_empty())
      global.eraseFromParent();
  SmallVector<NamedMDNode *> lists;
  for (NamedMDNode &list : module.named_metadata())
    lists.push_back(&list);
  for (NamedMDNode *list : lists)
    list->eraseFromParent();
}
