//===- HPVMSharing.cpp - Sources with both graphs and C kernels -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source that is also listed for C kernels is compiled for both. Functions
// and variables with external linkage then exist once: in the code of the C
// kernels. Static variables exist twice, which is correct unless both sides use
// them.
//
//===----------------------------------------------------------------------===//

#include "HPVMProgram.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;

/// True if it may be written: it has uses other than loads.
static bool mayChange(const Value &value) {
  return any_of(value.users(), [](const User *user) {
    if (isa<GEPOperator>(user) || isa<CastInst>(user))
      return mayChange(*user);
    return !isa<LoadInst>(user);
  });
}

/// All globals that `roots` use, directly or indirectly.
static SetVector<const Constant *> reached(ArrayRef<const Constant *> roots) {
  SetVector<const Constant *> all(roots.begin(), roots.end());
  auto add = [&](const User &user) {
    for (const Use &operand : user.operands())
      if (auto *constant = dyn_cast<Constant>(operand))
        all.insert(constant);
  };
  for (size_t i = 0; i != all.size(); ++i) {
    const Constant *constant = all[i];
    add(*constant);
    if (auto *function = dyn_cast<Function>(constant))
      for (const Instruction &instruction : instructions(*function))
        add(instruction);
  }
  return all;
}

/// Names of the static variables that may change. Must be called while the
/// module still has all of its functions.
static StringSet<> statesOf(const Module &code) {
  StringSet<> names;
  for (const GlobalVariable &variable : code.globals())
    if (variable.hasLocalLinkage() && !variable.isConstant() &&
        mayChange(variable))
      names.insert(variable.getName());
  return names;
}

/// Leaves a declaration if the C kernels also contain the definition.
static bool takeFrom(const Module &others, GlobalValue &value) {
  const GlobalValue *other = others.getNamedValue(value.getName());
  if (!other || other->isDeclaration() || other->hasLocalLinkage() ||
      value.isDeclaration() || !value.hasExternalLinkage())
    return false;
  if (auto *function = dyn_cast<Function>(&value)) {
    function->deleteBody();
    function->setComdat(nullptr);
    return true;
  }
  auto *variable = dyn_cast<GlobalVariable>(&value);
  if (!variable)
    return false;
  variable->setInitializer(nullptr);
  variable->setComdat(nullptr);
  return true;
}

bool HPVMProgram::isForCKernels() const {
  return any_of(resolution.codeFiles, [&](const std::string &file) {
    return sys::fs::equivalent(file, path);
  });
}

bool HPVMProgram::shareWithCKernels(Module &code, const StringSet<> &leaves) {
  StringSet<> states = statesOf(code), mine;
  SmallVector<const Constant *> shared, own;
  for (GlobalValue &value : code.global_values())
    if (leaves.contains(value.getName()))
      own.push_back(&value);
    else if (takeFrom(resolution.code, value))
      shared.push_back(resolution.code.getNamedValue(value.getName()));
  for (const Constant *constant : reached(own))
    if (states.contains(constant->getName()))
      mine.insert(constant->getName());
  auto common = [&](ArrayRef<const Constant *> roots) {
    for (const Constant *constant : reached(roots))
      if (mine.contains(constant->getName()))
        return constant->getName().str();
    return std::string();
  };
  std::string state = common(shared);
  dfg::TaskOp user;
  for (dfg::TaskOp task : resolution.order.tasks) {
    Function *kernel = task.getKind() == dfg::TaskKind::C
                           ? resolution.code.getFunction(task.getCallee())
                           : nullptr;
    if (std::string name = kernel ? common(kernel) : ""; !name.empty()) {
      state = name;
      user = task;
      break;
    }
  }
  if (state.empty())
    return true;
  mlir::InFlightDiagnostic error = firstTask.emitError();
  error << "graphs and C kernels of '" << path << "' use the static variable '"
        << state << "', and each would have one of its own; remove 'static', "
        << "or give the graph and the kernel a source each";
  if (user)
    error.attachNote(user.getLoc())
        << "'" << user.getCallee() << "' uses it here";
  return false;
}
