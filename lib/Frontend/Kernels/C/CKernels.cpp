//===- CKernels.cpp - C functions of tasks --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the function of each task and checks it against the arguments. If IR or
// debug information has its prototype, this is used; otherwise, the tasks that
// call the function are compared with each other.
//
//===----------------------------------------------------------------------===//

#include "CAccess.h"
#include "CKernelFiles.h"
#include "CMatch.h"
#include "CPrune.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::CSignature;

namespace {
class Resolver {
public:
  Resolver(Resolution &resolution, ArrayRef<dfg::TaskOp> tasks)
      : resolution(resolution), tasks(tasks),
        files(resolution, std::vector<dfg::TaskOp>(tasks)) {}

  bool run();

private:
  std::optional<CSignature> resolve(dfg::TaskOp task);
  std::optional<CSignature> resolveCode(dfg::TaskOp task, Function &function);
  std::optional<CSignature> resolveUnknown(dfg::TaskOp task,
                                           const KernelFile &file);
  bool checkTypes(dfg::TaskOp task, const CSignature &signature,
                  const Function &function);
  bool checkAccesses(dfg::TaskOp task, const Function &function,
                     const CSignature &signature);

  Resolution &resolution;
  ArrayRef<dfg::TaskOp> tasks;
  KernelFiles files;
  /// The first task that calls a function of which only the name is known.
  StringMap<dfg::TaskOp> assumed;
  StringSet<> checkedAccesses;
};
} // namespace

/// Only arrays and scalars can be passed to C.
static bool checkKinds(dfg::TaskOp task) {
  for (const CArgument &argument : cArguments(task)) {
    if (argument.kind == CArgument::Kind::Object) {
      task.emitError() << "'" << argument.name
                       << "' is a Python dictionary, which C kernels do not "
                          "take";
      return false;
    }
    bool isNumber = argument.isFloat
                        ? is_contained({32u, 64u}, argument.bits)
                        : is_contained({8u, 16u, 32u, 64u}, argument.bits);
    if (!isNumber) {
      task.emitError() << "'" << argument.name
                       << "' has elements that C kernels do not take";
      return false;
    }
  }
  return true;
}

/// A C function whose parameters are passed as declared.
bool Resolver::checkTypes(dfg::TaskOp task, const CSignature &signature,
                          const Function &function) {
  SmallVector<Type *> types;
  for (const CSignature::Parameter &parameter : signature.parameters)
    types.push_back(parameter.type);
  Type *result = signature.result ? signature.result
                                  : Type::getVoidTy(function.getContext());
  if (function.getFunctionType() == FunctionType::get(result, types, false))
    return true;
  task.emitError() << "the code of '" << task.getCallee()
                   << "' takes other types than its debug information says; "
                      "compile it again";
  return false;
}

std::optional<CSignature> Resolver::resolveCode(dfg::TaskOp task,
                                                Function &function) {
  LLVMContext &context = resolution.code.getContext();
  std::optional<CSignature> signature =
      matchPrototype(task, prototypeOf(function), context);
  if (!signature || !checkTypes(task, *signature, function) ||
      !prepareKernel(function, task))
    return std::nullopt;
  if (task.getExtents() && signature->result) {
    task.emitError() << "'" << task.getCallee()
                     << "' returns a status, but the task is replicated and "
                        "has one for each instance; return nothing";
    return std::nullopt;
  }
  if (!checkAccesses(task, function, *signature))
    return std::nullopt;
  return signature;
}

/// Everything that the accesses of a task's kernel depend on.
static std::string accessKey(dfg::TaskOp task) {
  std::string key = task.getCallee().str();
  std::vector<CArgument> arguments = cArguments(task);
  for (auto [index, argument] : enumerate(arguments)) {
    unsigned number = unsigned(index), first = 0;
    while (arguments[first].name != argument.name)
      ++first;
    key += ";" + std::to_string(first) + "," +
           std::to_string(int(argument.access)) + "," +
           std::to_string(int(argument.kind));
    for (int64_t extent : argument.extents)
      key += "," + std::to_string(extent);
    for (int64_t stride : argument.strides)
      key += "," + std::to_string(stride);
    if (std::optional<APInt> constant = constantOf(task, number))
      key += "=" + toString(*constant, /*Radix=*/16, /*Signed=*/false);
  }
  return key;
}

/// Checks only one of the tasks that differ only in their datasets.
bool Resolver::checkAccesses(dfg::TaskOp task, const Function &function,
                             const CSignature &signature) {
  bool hasRemarks = resolution.options.hasRemarks;
  std::string key = accessKey(task);
  if (!hasRemarks && checkedAccesses.contains(key))
    return true;
  if (!driver::checkAccesses(task, function, signature, hasRemarks))
    return false;
  checkedAccesses.insert(key);
  return true;
}

std::optional<CSignature> Resolver::resolveUnknown(dfg::TaskOp task,
                                                   const KernelFile &file) {
  auto [entry, isFirst] = assumed.try_emplace(task.getCallee(), task);
  std::string mine = spellAssumed(task), other = spellAssumed(entry->second);
  // Names differ between tasks.
  auto types = [](dfg::TaskOp task) {
    std::string text = task.getReturnsStatus() ? "int" : "void";
    for (const CArgument &argument : cArguments(task))
      text += "," + std::to_string(int(argument.kind)) +
              spellElement(argument) + std::to_string(argument.extents.size());
    return text;
  };
  if (!isFirst && types(task) != types(entry->second)) {
    mlir::InFlightDiagnostic error = task.emitError();
    error << "calls '" << mine << "', but another task calls '" << other
          << "', and '" << file.written
          << "' does not say which is right; compile it with -g";
    error.attachNote(entry->second.getLoc()) << "the other task is here";
    return std::nullopt;
  }
  return assumeSignature(task, resolution.code.getContext());
}

std::optional<CSignature> Resolver::resolve(dfg::TaskOp task) {
  std::optional<KernelDefinition> found = files.find(task);
  if (!found)
    return std::nullopt;
  if (found->function)
    return resolveCode(task, *found->function);
  if (task.getExtents()) {
    task.emitError() << "is replicated, but '" << found->file->written
                     << "' is machine code; the kernels of replicated tasks "
                        "are compiled here, so name their source or bitcode";
    return std::nullopt;
  }
  if (const auto &prototype = found->symbol->prototype)
    return matchPrototype(task, *prototype, resolution.code.getContext());
  return resolveUnknown(task, *found->file);
}

bool Resolver::run() {
  bool isGood = true;
  for (dfg::TaskOp task : tasks)
    isGood &= checkKinds(task);
  if (!isGood || !files.read())
    return false;
  for (auto [number, known] : enumerate(resolution.order.tasks)) {
    dfg::TaskOp task = known;
    if (task.getKind() != dfg::TaskKind::C)
      continue;
    std::optional<CSignature> signature = resolve(task);
    if (signature)
      resolution.resolved[number].c = std::move(*signature);
    isGood &= signature.has_value();
  }
  return isGood;
}

bool driver::resolveCKernels(Resolution &resolution) {
  std::vector<dfg::TaskOp> tasks;
  for (dfg::TaskOp task : resolution.order.tasks)
    if (task.getKind() == dfg::TaskKind::C)
      tasks.push_back(task);
  return Resolver(resolution, tasks).run();
}
