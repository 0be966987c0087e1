//===- ComplexNumbers.cpp - Complex arithmetic in leaves ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexNumbers.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

#include <array>
#include <optional>

using namespace llvm;
using namespace sluice::codegen;

bool sluice::codegen::isComplexProduct(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && call.arg_size() == 4 &&
         !call.isStrictFP() &&
         (callee->getName() == "__mulsc3" || callee->getName() == "__muldc3");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Which part of the product `user` takes from it: 0 is the real one.
static std::optional<unsigned> partOf(const User *user) {
  if (const auto *extract = dyn_cast<ExtractValueInst>(user))
    return extract->getIndices()[0];
  uint64_t index;
  if (match(user,
            PatternMatch::m_ExtractElt(PatternMatch::m_Value(),
                                       PatternMatch::m_ConstantInt(index))) &&
      index < 2)
    return index;
  return std::nullopt;
}

/// Whether `block` ends by testing whether `number` is NaN, and only then
/// continues with `next`.
static bool endsWithTest(const BasicBlock &block, const BasicBlock *next,
                         const Value *number) {
  using namespace PatternMatch;
  const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  return branch && branch->isConditional() && branch->getSuccessor(0) == next &&
         branch->getSuccessor(1) != next &&
         match(branch->getCondition(),
               m_SpecificFCmp(FCmpInst::FCMP_UNO, m_Specific(number),
                              m_CombineOr(m_Specific(number), m_AnyZeroFP())));
}

/// Whether `call` runs where both parts of `near` are NaN and not otherwise:
/// its block follows two tests, and no other block joins it.
static bool runsForNaNs(const CallInst &call, const BasicBlock &join,
                        ArrayRef<Value *> near) {
  const BasicBlock *block = call.getParent(),
                   *second = block->getSinglePredecessor(),
                   *first = second ? second->getSinglePredecessor() : nullptr;
  return first &&
         all_of(predecessors(&join),
                [&](const BasicBlock *from) {
                  return from == first || from == second || from == block;
                }) &&
         any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned part) {
           return endsWithTest(*first, second, near[part]) &&
                  endsWithTest(*second, block, near[1 - part]);
         });
}

//     first:  real = ac - bd; imag = ad + bc; if real is NaN:
//     second:   if imag is NaN:
//     block:      product = __muldc3(a, b, c, d)
//     join:   phi [real, first], [real, second], [real of product, block]
SmallVector<CallInst *> sluice::codegen::rewriteComplexProduct(
    CallInst &call, function_ref<Function *(StringRef)> ours) {
  BasicBlock *block = call.getParent(), *join = block->getSingleSuccessor();
  if (!join)
    return {};
  // The phis of each part, and what they are without the call.
  std::array<SmallVector<PHINode *, 2>, 2> phis;
  std::array<Value *, 2> near = {};
  SmallVector<Instruction *, 2> extracts;
  for (User *user : call.users()) {
    std::optional<unsigned> part = partOf(user);
    if (!part)
      return {};
    extracts.push_back(cast<Instruction>(user));
    for (User *next : user->users()) {
      auto *phi = dyn_cast<PHINode>(next);
      if (!phi || phi->getParent() != join)
        return {};
      for (auto [from, value] : zip(phi->blocks(), phi->incoming_values())) {
        if (from == block && value == user)
          continue;
        if (from == block || (near[*part] && near[*part] != value))
          return {};
        near[*part] = value;
      }
      phis[*part].push_back(phi);
    }
  }
  const DominatorTree dominators(*block->getParent());
  auto isKnown = [&](Value *value) {
    auto *instruction = dyn_cast_or_null<Instruction>(value);
    return value && (!instruction || dominators.dominates(instruction, join));
  };
  if (!all_of(near, isKnown) || !all_of(call.args(), isKnown) ||
      !runsForNaNs(call, *join, near))
    return {};
  IRBuilder<> builder(join, join->getFirstInsertionPt());
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  SmallVector<Value *> operands(call.args());
  append_range(operands, near);
  SmallVector<CallInst *> made;
  for (unsigned part : {0, 1}) {
    if (phis[part].empty())
      continue;
    made.push_back(builder.CreateCall(
        ours(part ? "productImag" : "productReal"), operands));
    for (PHINode *phi : phis[part]) {
      phi->replaceAllUsesWith(made.back());
      phi->eraseFromParent();
    }
  }
  for (Instruction *extract : extracts)
    extract->eraseFromParent();
  call.eraseFromParent();
  return made;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static bool isPair(const Type *type) {
  const auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getNumElements() == 2 &&
         vector->getElementType()->isFloatTy();
}

void sluice::codegen::splitPairs(Function &function) {
  bool hasPairs = false;
  for (const Instruction &instruction : instructions(function)) {
    const Type *type = instruction.getType();
    if (const auto *store = dyn_cast<StoreInst>(&instruction))
      type = store->getValueOperand()->getType();
    if (type->isVectorTy() && !isPair(type))
      return;
    hasPairs |= isPair(type);
  }
  if (!hasPairs)
    return;
  FunctionAnalysisManager analyses;
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  analyses.registerPass([] { return TargetIRAnalysis(); });
  ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  ScalarizerPass(options).run(function, analyses);
}
