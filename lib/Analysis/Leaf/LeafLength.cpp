//===- LeafLength.cpp - Leaves without loops ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a leaf without loops is roughly proportional to its number of
// instructions. Code generation starts short leaves without the overhead that
// long ones need, and two short stages of a stream are merged. Both get the
// length of a leaf from this file.
//
//===----------------------------------------------------------------------===//

#include "sluice/Analysis/LeafLength.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

using Lengths = DenseMap<const Function *, std::optional<unsigned>>;

static std::optional<unsigned> lengthOf(const Function &function,
                                        Lengths &known) {
  // Until the length is known, the function may turn out to be recursive.
  if (auto [entry, isNew] = known.insert({&function, std::nullopt}); !isNew)
    return entry->second;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
  FindFunctionBackedges(function, edges);
  if (!edges.empty())
    return std::nullopt;
  constexpr uint64_t most = UINT32_MAX;
  uint64_t length = 0;
  for (const Instruction &instruction : instructions(function)) {
    length = std::min(length + 1, most);
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    const Function *callee = call->getCalledFunction();
    if (callee && callee->isIntrinsic())
      continue;
    if (!callee || callee->isDeclaration())
      return std::nullopt;
    std::optional<unsigned> inner = lengthOf(*callee, known);
    if (!inner)
      return std::nullopt;
    length = std::min(length + *inner, most);
  }
  return known[&function] = length;
}

std::optional<unsigned> sluice::straightLineLength(const Function &function) {
  Lengths known;
  return lengthOf(function, known);
}
