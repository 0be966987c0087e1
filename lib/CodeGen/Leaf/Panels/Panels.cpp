//===- Panels.cpp - Contiguous copies of data that rows share -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   if there are many rows, and the panel is not too large:
//     allocate the panel
//     rounds, with only what the copied loads need:
//       line:  panel[round][x] = load
//     column, whose tiles read panel[round][x]
//     free the panel
//
// The rounds are a copy of those of the tile, in which rows run once.
//
//===----------------------------------------------------------------------===//

#include "Panels.h"
#include "SharedLoads.h"

#include "sluice/CodeGen/RangeFunction.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace sluice::codegen {

/// The maximum size in bytes of a panel that one worker reads repeatedly: for
/// larger panels, the gain is not worth the memory.
static constexpr uint64_t largestPanel = 3 << 20;

namespace {

class PanelBuilder {
public:
  PanelBuilder(Function &range, Value &invocation, const TileColumn &column)
      : range(range), invocation(invocation), tiles(column), dominators(range),
        ends(range), loops(dominators), assumptions(range),
        libraryImpl(range.getParent()->getTargetTriple()), library(libraryImpl),
        evolution(range, library, assumptions, dominators, loops),
        builder(range.getContext()) {}

  /// Returns false if there is nothing to copy.
  bool build();

private:
  /// The part of the panel with the copies of one nest's loads.
  struct Part {
    SharedNest nest;
    AllocaInst *round;          ///< how many rounds have passed
    SmallVector<Value *> bases; ///< of each load
  };

  Function &range;
  Value &invocation;
  TileColumn tiles;
  DominatorTree dominators;
  PostDominatorTree ends;
  LoopInfo loops;
  AssumptionCache assumptions;
  TargetLibraryInfoImpl libraryImpl;
  TargetLibraryInfo library;
  ScalarEvolution evolution;
  IRBuilder<> builder;
  Loop *column = nullptr;
  Value *bytes = nullptr; ///< of the panel
  Value *fits = nullptr;

  Value *countRounds(const SharedNest &nest, const SharedLoads &shared);
  bool measure(SharedLoads &shared, std::vector<Part> &parts);
  Value *allocatePanel();
  void freePanel(Value *panel);
  Value *address(const Part &part, unsigned load, Value *panel, Value *round,
                 Value *index, Value *start);
  void copy(const SharedLoads &shared, ArrayRef<Part> parts, Value *panel,
            BasicBlock *after);
  void readCopies(const SharedLoads &shared, ArrayRef<Part> parts,
                  Value *panel);
  Value *countRound(const Part &part, BasicBlock *before);
};

} // namespace

/// An upper bound of the rounds. Each factor is small enough that the product
/// of two does not overflow; null if unknown.
Value *PanelBuilder::countRounds(const SharedNest &nest,
                                 const SharedLoads &shared) {
  SmallVector<Loop *> around = loopsAround(nest, shared);
  if (around.size() > 2)
    return nullptr;
  SCEVExpander expander(evolution, "rounds");
  Value *result = builder.getInt64(1);
  for (Loop *loop : around) {
    const SCEV *last = evolution.getBackedgeTakenCount(loop);
    if (isa<SCEVCouldNotCompute>(last) ||
        evolution.getTypeSizeInBits(last->getType()) > 64 ||
        !evolution.isLoopInvariant(last, column) ||
        !expander.isSafeToExpandAt(last, tiles.choice))
      return nullptr;
    Value *count = builder.CreateZExt(
        expander.expandCodeFor(last, last->getType(), tiles.choice),
        builder.getInt64Ty());
    fits = builder.CreateAnd(
        fits, builder.CreateICmpULT(count, builder.getInt64(largestPanel)));
    result = builder.CreateMul(
        result, builder.CreateAdd(count, builder.getInt64(1)), "rounds");
  }
  return result;
}

bool PanelBuilder::measure(SharedLoads &shared, std::vector<Part> &parts) {
  for (SharedNest &nest : shared.nests) {
    Value *rounds = countRounds(nest, shared);
    if (!rounds)
      return false;
    fits = builder.CreateAnd(
        fits, builder.CreateICmpULE(rounds, builder.getInt64(largestPanel)));
    Part part{nest, nullptr, {}};
    for (LoadInst *load : nest.loads) {
      part.bases.push_back(bytes);
      uint64_t line =
          tiles.width * load->getDataLayout().getTypeAllocSize(load->getType());
      bytes = builder.CreateAdd(
          bytes, builder.CreateMul(rounds,
                                   builder.getInt64(alignTo(line, Align(64)))));
    }
    parts.push_back(std::move(part));
  }
  return true;
}

Value *PanelBuilder::allocatePanel() {
  FunctionCallee allocate = range.getParent()->getOrInsertFunction(
      "sluiceGroupMalloc", builder.getPtrTy(), builder.getPtrTy(),
      builder.getInt64Ty());
  CallInst *panel = builder.CreateCall(allocate, {&invocation, bytes}, "panel");
  panel->addRetAttr(Attribute::NoAlias);
  panel->addRetAttr(Attribute::getWithAlignment(range.getContext(), Align(64)));
  panel->setDebugLoc(tiles.choice->getDebugLoc());
  return panel;
}

void PanelBuilder::freePanel(Value *panel) {
  FunctionCallee release = range.getParent()->getOrInsertFunction(
      "sluiceGroupFree", builder.getVoidTy(), builder.getPtrTy(),
      builder.getPtrTy());
  builder.CreateCall(release, {&invocation, panel})
      ->setDebugLoc(tiles.choice->getDebugLoc());
}

/// The number of the round, before the nest of loops over instances.
Value *PanelBuilder::countRound(const Part &part, BasicBlock *before) {
  builder.SetInsertPoint(before->getTerminator());
  Value *round = builder.CreateLoad(builder.getInt64Ty(), part.round, "round");
  builder.CreateStore(
      builder.CreateAdd(round, builder.getInt64(1), "", true, true),
      part.round);
  return round;
}

/// At the builder's position in the line.
Value *PanelBuilder::address(const Part &part, unsigned load, Value *panel,
                             Value *round, Value *index, Value *start) {
  Type *type = part.nest.loads[load]->getType();
  uint64_t size = part.nest.loads[load]->getDataLayout().getTypeAllocSize(type);
  uint64_t line = alignTo(tiles.width * size, Align(64));
  Value *offset = builder.CreateAdd(
      part.bases[load],
      builder.CreateMul(round, builder.getInt64(line), "", true, true), "",
      true, true);
  Value *number = builder.CreateZExt(
      builder.CreateSub(index, start, "", true, true), builder.getInt64Ty());
  return builder.CreateInBoundsGEP(
      type, builder.CreateInBoundsPtrAdd(panel, offset), number);
}

void PanelBuilder::copy(const SharedLoads &shared, ArrayRef<Part> parts,
                        Value *panel, BasicBlock *after) {
  ValueToValueMapTy copies;
  SmallVector<BasicBlock *> blocks;
  BasicBlock *before = after->getSinglePredecessor();
  for (BasicBlock *block : shared.rounds->blocks()) {
    BasicBlock *own = CloneBasicBlock(block, copies, ".panel", &range);
    own->moveBefore(after);
    copies[block] = own;
    blocks.push_back(own);
  }
  SmallVector<BasicBlock *> exits;
  shared.rounds->getExitBlocks(exits);
  for (BasicBlock *exit : exits)
    copies[exit] = after;
  remapInstructionsInBlocks(blocks, copies);
  cast<BasicBlock>(copies[shared.rounds->getHeader()])
      ->replacePhiUsesWith(shared.rounds->getLoopPreheader(), before);
  before->getTerminator()->setSuccessor(
      0, cast<BasicBlock>(copies[shared.rounds->getHeader()]));

  for (const Part &part : parts) {
    auto own = [&](Value *value) {
      Value *mapped = copies.lookup(value);
      return mapped ? mapped : value;
    };
    const SharedNest &nest = part.nest;
    Value *round = countRound(
        part, cast<BasicBlock>(own(nest.outermost->getLoopPreheader())));
    Value *start =
        nest.index->getIncomingValueForBlock(nest.line->getLoopPreheader());
    for (auto [number, load] : enumerate(nest.loads)) {
      auto *value = cast<LoadInst>(own(load));
      builder.SetInsertPoint(value->getNextNode());
      StoreInst *store = builder.CreateAlignedStore(
          value,
          address(part, number, panel, round, own(nest.index), own(start)),
          value->getAlign());
      store->setMetadata(LLVMContext::MD_access_group,
                         value->getMetadata(LLVMContext::MD_access_group));
      store->setDebugLoc(value->getDebugLoc());
    }
    auto *latch = cast<BasicBlock>(own(nest.rows->getLoopLatch()));
    BasicBlock *end = nest.rows->getExitBlock();
    auto *out = cast<BasicBlock>(own(end));
    latch->getTerminator()->eraseFromParent();
    BranchInst::Create(out, latch);
    cast<BasicBlock>(own(nest.rows->getHeader()))
        ->removePredecessor(latch, /*KeepOneInputPHIs=*/true);
  }

  SmallPtrSet<const Instruction *, 32> kept;
  for (const Part &part : parts)
    kept.insert_range(part.nest.loads);
  SmallVector<Instruction *> dropped;
  for (BasicBlock *block : shared.rounds->blocks())
    for (Instruction &instruction : *block) {
      if (instruction.isTerminator() || kept.contains(&instruction) ||
          shared.needed.contains(&instruction))
        continue;
      // Copies of terminators and of row numbers may already have been removed.
      if (Value *own = copies.lookup(&instruction))
        dropped.push_back(cast<Instruction>(own));
    }
  for (Instruction *instruction : dropped)
    if (!instruction->getType()->isVoidTy())
      instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
  for (Instruction *instruction : dropped)
    instruction->eraseFromParent();
}

void PanelBuilder::readCopies(const SharedLoads &shared, ArrayRef<Part> parts,
                              Value *panel) {
  for (const Part &part : parts) {
    builder.SetInsertPoint(shared.rounds->getLoopPreheader()->getTerminator());
    builder.CreateStore(builder.getInt64(0), part.round);
    const SharedNest &nest = part.nest;
    Value *round = countRound(part, nest.outermost->getLoopPreheader());
    Value *start =
        nest.index->getIncomingValueForBlock(nest.line->getLoopPreheader());
    for (auto [number, load] : enumerate(nest.loads)) {
      builder.SetInsertPoint(load);
      load->setOperand(0,
                       address(part, number, panel, round, nest.index, start));
      load->setMetadata(LLVMContext::MD_tbaa, nullptr);
    }
  }
}

bool PanelBuilder::build() {
  column = loops.getLoopFor(tiles.latch->getParent());
  BasicBlock *before = column->getLoopPreheader(),
             *exit = column->getExitBlock();
  if (!before || !exit)
    return false;
  std::vector<SharedLoads> found =
      findSharedLoads(*column, *tiles.full, ends, *tiles.choice);
  builder.SetInsertPoint(tiles.choice);
  bytes = builder.getInt64(0);
  fits = tiles.choice->getCondition();
  std::vector<std::vector<Part>> parts(found.size());
  for (auto [shared, own] : zip(found, parts))
    if (!measure(shared, own))
      return false;
  if (found.empty())
    return false;
  fits = builder.CreateAnd(
      fits, builder.CreateICmpULE(bytes, builder.getInt64(largestPanel)));
  tiles.choice->setCondition(fits);

  builder.SetInsertPoint(&*range.getEntryBlock().getFirstInsertionPt());
  for (std::vector<Part> &own : parts)
    for (Part &part : own)
      part.round = builder.CreateAlloca(builder.getInt64Ty());
  builder.SetInsertPoint(before->getTerminator());
  Value *panel = allocatePanel();
  for (auto [shared, own] : zip(found, parts)) {
    builder.SetInsertPoint(before->getTerminator());
    for (Part &part : own)
      builder.CreateStore(builder.getInt64(0), part.round);
    BasicBlock *after = SplitBlock(before, before->getTerminator());
    copy(shared, own, panel, after);
    readCopies(shared, own, panel);
    before = after;
  }
  builder.SetInsertPoint(&*exit->getFirstInsertionPt());
  freePanel(panel);
  return true;
}

void makePanels(Function &range, Value &invocation,
                ArrayRef<TileColumn> columns) {
  for (const TileColumn &column : columns)
    if (PanelBuilder(range, invocation, column).build())
      range.addFnAttr(copiesSharedAttribute);
    else
      column.choice->setCondition(ConstantInt::getFalse(range.getContext()));
}

} // namespace sluice::codegen
