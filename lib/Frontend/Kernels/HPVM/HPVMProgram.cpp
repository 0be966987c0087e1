//===- HPVMProgram.cpp - An HPVM program whose graphs are tasks -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phases, in order:
//   1. compile or read the source, leave out code that launches graphs
//   2. find the roots, import, check races
//   3. give everything unique names
//   4. move graphs into the module, and code next to the other kernels
// Each source is a separate program: its definitions are not visible to others,
// except to C kernels of the same source (HPVMSharing.cpp).
//
//===----------------------------------------------------------------------===//

#include "HPVMProgram.h"
#include "../C/CKernelFiles.h"
#include "../C/CPrune.h"
#include "../C/LinkCode.h"
#include "mlir/IR/Builders.h"
#include "sluice/Analysis/BarrierCheck.h"
#include "sluice/Frontend/HPVM/ImportHPVM.h"
#include "sluice/Frontend/Reports/RaceReports.h"
#include "sluice/Frontend/Reports/ThreadLocalReports.h"
#include "sluice/Frontend/Sources/Sources.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

static bool describesGraph(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return hpvmIntrinsicName(instruction).starts_with("createNode");
  });
}

static bool isCalled(const Function &function, StringRef name) {
  return function.getName() == name ||
         baseNameOfMangled(function.getName()) == name;
}

Function *HPVMProgram::findRoot(Module &code, dfg::TaskOp task) {
  Function *found = nullptr;
  std::string graphNames;
  for (Function &function : code) {
    if (function.isDeclaration())
      continue;
    bool isWanted = isCalled(function, task.getCallee());
    if (describesGraph(function))
      graphNames +=
          (graphNames.empty() ? "'" : ", '") + demangledName(function) + "'";
    if (isWanted && found) {
      task.emitError() << "'" << path << "' has '" << demangledName(*found)
                       << "' and '" << demangledName(function)
                       << "'; rename one";
      return nullptr;
    }
    if (isWanted)
      found = &function;
  }
  if (!found) {
    task.emitError() << "'" << path << "' has no graph '" << task.getCallee()
                     << "'; it has "
                     << (graphNames.empty() ? "none" : graphNames);
    return nullptr;
  }
  if (describesGraph(*found))
    return found;
  task.emitError() << "'" << task.getCallee() << "' in '" << path
                   << "' creates no nodes; a task names a node function that "
                      "does: the root of a graph";
  return nullptr;
}

bool HPVMProgram::findRoots(Module &code) {
  bool isGood = true;
  for (dfg::TaskOp task : tasks) {
    if (roots.contains(task.getCallee()))
      continue;
    Function *root = findRoot(code, task);
    isGood &= root != nullptr;
    if (!root)
      continue;
    symbols[task.getCallee()] = root->getName().str();
    HPVMRoot &added = roots[task.getCallee()];
    added.prototype = prototypeOf(*root);
    added.prototype.function = task.getCallee().str();
  }
  return isGood;
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

/// Graphs are operations now, and the program's statements about its pointers
/// were for the race check.
static void dropDescriptions(Module &code, mlir::ModuleOp graphs,
                             ArrayRef<Function *> unused) {
  std::vector<Function *> functions(unused);
  for (dfg::GraphOp graph : graphs.getOps<dfg::GraphOp>())
    if (Function *function = code.getFunction(graph.getSymName()))
      functions.push_back(function);
  for (Function *function : functions)
    function->deleteBody();
  for (Function *function : functions) {
    function->replaceAllUsesWith(PoisonValue::get(function->getType()));
    function->eraseFromParent();
  }
  for (const char *name :
       {"llvm.hpvm.assume.disjoint", "llvm.hpvm.assume.ordered"}) {
    Function *assumption = code.getFunction(name);
    if (!assumption)
      continue;
    for (User *user : make_early_inc_range(assumption->users()))
      cast<CallBase>(user)->eraseFromParent();
    assumption->eraseFromParent();
  }
}

bool HPVMProgram::importGraphs(Module &code) {
  Diagnostics diagnostics;
  diagnostics.spellFile(path);
  mlir::MLIRContext *context = resolution.module.getContext();
  bool hasRemarks = resolution.options.hasRemarks;
  auto imported =
      hpvm::importProgram(code, *context, diagnostics, {.requireInit = false});
  if (mlir::failed(imported)) {
    emitAll(diagnostics, context, hasRemarks);
    return false;
  }
  graphs = std::move(imported->module);
  if (!checkGraphs(code, diagnostics))
    return false;
  dropDescriptions(code, *graphs, imported->unusedNodeFunctions);
  return true;
}

bool HPVMProgram::checkGraphs(Module &code, Diagnostics &diagnostics) {
  mlir::MLIRContext *context = resolution.module.getContext();
  bool hasRemarks = resolution.options.hasRemarks;
  std::vector<Function *> leaves;
  for (dfg::KernelOp kernel : graphs->getOps<dfg::KernelOp>())
    if (Function *leaf = code.getFunction(kernel.getCodeName()))
      leaves.push_back(leaf);
  if (!giveThreadLocals(code, leaves, "node", hasRemarks, diagnostics)) {
    emitAll(diagnostics, context, hasRemarks);
    return false;
  }
  races = checkRaces(*graphs, code);
  describeRaces(races, hasRemarks, diagnostics);
  if (!emitAll(diagnostics, context, hasRemarks) || races.isRacy())
    return false;
  for (auto &[name, root] : roots) {
    root.graph = graphs->lookupSymbol<dfg::GraphOp>(symbols[name]);
    auto pairs = races.disjointArguments.find(symbols[name]);
    if (pairs != races.disjointArguments.end())
      root.disjoint = pairs->second;
  }
  return all_of(roots, [](const auto &entry) {
    return entry.getValue().graph != nullptr;
  });
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void HPVMProgram::rename(Module &code) {
  mlir::SymbolTable taken(resolution.module);
  llvm::StringMap<mlir::StringAttr> names;
  mlir::Builder builder(resolution.module.getContext());
  auto isTaken = [&](StringRef name) {
    return taken.lookup(name) || resolution.code.getNamedValue(name) ||
           graphs->lookupSymbol(name) || code.getNamedValue(name);
  };
  for (mlir::Operation &op : *graphs->getBody()) {
    mlir::StringAttr old = mlir::SymbolTable::getSymbolName(&op);
    auto kernel = dyn_cast<dfg::KernelOp>(op);
    Function *leaf = kernel ? code.getFunction(kernel.getCodeName()) : nullptr;
    std::string name = old.str();
    if (taken.lookup(name) || resolution.code.getNamedValue(name))
      for (unsigned i = 2; isTaken(name); ++i)
        name = old.str() + "." + std::to_string(i);
    names[old] = builder.getStringAttr(name);
    mlir::SymbolTable::setSymbolName(&op, name);
    if (leaf && leaf->getName() == old)
      leaf->setName(name);
  }
  graphs->walk([&](dfg::NodeOp node) {
    if (mlir::StringAttr name = names.lookup(node.getCallee()))
      node.setCallee(name);
  });
  graphs->walk([&](dfg::UseDatasetOp use) {
    if (mlir::StringAttr name = names.lookup(use.getDataset()))
      use.setDataset(name);
  });
}

/// Hides the definitions of the source, except those that other code already
/// refers to. Leaves are hidden when they are linked: nothing calls them.
static void hide(Module &code, const Module &others,
                 const StringSet<> &leaves) {
  for (GlobalValue &value : code.global_values()) {
    if (value.isDeclaration() || !value.hasExternalLinkage() ||
        leaves.contains(value.getName()))
      continue;
    const GlobalValue *other = others.getNamedValue(value.getName());
    if (other && other->isDeclaration())
      continue;
    if (auto *object = dyn_cast<GlobalObject>(&value))
      object->setComdat(nullptr);
    value.setLinkage(GlobalValue::InternalLinkage);
  }
}

bool HPVMProgram::link(std::unique_ptr<Module> code) {
  StringSet<> leaves;
  for (dfg::KernelOp kernel : graphs->getOps<dfg::KernelOp>())
    leaves.insert(kernel.getCodeName());
  for (StringRef leaf : leaves.keys())
    if (Function *function = code->getFunction(leaf)) {
      function->setComdat(nullptr);
      function->setLinkage(GlobalValue::ExternalLinkage);
    }
  if (isForCKernels() && !shareWithCKernels(*code, leaves))
    return false;
  hide(*code, resolution.code, leaves);
  if (Error error = linkCode(resolution.code, std::move(code))) {
    firstTask.emitError() << "'" << path << "' cannot be linked: "
                          << toString(std::move(error));
    return false;
  }
  for (StringRef leaf : leaves.keys())
    if (Function *function = resolution.code.getFunction(leaf))
      function->setLinkage(GlobalValue::InternalLinkage);
  mlir::Block *body = resolution.module.getBody();
  for (mlir::Operation &op : make_early_inc_range(*graphs->getBody()))
    op.moveBefore(body, body->end());
  return true;
}

bool HPVMProgram::read() {
  if (isWrittenGraph(path)) {
    Diagnostics found;
    std::unique_ptr<Module> written = readWrittenGraphs();
    if (!written || !checkGraphs(*written, found))
      return false;
    dropDescriptions(*written, *graphs, {});
    rename(*written);
    return link(std::move(written));
  }
  Diagnostics diagnostics;
  mlir::MLIRContext *context = resolution.module.getContext();
  std::vector<CompiledUnit> units;
  std::optional<CompiledUnit> unit =
      readUnit(path, flags, resolution, diagnostics, firstTask.getLoc());
  if (unit) {
    dropMain(*unit, nullptr);
    units.push_back(std::move(*unit));
  }
  std::unique_ptr<Module> code;
  if (!units.empty())
    code = linkUnits(units, resolution.code.getContext(), diagnostics);
  if (!emitAll(diagnostics, context, resolution.options.hasRemarks) || !code)
    return false;
  dropHosts(*code);
  if (!findRoots(*code) || !importGraphs(*code))
    return false;
  rename(*code);
  return link(std::move(code));
}
