//===- CPrune.cpp - C kernels without the HPVM program around them --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's file may be a complete HPVM program. Its host code and HPVM calls
// would not link, so the file is reduced to the kernels.
//
//===----------------------------------------------------------------------===//

#include "CPrune.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Frontend/Kernels/ResolveKernels.h"
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

/// Calls of host code.
static bool isHostName(StringRef name) {
  if (name.empty())
    return false;
  return none_of(std::initializer_list<StringRef>{"createNode", "createEdge",
                                                  "bind.", "get", "barrier",
                                                  "malloc", "assume", "atomic"},
                 [&](StringRef other) { return name.starts_with(other); });
}

static bool usesHPVM(const Function &function, bool hostOnly) {
  return any_of(instructions(function), [&](const Instruction &instruction) {
    StringRef name = hpvmIntrinsicName(instruction);
    return hostOnly ? isHostName(name) : !name.empty();
  });
}

/// Functions with HPVM calls, and functions that call them.
static SetVector<Function *>
partsOfGraphs(Module &module, ArrayRef<std::string> kept, bool hostOnly) {
  auto isKept = [&](const Function &function) {
    return is_contained(kept, function.getName());
  };
  SetVector<Function *> parts;
  for (Function &function : module)
    if (!function.isDeclaration() && !isKept(function) &&
        usesHPVM(function, hostOnly))
      parts.insert(&function);
  for (size_t i = 0; i != parts.size(); ++i)
    for (User *user : parts[i]->users())
      if (auto *instruction = dyn_cast<Instruction>(user))
        if (!isKept(*instruction->getFunction()))
          parts.insert(instruction->getFunction());
  return parts;
}

/// Leaves a declaration, or an empty function if it is called when the program
/// starts or ends.
static void dropBody(Function &function) {
  function.deleteBody();
  function.setLinkage(GlobalValue::ExternalLinkage);
  function.setComdat(nullptr);
}

static void emptyStarters(ArrayRef<Function *> functions) {
  for (Function *function : functions) {
    bool isListed = any_of(function->users(), [](const User *user) {
      return isa<Constant>(user);
    });
    if (!isListed || !function->getReturnType()->isVoidTy())
      continue;
    auto *entry = BasicBlock::Create(function->getContext(), "entry", function);
    ReturnInst::Create(function->getContext(), entry);
    function->setLinkage(GlobalValue::InternalLinkage);
  }
}

static void eraseUnusedDeclarations(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
}

void driver::dropHosts(Module &module) {
  SetVector<Function *> hosts = partsOfGraphs(module, {}, /*hostOnly=*/true);
  for (Function *function : hosts)
    dropBody(*function);
  emptyStarters(hosts.getArrayRef());
  eraseUnusedDeclarations(module);
}

/// Removes everything that only the removed program needs.
static void eraseUnused(Module &module) {
  SmallVector<NamedMDNode *> hints;
  for (NamedMDNode &list : module.named_metadata())
    if (list.getName().starts_with("hpvm_hint_"))
      hints.push_back(&list);
  for (NamedMDNode *list : hints)
    list->eraseFromParent();
  eraseUnusedDeclarations(module);
}

void driver::pruneGraphs(Module &module, ArrayRef<std::string> kept,
                         Diagnostics &diagnostics) {
  SetVector<Function *> parts = partsOfGraphs(module, kept, /*hostOnly=*/false);
  for (Function *function : parts)
    dropBody(*function);
  emptyStarters(parts.getArrayRef());
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

std::vector<std::string> driver::leafCodeKernels(const TaskOrder &order,
                                                 const Module &code) {
  std::vector<std::string> names;
  for (dfg::TaskOp task : order.tasks) {
    const Function *function = task.getKind() == dfg::TaskKind::C
                                   ? code.getFunction(task.getCallee())
                                   : nullptr;
    if (function && usesHPVM(*function, /*hostOnly=*/false))
      names.push_back(function->getName().str());
  }
  return names;
}
