//===- Debugging.cpp - Debug information of generated code ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sluice/CodeGen/Debugging.h"

#include "ArtificialFunction.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace sluice::codegen {

DILocation *describeArtificial(Function &function, StringRef name,
                               const DISubprogram &model) {
  DIBuilder builder(*function.getParent(), false, model.getUnit());
  DISubprogram *program = builder.createFunction(
      model.getFile(), name, name, model.getFile(), model.getLine(),
      builder.createSubroutineType(builder.getOrCreateTypeArray({})),
      model.getLine(), DINode::FlagArtificial,
      DISubprogram::toSPFlags(true, true, true));
  builder.finalizeSubprogram(program);
  function.setSubprogram(program);
  return DILocation::get(function.getContext(), model.getLine(), 0, program);
}

/// The debug information of the function that `function` calls.
static const DISubprogram *calledProgram(const Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&instruction))
      if (const Function *callee = call->getCalledFunction())
        if (const DISubprogram *program = callee->getSubprogram())
          return program;
  return nullptr;
}

void describeCaller(Function &function) {
  if (!function.getSubprogram())
    if (const DISubprogram *model = calledProgram(function))
      describeArtificial(function, function.getName(), *model);
  DISubprogram *program = function.getSubprogram();
  if (!program)
    return;
  auto *place =
      DILocation::get(function.getContext(), program->getLine(), 0, program);
  for (Instruction &instruction : instructions(function))
    if (!instruction.getDebugLoc() && !isa<AllocaInst>(instruction))
      instruction.setDebugLoc(place);
}

} // namespace sluice::codegen
