//===- CPrune.cpp - C kernels without the HPVM program around them --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPrune.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

std::string driver::demangledName(const Function &function) {
  return demangle(function.getName());
}

void driver::dropMain(CompiledUnit &unit, Diagnostics *remarks) {
  Function *main = unit.module->getFunction("main");
  if (!main || main->isDeclaration())
    return;
  if (remarks)
    remarks->remark(placeOf(*main),
                    "'main' is left out: the task graph is the program");
  main->deleteBody();
  if (main->use_empty())
    main->eraseFromParent();
}

void driver::keepAsFunctions(CompiledUnit &unit, ArrayRef<std::string> names) {
  erase_if(unit.nodes, [&](const NodeRecord &node) {
    if (!is_contained(names, node.symbol))
      return false;
    if (!node.adapter.empty())
      if (Function *adapter = unit.module->getFunction(node.adapter))
        adapter->eraseFromParent();
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Graphs and their nodes
//===----------------------------------------------------------------------===//

static bool usesHPVM(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return !hpvmIntrinsicName(instruction).empty();
  });
}

/// Functions with HPVM calls, and those that call them.
static SetVector<Function *> partsOfGraphs(Module &module,
                                           ArrayRef<std::string> kept) {
  auto isKept = [&](const Function &function) {
    return is_contained(kept, function.getName());
  };
  SetVector<Function *> parts;
  for (Function &function : module)
    if (!function.isDeclaration() && !isKept(function) && usesHPVM(function))
      parts.insert(&function);
  for (size_t i = 0; i != parts.size(); ++i)
    for (User *user : parts[i]->users())
      if (auto *instruction = dyn_cast<Instruction>(user))
        if (!isKept(*instruction->getFunction()))
          parts.insert(instruction->getFunction());
  return parts;
}

/// Removes what only the program that was left out needs.
static void eraseUnused(Module &module) {
  SmallVector<NamedMDNode *> hints;
  for (NamedMDNode &list : module.named_metadata())
    if (list.getName().starts_with("hpvm_hint_"))
      hints.push_back(&list);
  for (NamedMDNode *list : hints)
    list->eraseFromParent();
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
}

void driver::pruneGraphs(Module &module, ArrayRef<std::string> kept,
                         Diagnostics &diagnostics) {
  SetVector<Function *> parts = partsOfGraphs(module, kept);
  for (Function *function : parts) {
    function->deleteBody();
    function->setLinkage(GlobalValue::ExternalLinkage);
    function->setComdat(nullptr);
  }
  for (Function *function : parts)
    for (User *user : function->users())
      if (auto *call = dyn_cast<Instruction>(user))
        diagnostics
            .error(placeOf(*call),
                   "'" + demangledName(*call->getFunction()) +
                       "' is the kernel of a task, but uses '" +
                       demangledName(*function) +
                       "', which is a part of an HPVM program; kernels may "
                       "make HPVM calls, but not what they call")
            .note(placeOf(*function), "it is defined here");
  eraseUnused(module);
}
