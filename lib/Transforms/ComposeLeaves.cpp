//===- ComposeLeaves.cpp - New leaves made of leaves ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts are inlined here, and not by a later pass: code generation looks
// for allocations and queries in the leaf itself, and its estimate of the cost
// counts the leaf's instructions.
//
//===----------------------------------------------------------------------===//

#include "ComposeLeaves.h"

#include "sluice/Analysis/TargetAttributes.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::transforms;

/// Marks leaves that the transforms made.
static constexpr StringLiteral composedAttribute = "sluice.composed";

bool transforms::isComposed(const Function &leaf) {
  return leaf.hasFnAttribute(composedAttribute);
}

bool transforms::canCompose(Function &leaf) {
  return !leaf.isDeclaration() && !leaf.isVarArg() &&
         (leaf.getReturnType()->isStructTy() ||
          leaf.getReturnType()->isVoidTy()) &&
         !leaf.hasFnAttribute(Attribute::Naked) &&
         !leaf.hasFnAttribute(Attribute::StrictFP) &&
         isInlineViable(leaf).isSuccess();
}

bool transforms::handleExceptionsAlike(const Function &first,
                                       const Function &second) {
  return !first.hasPersonalityFn() || !second.hasPersonalityFn() ||
         first.getPersonalityFn() == second.getPersonalityFn();
}

bool transforms::canCompose(Function &first, Function &second) {
  return handleExceptionsAlike(first, second) && canCompose(first) &&
         canCompose(second) &&
         llvm::all_of(targetAttributes(), [&](StringRef name) {
           return first.getFnAttribute(name) == second.getFnAttribute(name);
         });
}

namespace {
class Composer {
public:
  Composer(ArrayRef<LeafPart> parts, ArrayRef<LeafOutput> outputs)
      : parts(parts), outputs(outputs),
        module(*parts.front().leaf->getParent()) {}

  Function *run(StringRef name);

private:
  void declare(StringRef name);
  void describeForDebugger();
  Value *convert(Value *value, Type *type);

  ArrayRef<LeafPart> parts;
  ArrayRef<LeafOutput> outputs;
  Module &module;
  Function *function = nullptr;
  std::unique_ptr<IRBuilder<>> builder;
};
} // namespace

static Type *outputType(const LeafPart &part, unsigned index) {
  return cast<StructType>(part.leaf->getReturnType())->getElementType(index);
}

void Composer::declare(StringRef name) {
  SmallVector<Type *> inputTypes, outputTypes;
  SmallVector<Argument *> origins;
  for (const LeafPart &part : parts)
    for (auto [position, input] : enumerate(part.inputs)) {
      if (input.part >= 0 || input.index == LeafInput::noIndex)
        continue;
      if (input.index >= origins.size())
        origins.resize(input.index + 1);
      if (!origins[input.index])
        origins[input.index] = part.leaf->getArg(position);
    }
  for (Argument *origin : origins)
    inputTypes.push_back(origin->getType());
  for (const LeafOutput &output : outputs)
    outputTypes.push_back(outputType(parts[output.part], output.index));
  auto *type =
      FunctionType::get(StructType::get(module.getContext(), outputTypes),
                        inputTypes, /*isVarArg=*/false);
  function = Function::Create(type, GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(composedAttribute);
  copyTargetAttributes(*parts.front().leaf, *function);
  for (const LeafPart &part : parts)
    if (part.leaf->hasUWTable())
      function->setUWTableKind(part.leaf->getUWTableKind());
  for (auto [argument, origin] : zip(function->args(), origins))
    argument.setName(origin->getName());
  // If several parts take one parameter, the new one has the accesses of all of
  // them.
  for (const LeafPart &part : parts)
    for (auto [position, input] : enumerate(part.inputs))
      if (input.part < 0 && input.index != LeafInput::noIndex)
        for (StringRef kind : {"hpvm.in", "hpvm.out"})
          if (part.leaf->getAttributes().hasParamAttr(position, kind))
            function->addParamAttr(input.index,
                                   Attribute::get(module.getContext(), kind));
}

void Composer::describeForDebugger() {
  DISubprogram *leaf = parts.front().leaf->getSubprogram();
  if (!leaf)
    return;
  DIBuilder debug(module, false, leaf->getUnit());
  function->setSubprogram(debug.createFunction(
      leaf->getFile(), function->getName(), function->getName(),
      leaf->getFile(), leaf->getLine(),
      debug.createSubroutineType(debug.getOrCreateTypeArray({})),
      leaf->getLine(), DINode::FlagArtificial,
      DISubprogram::toSPFlags(true, true, true)));
  debug.finalizeSubprogram(function->getSubprogram());
  builder->SetCurrentDebugLocation(DILocation::get(
      module.getContext(), leaf->getLine(), 0, function->getSubprogram()));
}

/// Converts between struct types with equal fields, which may have different
/// names in the leaves.
Value *Composer::convert(Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  BasicBlock &entry = function->getEntryBlock();
  IRBuilder<> top(&entry, entry.begin());
  AllocaInst *slot = top.CreateAlloca(value->getType());
  builder->CreateStore(value, slot);
  return builder->CreateLoad(type, slot);
}

Function *Composer::run(StringRef name) {
  declare(name);
  builder = std::make_unique<IRBuilder<>>(
      BasicBlock::Create(module.getContext(), "entry", function));
  describeForDebugger();
  SmallVector<CallInst *> calls;
  for (const LeafPart &part : parts) {
    SmallVector<Value *> arguments;
    for (auto [position, input] : enumerate(part.inputs)) {
      Type *type = part.leaf->getArg(position)->getType();
      Value *value =
          input.part >= 0
              ? builder->CreateExtractValue(calls[input.part], input.index)
          : input.index == LeafInput::noIndex
              ? cast<Value>(Constant::getNullValue(type))
              : function->getArg(input.index);
      arguments.push_back(convert(value, type));
    }
    calls.push_back(builder->CreateCall(part.leaf, arguments));
  }
  Value *result = PoisonValue::get(function->getReturnType());
  for (auto [position, output] : enumerate(outputs))
    result = builder->CreateInsertValue(
        result, builder->CreateExtractValue(calls[output.part], output.index),
        position);
  builder->CreateRet(result);
  for (CallInst *call : calls) {
    InlineFunctionInfo info;
    InlineResult inlined = InlineFunction(*call, info);
    assert(inlined.isSuccess() && "canCompose holds for every part");
    (void)inlined;
  }
  return function;
}

Function *transforms::composeLeaves(ArrayRef<LeafPart> parts,
                                    ArrayRef<LeafOutput> outputs,
                                    StringRef name) {
  return Composer(parts, outputs).run(name);
}
