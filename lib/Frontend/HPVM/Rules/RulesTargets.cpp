//===- RulesTargets.cpp - Target hints ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints are lists of functions in named metadata. Rule H37 of
// docs/hpvm-rules.md.
//
//===----------------------------------------------------------------------===//

#include "../Import/ImportProgram.h"

#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::hpvm;

/// The target of a hint; nullopt if the hint is unknown or unsupported.
static std::optional<dfg::Target> targetOf(StringRef hint) {
  if (hint == "cpu")
    return dfg::Target::Cpu;
  if (hint == "gpu" || hint == "spir")
    return dfg::Target::Gpu;
  if (hint == "cpu_gpu" || hint == "cpu_spir")
    return dfg::Target::CpuOrGpu;
  return std::nullopt;
}

/// The reason why a hint cannot be followed.
static std::string refusal(StringRef hint) {
  std::string upper = hint.upper();
  if (hint == "cudnn" || hint == "promise" || hint == "tensor")
    return "target " + upper +
           " runs tensor operations of ApproxHPVM and is not supported; use "
           "CPU, GPU or CPU_OR_GPU";
  return "unknown target hint " + quoted("hpvm_hint_" + hint) +
         "; the hints are cpu, gpu, cpu_gpu, spir and cpu_spir";
}

/// The function that an entry of a hint's list names; null if it names none.
static Function *functionOf(const MDNode *node) {
  if (!node || node->getNumOperands() == 0)
    return nullptr;
  auto *value = dyn_cast_or_null<ValueAsMetadata>(node->getOperand(0).get());
  return value ? dyn_cast<Function>(
                     value->getValue()->stripPointerCastsAndAliases())
               : nullptr;
}

void sluice::hpvm::checkTargets(CanonicalProgram &program) {
  DenseMap<Function *, StringRef> hints;
  for (NamedMDNode &list : program.module.named_metadata()) {
    StringRef hint = list.getName();
    if (!hint.consume_front("hpvm_hint_"))
      continue;
    std::optional<dfg::Target> target = targetOf(hint);
    for (const MDNode *entry : list.operands()) {
      Function *function = functionOf(entry);
      if (!function) {
        program.diagnostics.error(
            {},
            "an entry of " + quoted(list.getName()) +
                " names no function; write '!{ptr @function}'",
            "H37");
        continue;
      }
      if (!target) {
        program.diagnostics.error(placeOf(*function),
                                  "the hint of " +
                                      quoted(displayName(*function)) + ": " +
                                      refusal(hint),
                                  "H37");
        continue;
      }
      auto [it, isNew] = hints.insert({function, hint});
      if (!isNew && it->second != hint)
        program.diagnostics.error(
            placeOf(*function),
            quoted(displayName(*function)) + " has two target hints, " +
                quoted(it->second) + " and " + quoted(hint) +
                "; give each node function one",
            "H37");
      if (NodeFunction *node = program.lookUp(function))
        node->target = *target;
    }
  }
}
