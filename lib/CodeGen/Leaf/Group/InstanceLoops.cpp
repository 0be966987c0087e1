//===- InstanceLoops.cpp - Loops over the instances of a box --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolling a loop over instances before vectorisation would leave nothing to
// vectorise, so unrolling is disabled until then (see Optimize.cpp).
//
//===----------------------------------------------------------------------===//

#include "InstanceLoops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace sluice::codegen {

static constexpr const char *marker = "sluice.instances";
static constexpr const char *extentMarker = "sluice.extent";
static constexpr const char *barrierMarker = "sluice.barriers";
static constexpr const char *shortMarker = "sluice.short";
/// LLVM does not vectorise loops that it assumes to be shorter.
static constexpr int64_t shortestRow = 16;

CountedLoop beginCountedLoop(IRBuilderBase &builder, Value *begin, Value *end,
                             const Twine &name, bool mayBeEmpty,
                             uint64_t step) {
  LLVMContext &context = builder.getContext();
  BasicBlock *before = builder.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *body = BasicBlock::Create(context, name, function);
  BasicBlock *next = BasicBlock::Create(context, name + ".next", function);
  BasicBlock *exit = BasicBlock::Create(context, name + ".end", function);
  if (mayBeEmpty)
    builder.CreateCondBr(builder.CreateICmpSLT(begin, end), body, exit);
  else
    builder.CreateBr(body);

  builder.SetInsertPoint(body);
  PHINode *index = builder.CreatePHI(begin->getType(), 2, name + ".index");
  index->addIncoming(begin, before);

  builder.SetInsertPoint(next);
  Value *increment = builder.CreateAdd(
      index, ConstantInt::get(begin->getType(), step), "", true, true);
  index->addIncoming(increment, next);
  // With an inequality test, the trip count can be derived without knowing the
  // start.
  Value *goesOn = step == 1 ? builder.CreateICmpNE(increment, end)
                            : builder.CreateICmpSLT(increment, end);
  BranchInst *latch = builder.CreateCondBr(goesOn, body, exit);
  builder.SetInsertPoint(body);
  return {index, next, latch, exit};
}

void endCountedLoop(IRBuilderBase &builder, const CountedLoop &loop) {
  builder.CreateBr(loop.next);
  builder.SetInsertPoint(loop.exit);
}

void markInstanceLoop(const CountedLoop &loop, MDNode *accessGroup,
                      std::optional<int64_t> extent, bool hasBarriers) {
  LLVMContext &context = loop.latch->getContext();
  auto property = [&](StringRef name) {
    return MDNode::get(context, MDString::get(context, name));
  };
  SmallVector<Metadata *> operands = {
      nullptr, property("llvm.loop.unroll.disable"), property(marker),
      MDNode::get(context,
                  {MDString::get(context, "llvm.loop.parallel_accesses"),
                   accessGroup})};
  if (hasBarriers)
    operands.push_back(property(barrierMarker));
  if (extent) {
    auto *number = ConstantInt::get(Type::getInt64Ty(context), *extent);
    operands.push_back(
        MDNode::get(context, {MDString::get(context, extentMarker),
                              ConstantAsMetadata::get(number)}));
    // Loops over short rows must not be annotated with more rounds than the
    // rows have.
    if (*extent >= shortestRow && *extent <= INT32_MAX)
      operands.push_back(MDNode::get(
          context, {MDString::get(context, LLVMLoopEstimatedTripCount),
                    ConstantAsMetadata::get(ConstantInt::get(
                        Type::getInt32Ty(context), *extent))}));
  }
  MDNode *id = MDNode::getDistinct(context, operands);
  id->replaceOperandWith(0, id);
  loop.latch->setMetadata(LLVMContext::MD_loop, id);
}

MDNode *rareLoopId(LLVMContext &context, const MDNode *loopId) {
  SmallVector<Metadata *> operands{nullptr};
  if (loopId)
    for (const MDOperand &operand : drop_begin(loopId->operands()))
      if (!isInstanceMark(operand.get()))
        operands.push_back(operand.get());
  operands.push_back(MDNode::get(
      context, {MDString::get(context, "llvm.loop.vectorize.enable"),
                ConstantAsMetadata::get(ConstantInt::getFalse(context))}));
  MDNode *id = MDNode::getDistinct(context, operands);
  id->replaceOperandWith(0, id);
  return id;
}

MDNode *shortLoopId(MDNode &loopId) {
  LLVMContext &context = loopId.getContext();
  return makePostTransformationMetadata(
      context, &loopId, {},
      {MDNode::get(context, MDString::get(context, shortMarker))});
}

bool isShortLoop(const MDNode &loopId) {
  return any_of(drop_begin(loopId.operands()), [](const MDOperand &operand) {
    return isProperty(operand.get(), shortMarker);
  });
}

bool waitsAtBarriers(const MDNode &loopId) {
  return any_of(drop_begin(loopId.operands()), [](const MDOperand &operand) {
    return isProperty(operand.get(), barrierMarker);
  });
}

std::optional<int64_t> instanceExtent(const MDNode &loopId) {
  for (const MDOperand &operand : drop_begin(loopId.operands()))
    if (isProperty(operand.get(), extentMarker))
      return mdconst::extract<ConstantInt>(
                 cast<MDNode>(operand.get())->getOperand(1))
          ->getSExtValue();
  return std::nullopt;
}

namespace {

class OuterLoops {
public:
  explicit OuterLoops(Function &function)
      : dominators(function), loops(dominators), assumptions(function),
        libraryImpl(function.getParent()->getTargetTriple()),
        library(libraryImpl),
        evolution(function, library, assumptions, dominators, loops) {}

  void protect() {
    MapVector<Loop *, bool> outer; // whether to unroll
    for (Loop *inner : loops.getLoopsInPreorder()) {
      if (!isInstanceLoop(inner->getLoopID()))
        continue;
      for (Loop *loop = inner->getParentLoop(); loop;
           loop = loop->getParentLoop())
        if (!isInstanceLoop(loop->getLoopID()))
          outer[loop] |= changesRounds(*loop, *inner);
    }
    for (auto [loop, unroll] : outer)
      if (unroll)
        addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
      else
        loop->setLoopAlreadyUnrolled();
  }

private:
  static constexpr unsigned shortLoop = 16;
  static constexpr unsigned unrollBudget = 1000;

  DominatorTree dominators;
  LoopInfo loops;
  AssumptionCache assumptions;
  TargetLibraryInfoImpl libraryImpl;
  TargetLibraryInfo library;
  ScalarEvolution evolution;

  /// True if `outer` is short and the trip count of `inner` differs between its
  /// rounds.
  bool changesRounds(Loop &outer, Loop &inner) {
    if (inner.getParentLoop() != &outer)
      return false;
    unsigned rounds = evolution.getSmallConstantTripCount(&outer);
    unsigned size = 0;
    for (const BasicBlock *block : outer.blocks())
      size += block->size();
    if (rounds == 0 || rounds > shortLoop || rounds * size > unrollBudget)
      return false;
    const SCEV *count = evolution.getBackedgeTakenCount(&inner);
    return !isa<SCEVCouldNotCompute>(count) &&
           !evolution.isLoopInvariant(count, &outer);
  }
};

} // namespace

void protectOuterLoops(Function &function) { OuterLoops(function).protect(); }

void markInstanceArray(AllocaInst &array) {
  array.setMetadata(marker, MDNode::get(array.getContext(), {}));
}

bool isInstanceArray(const AllocaInst &array) {
  return array.getMetadata(marker) != nullptr;
}

bool isProperty(const Metadata *operand, StringRef name) {
  const auto *property = dyn_cast_or_null<MDNode>(operand);
  if (!property || property->getNumOperands() == 0)
    return false;
  const auto *own = dyn_cast_or_null<MDString>(property->getOperand(0).get());
  return own && own->getString() == name;
}

bool isInstanceMark(const Metadata *operand) {
  return isProperty(operand, marker);
}

bool isInstanceLoop(const MDNode *loopId) {
  return loopId &&
         any_of(drop_begin(loopId->operands()), [](const MDOperand &operand) {
           return isInstanceMark(operand.get());
         });
}

bool hasInstanceLoop(const Loop &loop) {
  return any_of(loop, [](const Loop *inner) {
    return isInstanceLoop(inner->getLoopID()) || hasInstanceLoop(*inner);
  });
}

bool isInnermostOwnLoop(const Loop &loop) {
  if (!loop.isInnermost() || isInstanceLoop(loop.getLoopID()))
    return false;
  const Loop *around = loop.getParentLoop();
  while (around && !isInstanceLoop(around->getLoopID()))
    around = around->getParentLoop();
  return around;
}

} // namespace sluice::codegen
