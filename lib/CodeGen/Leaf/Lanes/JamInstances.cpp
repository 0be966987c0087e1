//===- JamInstances.cpp - A few instances in step -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   before:  if (rounds < 4) goto rest
//   jam:     what all instances do alike once, all else for each of four
//            if (four more are left) goto jam
//   rest:    the loop as it was, for what is left
//
//===----------------------------------------------------------------------===//

#include "JamInstances.h"

#include "../Group/InstanceLoops.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace sluice::codegen {

/// Instances in step. With eight, addresses do not fit the registers.
static constexpr unsigned atOnce = 4;
/// Instructions of a leaf, and of one round of a loop that waits for what it
/// carries rather than for all it computes.
static constexpr unsigned mostInstructions = 200, shortRound = 24;
/// Numbers that a loop carries for one instance, and accesses to elements that
/// differ between instances.
static constexpr unsigned mostCarried = 3, mostAccesses = 3;
/// Rounds that are unrolled: lanes then gather before the loop around them.
static constexpr unsigned fewRounds = 16;

//===----------------------------------------------------------------------===//
// Whether it pays
//===----------------------------------------------------------------------===//

namespace {

/// The cost of an innermost loop for one instance.
struct Chain {
  unsigned numCarried = 0, numAccesses = 0, numScattered = 0, size = 0;
  bool isSlow = false; ///< more than waiting takes time

  Chain(const Loop &loop, const LaneShapes &shapes);
  bool isWorthIt() const {
    return numCarried > 0 && numCarried <= mostCarried &&
           numAccesses <= mostAccesses && size <= shortRound && !isSlow;
  }
};

} // namespace

Chain::Chain(const Loop &loop, const LaneShapes &shapes) {
  for (const PHINode &phi : loop.getHeader()->phis())
    numCarried += phi.getType()->isFloatingPointTy() && shapes.isVarying(&phi);
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      size += !isa<PHINode, DbgInfoIntrinsic>(instruction);
      isSlow |=
          instruction.getOpcode() == Instruction::FDiv ||
          (isa<CallInst>(instruction) && !isa<IntrinsicInst>(instruction));
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      if (!pointer || shapes.isUniform(pointer))
        continue;
      int64_t size = instruction.getDataLayout().getTypeAllocSize(
          getLoadStoreType(&instruction));
      ++numAccesses;
      numScattered += shapes.stride(pointer) != size;
    }
}

static void addInnermost(const Loop &loop, SmallVectorImpl<const Loop *> &all) {
  if (loop.isInnermost())
    all.push_back(&loop);
  for (const Loop *inner : loop)
    addInnermost(*inner, all);
}

std::optional<JamChoice> chooseJam(const LaneRegions &regions,
                                   const LaneShapes &shapes,
                                   ScalarEvolution &evolution, bool isWanted) {
  Loop &outer = regions.outer();
  unsigned size = 0;
  for (const BasicBlock *block : regions.blocks()) {
    size += block->size();
    if (block != outer.getLoopLatch() && shapes.isDivergent(block))
      return std::nullopt;
  }
  JamChoice choice{atOnce, /*beatsLanes=*/true};
  if (isWanted)
    return choice;
  unsigned rounds = evolution.getSmallConstantTripCount(&outer);
  if (size > mostInstructions || (rounds != 0 && rounds < atOnce))
    return std::nullopt;
  SmallVector<const Loop *> innermost;
  addInnermost(outer, innermost);
  bool isWorthIt = false;
  for (const Loop *loop : innermost) {
    Chain chain(*loop, shapes);
    unsigned inside = evolution.getSmallConstantTripCount(loop);
    isWorthIt |= chain.isWorthIt();
    choice.beatsLanes &= chain.isWorthIt() && chain.numScattered != 0 &&
                         (inside == 0 || inside > fewRounds);
  }
  return isWorthIt ? std::optional(choice) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The new loop
//===----------------------------------------------------------------------===//

namespace {

class InstanceJammer {
public:
  InstanceJammer(const LaneLoop &lanes, const LaneRegions &regions,
                 const LaneShapes &shapes, unsigned count)
      : lanes(lanes), regions(regions), shapes(shapes), count(count),
        header(*lanes.loop->getHeader()),
        before(*lanes.loop->getLoopPreheader()), builder(header.getContext()) {}

  void build(Value *lastRound, Value *isConflict);

private:
  const LaneLoop &lanes;
  const LaneRegions &regions;
  const LaneShapes &shapes;
  unsigned count;
  BasicBlock &header, &before;
  IRBuilder<> builder;
  DenseMap<const BasicBlock *, BasicBlock *> blocks;
  /// The copies of a value for each instance; only one if all share it.
  DenseMap<const Value *, SmallVector<Value *, 4>> copies;
  /// Alias scopes of memory that one instance writes and no other accesses.
  SmallVector<Metadata *, 4> scopes;

  BasicBlock *addBlock(const Twine &name) {
    return BasicBlock::Create(header.getContext(), name, header.getParent(),
                              &header);
  }
  unsigned copiesOf(const Value &value) const {
    return shapes.isUniform(&value) ? 1 : count;
  }
  Value *get(Value *value, unsigned instance) const {
    auto found = copies.find(value);
    if (found == copies.end())
      return value;
    ArrayRef<Value *> all = found->second;
    return all[all.size() == 1 ? 0 : instance];
  }
  Value *advanced(Value *start, int64_t step, Value *number);
  void makeScopes();
  void mark(Instruction &copy, const Instruction &original, unsigned instance);
  void copyBlock(BasicBlock &block);
  void copyPhis(BasicBlock &block);
  void joinPhis(BasicBlock &block);
  void copyEnd(BasicBlock &block);
};

} // namespace

/// The value in round `number` of a counter that begins with `start`.
Value *InstanceJammer::advanced(Value *start, int64_t step, Value *number) {
  Value *offset = builder.CreateMul(
      number, ConstantInt::getSigned(number->getType(), step));
  if (start->getType()->isPointerTy())
    return builder.CreateGEP(builder.getInt8Ty(), start, offset);
  return builder.CreateAdd(start,
                           builder.CreateSExtOrTrunc(offset, start->getType()));
}

/// None where instances wait for each other: they read after a barrier what
/// others have written before it, in the same code.
void InstanceJammer::makeScopes() {
  if (waitsAtBarriers(*lanes.loop->getLoopID()))
    return;
  MDBuilder metadata(header.getContext());
  MDNode *domain = metadata.createAnonymousAliasScopeDomain("instances");
  for (unsigned instance = 0; instance != count; ++instance)
    scopes.push_back(metadata.createAnonymousAliasScope(domain, "instance"));
}

/// No other instance accesses memory that one instance writes. Stores to places
/// that do not depend on the instance stay in the order of the instances.
void InstanceJammer::mark(Instruction &copy, const Instruction &original,
                          unsigned instance) {
  copy.dropUnknownNonDebugMetadata(
      {LLVMContext::MD_tbaa, LLVMContext::MD_access_group});
  const Value *pointer = getLoadStorePointerOperand(&original);
  if (!pointer || shapes.isUniform(pointer) || scopes.empty())
    return;
  LLVMContext &context = copy.getContext();
  SmallVector<Metadata *, 4> others(scopes);
  others.erase(others.begin() + instance);
  copy.setMetadata(LLVMContext::MD_noalias, MDNode::get(context, others));
  if (isa<StoreInst>(copy))
    copy.setMetadata(LLVMContext::MD_alias_scope,
                     MDNode::get(context, scopes[instance]));
}

void InstanceJammer::copyPhis(BasicBlock &block) {
  for (PHINode &phi : block.phis())
    for (unsigned i = 0; i != copiesOf(phi); ++i)
      copies[&phi].push_back(builder.CreatePHI(
          phi.getType(), phi.getNumIncomingValues(), phi.getName()));
}

void InstanceJammer::joinPhis(BasicBlock &block) {
  for (PHINode &phi : block.phis())
    for (auto [instance, copy] : enumerate(copies[&phi]))
      for (auto [value, from] : zip(phi.incoming_values(), phi.blocks()))
        cast<PHINode>(copy)->addIncoming(get(value, instance), blocks.at(from));
}

/// A branch that all instances take alike.
void InstanceJammer::copyEnd(BasicBlock &block) {
  Instruction *end = block.getTerminator()->clone();
  for (Use &operand : end->operands())
    if (auto *to = dyn_cast<BasicBlock>(operand.get()))
      operand.set(blocks.at(to));
    else
      operand.set(get(operand.get(), 0));
  if (MDNode *id = end->getMetadata(LLVMContext::MD_loop)) {
    SmallVector<Metadata *> operands(id->operands());
    MDNode *own = MDNode::getDistinct(block.getContext(), operands);
    own->replaceOperandWith(0, own);
    end->setMetadata(LLVMContext::MD_loop, own);
  }
  builder.Insert(end);
}

void InstanceJammer::copyBlock(BasicBlock &block) {
  builder.SetInsertPoint(blocks.at(&block));
  if (&block != &header)
    copyPhis(block);
  for (Instruction &instruction : block) {
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    if (isa<PHINode>(instruction) || instruction.isTerminator() ||
        (intrinsic && intrinsic->isAssumeLikeIntrinsic()))
      continue;
    bool isStore = isa<StoreInst>(instruction);
    unsigned number = isStore ? count : copiesOf(instruction);
    SmallVector<Value *, 4> own;
    for (unsigned i = 0; i != number; ++i) {
      Instruction *copy = instruction.clone();
      for (Use &operand : copy->operands())
        operand.set(get(operand.get(), i));
      mark(*copy, instruction, i);
      own.push_back(builder.Insert(copy, instruction.getName()));
    }
    copies[&instruction] = own;
  }
  if (&block != lanes.loop->getLoopLatch())
    copyEnd(block);
}

void InstanceJammer::build(Value *lastRound, Value *isConflict) {
  BasicBlock *rest = addBlock("instances.rest"),
             *scalar = addBlock("instances.scalar");
  for (BasicBlock *block : regions.blocks()) {
    blocks[block] = addBlock(block == &header ? "instances" : block->getName());
    blocks[block]->moveBefore(rest);
  }
  makeScopes();
  Instruction *end = before.getTerminator();
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(end->getDebugLoc());
  Value *zero = builder.getInt64(0), *width = builder.getInt64(count);
  Value *rounds =
      builder.CreateAdd(builder.CreateZExt(lastRound, builder.getInt64Ty()),
                        builder.getInt64(1), "rounds");
  Value *isLong = builder.CreateICmpUGE(rounds, width);
  if (isConflict)
    isLong = builder.CreateAnd(isLong, builder.CreateNot(isConflict));
  builder.CreateCondBr(isLong, blocks.at(&header), rest);
  end->eraseFromParent();

  builder.SetInsertPoint(blocks.at(&header));
  PHINode *round = builder.CreatePHI(builder.getInt64Ty(), 2, "round");
  round->addIncoming(zero, &before);
  for (PHINode &phi : header.phis()) {
    Value *first = advanced(phi.getIncomingValueForBlock(&before),
                            lanes.steps.at(&phi), round);
    for (unsigned i = 0; i != count; ++i)
      copies[&phi].push_back(
          i == 0 ? first
                 : advanced(first, lanes.steps.at(&phi), builder.getInt64(i)));
  }
  for (BasicBlock *block : regions.blocks())
    copyBlock(*block);
  for (BasicBlock *block : regions.blocks())
    if (block != &header)
      joinPhis(*block);

  BasicBlock *last = blocks.at(lanes.loop->getLoopLatch());
  builder.SetInsertPoint(last);
  Value *next = builder.CreateAdd(round, width, "", true, true);
  round->addIncoming(next, last);
  builder.CreateCondBr(
      builder.CreateICmpUGE(builder.CreateSub(rounds, next), width),
      blocks.at(&header), rest);

  builder.SetInsertPoint(rest);
  PHINode *done = builder.CreatePHI(builder.getInt64Ty(), 2, "done");
  done->addIncoming(zero, &before);
  done->addIncoming(next, last);
  builder.CreateCondBr(builder.CreateICmpEQ(done, rounds), lanes.exit, scalar);

  builder.SetInsertPoint(scalar);
  for (PHINode &phi : header.phis()) {
    int index = phi.getBasicBlockIndex(&before);
    Value *start =
        advanced(phi.getIncomingValue(index), lanes.steps.at(&phi), done);
    phi.setIncomingValue(index, start);
    phi.setIncomingBlock(index, scalar);
  }
  builder.CreateBr(&header);
  for (PHINode &phi : lanes.exit->phis())
    phi.addIncoming(phi.getIncomingValueForBlock(lanes.loop->getLoopLatch()),
                    rest);
}

void jamInstances(const LaneLoop &lanes, const LaneRegions &regions,
                  const LaneShapes &shapes, Value *lastRound, Value *isConflict,
                  unsigned count) {
  InstanceJammer(lanes, regions, shapes, count).build(lastRound, isConflict);
}

} // namespace sluice::codegen
