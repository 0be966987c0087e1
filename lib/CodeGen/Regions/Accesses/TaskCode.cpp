//===- TaskCode.cpp - Simplified code of tasks ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program states about a domain replaces loads of its members, so that
// ScalarEvolution sees one value for each bound.
//
//===----------------------------------------------------------------------===//

#include "TaskCode.h"
#include "../Source.h"
#include "sluice-c/Tasks.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/InferFunctionAttrs.h"
#include "llvm/Transforms/IPO/ModuleInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

GivenFields codegen::givenFields(const RegionStatement &statement,
                                 const Function &function) {
  GivenFields fields;
  unsigned next = 1;
  for (const RegionArgument &argument : statement.arguments) {
    if (!isParameter(argument))
      continue;
    if (argument.kind != RegionArgument::Region) {
      ++next;
      continue;
    }
    const unsigned domain = next + argument.fields.size();
    if (domain >= function.arg_size())
      return GivenFields();
    for (unsigned field : argument.fields)
      fields[function.getArg(next++)] = {&argument, field,
                                         function.getArg(domain)};
    ++next;
  }
  if (next != function.arg_size())
    fields.clear();
  return fields;
}

std::optional<std::pair<Argument *, uint64_t>>
codegen::placeOfMember(const LoadInst &load) {
  if (!load.getType()->isIntegerTy(64))
    return std::nullopt;
  const DataLayout &layout = load.getDataLayout();
  APInt offset(64, 0);
  const Value *base =
      load.getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
  auto *argument = dyn_cast<Argument>(base);
  if (!argument)
    return std::nullopt;
  return std::pair(const_cast<Argument *>(argument), offset.getZExtValue());
}

std::optional<unsigned> codegen::dimensionAt(uint64_t offset, size_t begin) {
  if (offset < begin || offset >= begin + sizeof(SluiceDomain::lower))
    return std::nullopt;
  return (offset - begin) / sizeof(int64_t);
}

std::optional<int64_t> codegen::knownExtent(const RegionRoot &root,
                                            unsigned d) {
  if (d >= root.extents.size())
    return 1;
  const Extent &extent = root.extents[d];
  if (extent.parameter != noIndex || !extent.terms.empty())
    return std::nullopt;
  return extent.constant;
}

DenseMap<unsigned, Value *>
codegen::givenParameters(const RegionStatement &statement, Function &function) {
  DenseMap<unsigned, Value *> given;
  unsigned next = 1;
  for (const RegionArgument &argument : statement.arguments) {
    if (!isParameter(argument))
      continue;
    if (argument.kind == RegionArgument::Region)
      next += argument.fields.size();
    if (argument.kind == RegionArgument::Parameter &&
        function.getArg(next)->getType()->isIntegerTy(64))
      given[argument.parameter] = function.getArg(next);
    ++next;
  }
  return given;
}

/// Leaves one load of each bound, with numbers for those that the program
/// states, and strides as products of extents.
static void nameBounds(const RegionModel &program,
                       const RegionStatement &statement,
                       const GivenFields &fields, Function &function) {
  DenseMap<const Argument *, const RegionRoot *> roots;
  for (const GivenField &given : make_second_range(fields))
    roots[given.domain] = &program.roots[given.argument->root];
  IRBuilder<> builder(&function.getEntryBlock(),
                      function.getEntryBlock().getFirstInsertionPt());
  DenseMap<std::pair<const Argument *, uint64_t>, Value *> named;
  auto member = [&](Argument *domain, uint64_t offset) {
    Value *&value = named[{domain, offset}];
    if (!value)
      value = builder.CreateLoad(
          builder.getInt64Ty(),
          builder.CreateConstGEP1_64(builder.getInt8Ty(), domain, offset));
    return value;
  };
  DenseMap<unsigned, Value *> parameters = givenParameters(statement, function);
  auto extent = [&](Argument *domain, const RegionRoot &root,
                    unsigned d) -> Value * {
    if (std::optional<int64_t> known = knownExtent(root, d))
      return builder.getInt64(*known);
    Value *&value = parameters[root.extents[d].parameter];
    if (!value)
      value =
          member(domain, offsetof(SluiceDomain, extent) + d * sizeof(int64_t));
    return value;
  };
  std::vector<LoadInst *> loads;
  for (Instruction &instruction : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      loads.push_back(load);
  for (LoadInst *load : loads) {
    auto place = placeOfMember(*load);
    auto root = place ? roots.find(place->first) : roots.end();
    if (root == roots.end())
      continue;
    const auto [domain, offset] = *place;
    const size_t rank = root->second->extents.size();
    Value *value = nullptr;
    if (auto d = dimensionAt(offset, offsetof(SluiceDomain, extent))) {
      value = extent(domain, *root->second, *d);
    } else if (auto d = dimensionAt(offset, offsetof(SluiceDomain, stride));
               d && *d < rank) {
      value = builder.getInt64(1);
      for (size_t each = *d + 1; each < rank; ++each)
        value = builder.CreateMul(value, extent(domain, *root->second, each));
    } else if (auto d = dimensionAt(offset, offsetof(SluiceDomain, lower))) {
      value = *d < rank ? member(domain, offset) : builder.getInt64(0);
    } else if (auto d = dimensionAt(offset, offsetof(SluiceDomain, upper))) {
      value = *d < rank ? member(domain, offset) : builder.getInt64(1);
    }
    if (value)
      load->replaceAllUsesWith(value);
  }
}

static void keepTasks(Module &code, const SmallPtrSetImpl<Function *> &tasks) {
  for (GlobalObject &object : code.global_objects()) {
    auto *function = dyn_cast<Function>(&object);
    if (object.isDeclaration() || object.hasAppendingLinkage() ||
        (function && tasks.contains(function)))
      continue;
    object.setComdat(nullptr);
    object.setVisibility(GlobalValue::DefaultVisibility);
    object.setLinkage(GlobalValue::InternalLinkage);
  }
  for (Function *task : tasks)
    for (Argument &argument : task->args())
      if (argument.getType()->isPointerTy())
        argument.addAttr(Attribute::NoAlias);
}

void codegen::inlineTasks(Module &code,
                          const SmallPtrSetImpl<Function *> &tasks,
                          ModuleAnalysisManager &analyses) {
  keepTasks(code, tasks);
  FunctionPassManager early, late;
  early.addPass(SROAPass(SROAOptions::ModifyCFG));
  early.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  early.addPass(SimplifyCFGPass());
  late.addPass(SROAPass(SROAOptions::ModifyCFG));
  late.addPass(InstCombinePass());
  ModulePassManager passes;
  passes.addPass(GlobalDCEPass());
  passes.addPass(InferFunctionAttrsPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(early)));
  passes.addPass(ModuleInlinerPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(late)));
  passes.run(code, analyses);
}

void codegen::simplifyTask(const RegionModel &program,
                           const RegionStatement &statement,
                           const GivenFields &fields, Function &task,
                           FunctionAnalysisManager &analyses) {
  nameBounds(program, statement, fields, task);
  FunctionPassManager passes;
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.run(task, analyses);
}
