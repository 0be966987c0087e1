//===- Kernels.cpp - Selecting, inlining and finding kernels --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first step for all formats: keeps only the requested kernels, with
// everything inlined.
//
//===----------------------------------------------------------------------===//

#include "Analyses.h"
#include "Lowering.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;
using namespace sluice::codegen;

std::vector<Function *> lowering::kernelsOf(Module &module) {
  std::vector<Function *> kernels;
  for (Function &function : module)
    if (function.hasFnAttribute("sluice-kernel") && !function.isDeclaration())
      kernels.push_back(&function);
  return kernels;
}

uint64_t lowering::privateBytes(const Function &kernel) {
  uint64_t bytes = 0;
  for (const Instruction &instruction : instructions(kernel))
    if (const auto *variable = dyn_cast<AllocaInst>(&instruction))
      if (std::optional<TypeSize> size =
              variable->getAllocationSize(kernel.getDataLayout()))
        bytes = SaturatingAdd(bytes, size->getFixedValue());
  return bytes;
}

void lowering::removeUnused(Module &module) {
  Analyses analyses;
  GlobalDCEPass().run(module, analyses.modules);
}

void lowering::keepKernels(Module &module, const StringMap<Effort> &efforts) {
  for (Function *kernel : kernelsOf(module)) {
    auto effort = efforts.find(kernel->getName());
    if (effort == efforts.end()) {
      kernel->eraseFromParent();
    } else if (effort->second == Effort::None) {
      kernel->addFnAttr(Attribute::OptimizeNone);
      kernel->addFnAttr(Attribute::NoInline);
    }
  }
  // Everything else in the module exists only for the kernels.
  for (GlobalValue &value : module.global_values()) {
    auto *function = dyn_cast<Function>(&value);
    bool isKernel = function && function->hasFnAttribute("sluice-kernel");
    if (!value.isDeclaration() && !isKernel &&
        !value.getName().starts_with("llvm."))
      value.setLinkage(GlobalValue::InternalLinkage);
    if (auto *object = dyn_cast<GlobalObject>(&value))
      object->setComdat(nullptr);
  }
  removeUnused(module);
}

void lowering::inlineCalls(Module &module) {
  bool isNeeded = false;
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasFnAttribute("sluice-kernel"))
      continue;
    isNeeded = true;
    function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttr(Attribute::OptimizeNone);
    function.addFnAttr(Attribute::AlwaysInline);
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user)) {
        call->removeFnAttr(Attribute::NoInline);
        call->setCallingConv(function.getCallingConv());
      }
  }
  if (!isNeeded)
    return;
  Analyses analyses;
  AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, analyses.modules);
  removeUnused(module);
}

void lowering::replaceCalls(Module &module, StringRef name,
                            function_ref<Value *(CallInst &)> make) {
  Function *function = module.getFunction(name);
  if (!function)
    return;
  for (User *user : make_early_inc_range(function->users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledFunction() != function)
      continue;
    Value *value = make(*call);
    if (!call->getType()->isVoidTy()) {
      call->replaceAllUsesWith(value);
      value->takeName(call);
    }
    call->eraseFromParent();
  }
  if (function->use_empty())
    function->eraseFromParent();
}
