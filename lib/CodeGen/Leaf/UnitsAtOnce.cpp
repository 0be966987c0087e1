//===- UnitsAtOnce.cpp - How many units a kernel runs at once -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes leave an attribute with the functions that they change. The metadata
// of a kernel name its number.
//
//===----------------------------------------------------------------------===//

#include "UnitsAtOnce.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace sluice::codegen {

static constexpr StringLiteral atOnceAttribute = "sluice-instances-at-once";
static constexpr StringLiteral atOnceMetadata = "sluice.units.at.once";

static GlobalVariable *numberOf(const Function &kernel) {
  const MDNode *known = kernel.getMetadata(atOnceMetadata);
  return known ? mdconst::dyn_extract_or_null<GlobalVariable>(
                     known->getOperand(0))
               : nullptr;
}

GlobalVariable *unitsAtOnceOf(Function &kernel, const Twine &name) {
  if (GlobalVariable *known = numberOf(kernel))
    return known;
  Type *type = Type::getInt32Ty(kernel.getContext());
  auto *number = new GlobalVariable(
      *kernel.getParent(), type, /*isConstant=*/true,
      GlobalValue::InternalLinkage, ConstantInt::get(type, 1), name);
  kernel.setMetadata(
      atOnceMetadata,
      MDNode::get(kernel.getContext(), ConstantAsMetadata::get(number)));
  return number;
}

void noteInstancesAtOnce(Function &function, unsigned count) {
  const uint64_t before =
      function.getFnAttributeAsParsedInteger(atOnceAttribute, /*Default=*/1);
  function.addFnAttr(atOnceAttribute,
                     utostr(std::max<uint64_t>(before, count)));
}

static uint64_t mostAtOnce(Function &kernel) {
  uint64_t most = 1;
  SmallSetVector<Function *, 8> functions;
  functions.insert(&kernel);
  for (unsigned i = 0; i != functions.size(); ++i) {
    Function &function = *functions[i];
    most = std::max(most,
                    function.getFnAttributeAsParsedInteger(atOnceAttribute, 1));
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction())
          functions.insert(callee);
  }
  return most;
}

PreservedAnalyses StoreUnitsAtOnce::run(Module &module,
                                        ModuleAnalysisManager &) {
  for (Function &kernel : module)
    if (GlobalVariable *number = numberOf(kernel))
      number->setInitializer(
          ConstantInt::get(number->getValueType(), mostAtOnce(kernel)));
  return PreservedAnalyses::all();
}

} // namespace sluice::codegen
