//===- AnalysedKernel.cpp - A kernel as the host analyses it --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnalysedKernel.h"
#include "../NeutralForm.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::codegen;

AnalysedKernel::AnalysedKernel(Function &kernel, const DeviceNode &device)
    : function(CloneFunction(&kernel, map)), library(Triple()),
      libraryInfo(library, function) {
  joinGlobalIds();
  assumeInside(device);
  dominators.recalculate(*function);
  postDominators.recalculate(*function);
  loops.analyze(dominators);
  cache.emplace(*function);
  evolution.emplace(*function, libraryInfo, *cache, dominators, loops);
  for (Instruction &inst : instructions(*function))
    if (builtinDimension(&inst, Builtin::Global))
      globalIds.push_back(&inst);
}

AnalysedKernel::~AnalysedKernel() {
  evolution.reset();
  cache.reset();
  function->eraseFromParent();
}

/// group(d) * items(d) + item(d) becomes sluice.device.global(d).
void AnalysedKernel::joinGlobalIds() {
  using namespace PatternMatch;
  for (Instruction &inst : make_early_inc_range(instructions(*function))) {
    Value *group, *items, *item;
    if (!match(&inst,
               m_c_Add(m_c_Mul(m_Value(group), m_Value(items)), m_Value(item))))
      continue;
    std::optional<unsigned> d = builtinDimension(group, Builtin::Group);
    if (!d)
      std::swap(group, items);
    d = builtinDimension(group, Builtin::Group);
    if (!d || builtinDimension(items, Builtin::Items) != d ||
        builtinDimension(item, Builtin::Item) != d)
      continue;
    IRBuilder<> b(&inst);
    inst.replaceAllUsesWith(emitBuiltin(b, Builtin::Global, *d));
  }
}

/// The dimension if `id` is the number of an item in the grid, and `end` the
/// number of items in it, or of this share of them.
static std::optional<unsigned> limitedDimension(Value *id, Value *end,
                                                const DeviceNode &device) {
  using namespace PatternMatch;
  auto parameterOf = [&](Value *value) -> const DeviceParameter * {
    auto *argument = dyn_cast<Argument>(value);
    unsigned number = 0;
    for (const DeviceParameter &parameter : device.parameters) {
      if (argument && argument->getArgNo() == number)
        return &parameter;
      number += parameter.kind == SLUICE_DEVICE_POINTER ||
                        parameter.kind == SLUICE_DEVICE_ARRAY
                    ? 2
                    : 1;
    }
    return nullptr;
  };
  const DeviceParameter *limit = parameterOf(end);
  if (!limit || device.isGrouped)
    return std::nullopt;
  Value *global = id, *first;
  if (limit->kind == SLUICE_DEVICE_END) {
    if (!match(id, m_c_Add(m_Value(global), m_Value(first))))
      return std::nullopt;
    if (!builtinDimension(global, Builtin::Global))
      std::swap(global, first);
    const DeviceParameter *start = parameterOf(first);
    if (!start || start->kind != SLUICE_DEVICE_FIRST)
      return std::nullopt;
  }
  std::optional<unsigned> d = builtinDimension(global, Builtin::Global);
  bool isLimit = d && (limit->kind == SLUICE_DEVICE_END
                           ? *d + 1 == device.numGridDims
                           : limit->kind == SLUICE_DEVICE_EXTENT &&
                                 *d + 1 != device.numGridDims &&
                                 limit->index == 3 * device.gridLevel + *d);
  return isLimit ? d : std::nullopt;
}

/// Items beyond the grid do nothing, so what is asked of them is dropped.
void AnalysedKernel::assumeInside(const DeviceNode &device) {
  for (Instruction &inst : make_early_inc_range(instructions(*function))) {
    auto *compare = dyn_cast<ICmpInst>(&inst);
    if (!compare)
      continue;
    Value *id = compare->getOperand(0), *end = compare->getOperand(1);
    CmpInst::Predicate predicate = compare->getPredicate();
    if (isa<Argument>(id)) {
      std::swap(id, end);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    if (!limitedDimension(id, end, device))
      continue;
    switch (predicate) {
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLE:
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_NE:
      compare->replaceAllUsesWith(ConstantInt::getTrue(compare->getType()));
      break;
    case CmpInst::ICMP_SGE:
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_UGT:
    case CmpInst::ICMP_EQ:
      compare->replaceAllUsesWith(ConstantInt::getFalse(compare->getType()));
      break;
    default:
      break;
    }
  }
  const SimplifyQuery query(function->getDataLayout());
  for (Instruction &inst : instructions(*function))
    if (Value *simple = simplifyInstruction(&inst, query))
      inst.replaceAllUsesWith(simple);
  for (BasicBlock &block : *function)
    ConstantFoldTerminator(&block);
  removeUnreachableBlocks(*function);
}

const SCEV *AnalysedKernel::atNext(const SCEV *expression, unsigned dimension) {
  ValueToSCEVMapTy next;
  for (Instruction &inst : instructions(*function))
    if (builtinDimension(&inst, Builtin::Global) == dimension)
      next[&inst] = evolution->getAddExpr(evolution->getUnknown(&inst),
                                          evolution->getOne(inst.getType()));
  return SCEVParameterRewriter::rewrite(expression, *evolution, next);
}
