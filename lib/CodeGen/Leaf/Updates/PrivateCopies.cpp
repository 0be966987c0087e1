//===- PrivateCopies.cpp - Arrays of atomic updates, per range ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a copy grows with the array: it is filled, and scanned at the
// end. The number of updates that a range makes is not known in advance. So a
// range starts without a copy, and makes one once it has updated the array
// itself so often that the copy would have cost no more. In any case, this is
// never much slower than the better of the two choices. For the array `p` of a
// range:
//
//     copy = null; bound = 0; left = number of elements / 4
//     each update of the address a:
//       if a - p < bound, then update copy[a - p], without an atomic;
//       else update a; and if --left is 0, then
//         copy = sluiceGroupMalloc(bytes), filled with the neutral value;
//         bound = bytes
//     at the end: update p[i] by copy[i] where that is not neutral
//
// An address outside the bytes that the launch states is updated directly.
//
//===----------------------------------------------------------------------===//

#include "PrivateCopies.h"

#include "../Group/InstanceLoops.h"
#include "AtomicUpdates.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

#define DEBUG_TYPE "sluice-private-copies"

using namespace llvm;

ALWAYS_ENABLED_STATISTIC(numPrivateCopies,
                         "Arrays of atomic updates with a copy for each range");

namespace sluice::codegen {

/// Largest array that gets copies: it must stay in a core's own cache.
static constexpr uint64_t maxCopy = 256 * 1024;

/// An update of the array itself costs at least as much as creating, scanning
/// and freeing this many elements of a copy.
static constexpr uint64_t elementsPerUpdate = 4;

/// The maximum number of instructions in a loop that is unrolled.
static constexpr unsigned shortLoop = 20;
static constexpr StringLiteral unrollCount = "llvm.loop.unroll.count";

namespace {

class PrivateCopy {
public:
  PrivateCopy(Function &range, Argument &array, Argument &bytes,
              const UpdateKind &kind)
      : range(range), array(array), bytes(bytes), kind(kind),
        elementSize(kind.type->getBitWidth() / 8),
        builder(&range.getEntryBlock(),
                range.getEntryBlock().getFirstInsertionPt()),
        i64(builder.getInt64Ty()) {}

  void use(ArrayRef<AtomicRMWInst *> updates) {
    start();
    for (AtomicRMWInst *update : updates)
      redirect(*update);
    SmallVector<ReturnInst *> ends;
    for (BasicBlock &block : range)
      if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
        ends.push_back(end);
    for (ReturnInst *end : ends)
      finish(*end);
  }

private:
  Function &range;
  Argument &array, &bytes;
  UpdateKind kind;
  uint64_t elementSize;
  IRBuilder<> builder;
  Type *i64;
  /// The first byte of the array, and the size of the copy in bytes, which is 0
  /// if there is none.
  Value *first = nullptr, *size = nullptr;
  AllocaInst *copy = nullptr, *bound = nullptr, *left = nullptr;

  void start();
  void redirect(AtomicRMWInst &update);
  void finish(ReturnInst &end);
  Function *declareHelper(StringRef name, Type *result,
                          ArrayRef<Type *> parameters);
  PHINode *beginLoop(Function &helper, BasicBlock *&exit);
  void endLoop(PHINode *offset, Value *end, BasicBlock *exit);
  Function *opener();
  Function *closer();
};

} // namespace

void PrivateCopy::start() {
  copy = builder.CreateAlloca(builder.getPtrTy(), nullptr, "copy");
  bound = builder.CreateAlloca(i64, nullptr, "bound");
  left = builder.CreateAlloca(i64, nullptr, "left");
  Value *number = builder.CreateZExt(&bytes, i64);
  first = builder.CreatePtrToInt(&array, i64, "first");
  Value *mask = builder.getInt64(elementSize - 1);
  Value *mayCopy = builder.CreateAnd(
      builder.CreateICmpULE(number, builder.getInt64(maxCopy)),
      builder.CreateICmpEQ(builder.CreateAnd(first, mask),
                           builder.getInt64(0)));
  size = builder.CreateSelect(mayCopy,
                              builder.CreateAnd(number, ~(elementSize - 1)),
                              builder.getInt64(0), "size");
  // Without a copy, the number of remaining updates never becomes 0.
  Value *updates = builder.CreateAdd(
      builder.CreateUDiv(size,
                         builder.getInt64(elementSize * elementsPerUpdate)),
      builder.getInt64(1));
  Value *hasSize = builder.CreateICmpNE(size, builder.getInt64(0));
  builder.CreateStore(
      builder.CreateSelect(hasSize, updates, builder.getInt64(INT64_MAX)),
      left);
  builder.CreateStore(builder.getInt64(0), bound);
  builder.CreateStore(ConstantPointerNull::get(builder.getPtrTy()), copy);
}

void PrivateCopy::redirect(AtomicRMWInst &update) {
  MDBuilder weights(range.getContext());
  builder.SetInsertPoint(&update);
  Value *offset = builder.CreateSub(
      builder.CreatePtrToInt(update.getPointerOperand(), i64), first, "offset");
  Value *index = builder.CreateAShr(offset, Log2_64(elementSize), "element");
  Value *isInside =
      builder.CreateICmpULT(index, builder.CreateLoad(i64, bound));
  Instruction *inside, *outside;
  SplitBlockAndInsertIfThenElse(isInside, &update, &inside, &outside,
                                weights.createLikelyBranchWeights());

  builder.SetInsertPoint(inside);
  Value *element = builder.CreateInBoundsGEP(
      kind.type, builder.CreateLoad(builder.getPtrTy(), copy), index);
  Value *old = builder.CreateLoad(kind.type, element);
  builder.CreateStore(emitUpdatedValue(builder, update, old), element);

  update.moveBefore(outside->getIterator());
  builder.SetInsertPoint(outside);
  Value *rest =
      builder.CreateSub(builder.CreateLoad(i64, left), builder.getInt64(1));
  builder.CreateStore(rest, left);
  Instruction *open = SplitBlockAndInsertIfThen(
      builder.CreateICmpEQ(rest, builder.getInt64(0)), outside->getIterator(),
      /*Unreachable=*/false, weights.createUnlikelyBranchWeights());
  builder.SetInsertPoint(open);
  builder.CreateStore(builder.CreateCall(opener(), {range.getArg(0), size}),
                      copy);
  builder.CreateStore(builder.CreateLShr(size, Log2_64(elementSize)), bound);
}

void PrivateCopy::finish(ReturnInst &end) {
  builder.SetInsertPoint(&end);
  Value *memory = builder.CreateLoad(builder.getPtrTy(), copy);
  Instruction *close =
      SplitBlockAndInsertIfThen(builder.CreateIsNotNull(memory),
                                end.getIterator(), /*Unreachable=*/false);
  builder.SetInsertPoint(close);
  builder.CreateCall(closer(), {range.getArg(0), memory, &array, size});
}

//===----------------------------------------------------------------------===//
// Functions that make a copy and apply it
//===----------------------------------------------------------------------===//

/// The function of this name. Creates it, without a body, if it does not exist.
Function *PrivateCopy::declareHelper(StringRef name, Type *result,
                                     ArrayRef<Type *> parameters) {
  Module &module = *range.getParent();
  std::string full = (Twine("sluice.copy.") + name + "." +
                      AtomicRMWInst::getOperationName(kind.operation) + ".i" +
                      Twine(kind.type->getBitWidth()))
                         .str();
  if (Function *known = module.getFunction(full))
    return known;
  Function *helper =
      Function::Create(FunctionType::get(result, parameters, false),
                       GlobalValue::InternalLinkage, full, module);
  for (Attribute attribute : range.getAttributes().getFnAttrs())
    helper->addFnAttr(attribute);
  helper->addFnAttr(Attribute::NoInline);
  helper->addFnAttr(
      Attribute::getWithUWTableKind(range.getContext(), UWTableKind::Async));
  return helper;
}

/// A loop over the offsets of a copy's elements; there is at least one.
PHINode *PrivateCopy::beginLoop(Function &helper, BasicBlock *&exit) {
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *body = BasicBlock::Create(helper.getContext(), "body", &helper);
  exit = BasicBlock::Create(helper.getContext(), "exit", &helper);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  PHINode *offset = builder.CreatePHI(i64, 2, "offset");
  offset->addIncoming(builder.getInt64(0), before);
  return offset;
}

void PrivateCopy::endLoop(PHINode *offset, Value *end, BasicBlock *exit) {
  Value *next = builder.CreateNUWAdd(offset, builder.getInt64(elementSize));
  offset->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpULT(next, end), offset->getParent(),
                       exit);
  builder.SetInsertPoint(exit);
}

/// `ptr open(ptr invocation, i64 size)`
Function *PrivateCopy::opener() {
  Type *pointer = builder.getPtrTy();
  Function *helper = declareHelper("open", pointer, {pointer, i64});
  if (!helper->empty())
    return helper;
  IRBuilder<>::InsertPointGuard guard(builder);
  builder.SetInsertPoint(
      BasicBlock::Create(range.getContext(), "entry", helper));
  builder.SetCurrentDebugLocation(DebugLoc());
  FunctionCallee allocate = range.getParent()->getOrInsertFunction(
      "sluiceGroupMalloc", pointer, pointer, i64);
  CallInst *memory =
      builder.CreateCall(allocate, {helper->getArg(0), helper->getArg(1)});
  memory->addRetAttr(Attribute::NoAlias);
  helper->addRetAttr(Attribute::NoAlias);
  BasicBlock *exit;
  PHINode *offset = beginLoop(*helper, exit);
  builder.CreateStore(kind.neutral(), builder.CreateInBoundsGEP(
                                          builder.getInt8Ty(), memory, offset));
  endLoop(offset, helper->getArg(1), exit);
  builder.CreateRet(memory);
  return helper;
}

/// `void close(ptr invocation, ptr copy, ptr array, i64 size)`
Function *PrivateCopy::closer() {
  Type *pointer = builder.getPtrTy();
  Function *helper = declareHelper("close", builder.getVoidTy(),
                                   {pointer, pointer, pointer, i64});
  if (!helper->empty())
    return helper;
  IRBuilder<>::InsertPointGuard guard(builder);
  LLVMContext &context = range.getContext();
  builder.SetInsertPoint(BasicBlock::Create(context, "entry", helper));
  builder.SetCurrentDebugLocation(DebugLoc());
  Value *memory = helper->getArg(1), *end = helper->getArg(3);
  auto address = [&](Value *base, Value *offset) {
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), base, offset);
  };
  BasicBlock *exit;
  PHINode *offset = beginLoop(*helper, exit);
  Value *value = builder.CreateLoad(kind.type, address(memory, offset));
  BasicBlock *update = BasicBlock::Create(context, "update", helper);
  BasicBlock *next = BasicBlock::Create(context, "next", helper);
  builder.CreateCondBr(builder.CreateICmpNE(value, kind.neutral()), update,
                       next);
  builder.SetInsertPoint(update);
  emitUpdate(builder, kind, address(helper->getArg(2), offset), value);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
  endLoop(offset, end, exit);
  FunctionCallee release = range.getParent()->getOrInsertFunction(
      "sluiceGroupFree", builder.getVoidTy(), pointer, pointer);
  builder.CreateCall(release, {helper->getArg(0), memory});
  builder.CreateRetVoid();
  return helper;
}

//===----------------------------------------------------------------------===//
// Which arrays
//===----------------------------------------------------------------------===//

/// Lets a short loop over instances run several of them per round, since the
/// rest of an instance is little more than the loop itself.
static void unroll(Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->size();
  if (loop.isInnermost() && isInstanceLoop(loop.getLoopID()) &&
      size <= shortLoop && !getOptionalIntLoopAttribute(&loop, unrollCount))
    addStringMetadataToLoop(&loop, unrollCount.data(), 4);
}

/// The parameter with the size of `array`; null if there is none.
static Argument *sizeOf(const Argument &array) {
  Function &range = *const_cast<Function *>(array.getParent());
  unsigned number;
  if (range
          .getAttributeAtIndex(AttributeList::FirstArgIndex + array.getArgNo(),
                               sizeAttribute)
          .getValueAsString()
          .getAsInteger(10, number) ||
      number >= range.arg_size() ||
      !range.getArg(number)->getType()->isIntegerTy())
    return nullptr;
  return range.getArg(number);
}

PreservedAnalyses PrivateCopies::run(Function &range,
                                     FunctionAnalysisManager &analyses) {
  bool hasUpdate = any_of(instructions(range), [](const Instruction &i) {
    const auto *atomic = dyn_cast<AtomicRMWInst>(&i);
    return atomic && updateKindOf(*atomic);
  });
  ContainedFunctions containedFunctions;
  if (!hasUpdate || !containedFunctions.contains(range))
    return PreservedAnalyses::all();
  bool hasChanged = false;
  for (Argument &array : range.args()) {
    Argument *bytes = sizeOf(array);
    if (!bytes)
      continue;
    std::optional<UpdateKind> kind;
    SmallVector<AtomicRMWInst *> updates;
    auto add = [&](AtomicRMWInst &update) {
      if (update.getFunction() == &range)
        updates.push_back(&update);
    };
    if (!hasOnlyUpdates(array, kind, add))
      continue;
    // Updates outside of loops do not justify a copy.
    DominatorTree dominators(range);
    LoopInfo loops(dominators);
    erase_if(updates, [&](AtomicRMWInst *update) {
      return !loops.getLoopFor(update->getParent());
    });
    if (updates.empty())
      continue;
    for (AtomicRMWInst *update : updates)
      unroll(*loops.getLoopFor(update->getParent()));
    PrivateCopy(range, array, *bytes, *kind).use(updates);
    hasChanged = true;
    ++numPrivateCopies;
  }
  if (!hasChanged)
    return PreservedAnalyses::all();
  analyses.invalidate(range, PreservedAnalyses::none());
  SROAPass(SROAOptions::PreserveCFG).run(range, analyses);
  return PreservedAnalyses::none();
}

} // namespace sluice::codegen

#undef DEBUG_TYPE
