//===- CCopy.cpp - A C kernel specialised for one task --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with constant extents are much faster if the kernel is compiled for
// them. Each task gets a copy of its kernel with its own constants, unless the
// copy becomes too large.
//
//===----------------------------------------------------------------------===//

#include "CCopy.h"
#include "sluice/Analysis/Leaf/PassAnalyses.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::driver;
using codegen::CSignature;
using Kind = CSignature::Parameter::Kind;

/// The maximum number of instructions in a copy of a kernel after inlining.
static constexpr size_t maxInlined = 20000;

/// All functions that `kernel` reaches by direct calls.
static SmallPtrSet<const GlobalValue *, 16> reachable(const Function &kernel) {
  SmallPtrSet<const GlobalValue *, 16> seen{&kernel};
  SmallVector<const Function *> open{&kernel};
  while (!open.empty())
    for (const Instruction &instruction : instructions(*open.pop_back_val())) {
      auto *call = dyn_cast<CallBase>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && seen.insert(callee).second)
        open.push_back(callee);
    }
  return seen;
}

/// Sets the numbers that this task passes to the kernel.
static void specialise(Function &copy, dfg::TaskOp task,
                       const CSignature &signature, ArrayRef<CSlot> slots) {
  for (auto [index, parameter] : enumerate(signature.parameters)) {
    bool isNumber = parameter.kind == Kind::Offset ||
                    parameter.kind == Kind::Extent ||
                    parameter.kind == Kind::Stride;
    Argument *argument = copy.getArg(index);
    std::optional<APInt> constant;
    if (parameter.kind == Kind::Value && argument->getType()->isIntegerTy())
      constant = constantOf(task, parameter.argument);
    if (constant) {
      unsigned bits = argument->getType()->getIntegerBitWidth();
      argument->replaceAllUsesWith(ConstantInt::get(
          argument->getType(), slots[index].parameter.isSigned
                                   ? constant->sextOrTrunc(bits)
                                   : constant->zextOrTrunc(bits)));
    }
    if (isNumber && argument->getType()->isIntegerTy())
      argument->replaceAllUsesWith(
          ConstantInt::getSigned(argument->getType(), slots[index].value));
  }
}

static void optimise(Module &module) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = false;
  PassAnalyses analyses(tuning);
  analyses.builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1)
      .run(module, analyses.modules);
}

/// The number of instructions of a function with all its calls inlined, or the
/// limit. Recursive functions count once.
static size_t inlinedSize(const Function &function,
                          DenseMap<const Function *, size_t> &known) {
  auto [entry, isNew] = known.try_emplace(&function, 0);
  if (!isNew)
    return entry->second;
  size_t size = 0;
  for (const Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    size +=
        callee && !callee->isDeclaration() ? inlinedSize(*callee, known) : 1;
    if (size >= maxInlined)
      break;
  }
  return known[&function] = std::min(size, maxInlined);
}

/// Otherwise, LLVM may add loads that the source does not make, because they
/// are harmless.
static void dropDereferenceable(Function &function) {
  for (Argument &argument : function.args())
    function.removeParamAttr(argument.getArgNo(), Attribute::Dereferenceable);
  for (Instruction &instruction : instructions(function)) {
    instruction.setMetadata(LLVMContext::MD_dereferenceable, nullptr);
    if (auto *call = dyn_cast<CallBase>(&instruction))
      for (unsigned i = 0; i != call->arg_size(); ++i)
        call->removeParamAttr(i, Attribute::Dereferenceable);
  }
}

std::unique_ptr<Module> driver::copyForTask(const Function &kernel,
                                            dfg::TaskOp task,
                                            const CSignature &signature,
                                            ArrayRef<CSlot> slots) {
  SmallPtrSet<const GlobalValue *, 16> kept = reachable(kernel);
  ValueToValueMapTy values;
  std::unique_ptr<Module> module =
      CloneModule(*kernel.getParent(), values, [&](const GlobalValue *value) {
        return kept.contains(value) || isa<GlobalVariable>(value);
      });
  auto *copy = cast<Function>(values[&kernel]);
  DenseMap<const Function *, size_t> sizes;
  bool isSmall = inlinedSize(*copy, sizes) < maxInlined;
  for (Function &function : *module) {
    if (function.isDeclaration())
      continue;
    function.removeFnAttr(Attribute::OptimizeNone);
    function.removeFnAttr(Attribute::NoInline);
    dropDereferenceable(function);
    function.setComdat(nullptr);
    // Functions without a caller would be removed.
    function.setLinkage(&function == copy ? GlobalValue::ExternalLinkage
                                          : GlobalValue::InternalLinkage);
    if (&function != copy && isSmall)
      function.addFnAttr(Attribute::AlwaysInline);
  }
  specialise(*copy, task, signature, slots);
  optimise(*module);
  return module;
}
