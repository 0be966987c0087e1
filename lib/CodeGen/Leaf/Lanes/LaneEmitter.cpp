//===- LaneEmitter.cpp - Code for all lanes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks are made by `select`, not by `and`: what a lane that is not active
// compares may be undefined, and must not reach a branch.
//
//===----------------------------------------------------------------------===//

#include "LaneEmitter.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace sluice::codegen {

/// Code of up to this many instructions is not worth a branch around it.
static constexpr unsigned shortCode = 12;

LaneEmitter::LaneEmitter(IRBuilder<> &builder, const LaneRegions &regions,
                         const LaneShapes &shapes, const LaneRows &rows,
                         const TargetTransformInfo &target, unsigned numLanes)
    : builder(builder), regions(regions), shapes(shapes),
      values(builder, shapes, rows, target, numLanes) {}

void LaneEmitter::emit(Value *mask) {
  Loop &loop = regions.outer();
  values.setRunning(mask);
  emitTree(loop.getHeader(), &loop, {mask, builder.getTrue()});
  assert(edges.empty() && "every way leads to the latch");
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value *LaneEmitter::both(Value *mask, Value *condition) {
  if (!mask)
    return condition;
  if (mask == condition)
    return mask;
  return builder.CreateSelect(mask, condition, values.noLane());
}

Value *LaneEmitter::either(Value *a, Value *b) {
  return a && b ? builder.CreateOr(a, b) : nullptr;
}

Value *LaneEmitter::any(Value *mask) {
  if (!mask)
    return builder.getTrue();
  unsigned lanes = cast<FixedVectorType>(mask->getType())->getNumElements();
  Type *bits = builder.getIntNTy(lanes);
  return builder.CreateICmpNE(builder.CreateBitCast(mask, bits),
                              ConstantInt::get(bits, 0));
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

/// The edges to `to` that come from within `from`.
SmallVector<LaneEmitter::Edge, 4> LaneEmitter::takeEdges(BasicBlock *to,
                                                         const Loop *from) {
  SmallVector<Edge, 4> taken, others;
  for (Edge &edge : edges)
    (edge.to == to && from->contains(edge.from) ? taken : others)
        .push_back(std::move(edge));
  edges.assign(std::make_move_iterator(others.begin()),
               std::make_move_iterator(others.end()));
  return taken;
}

static bool isHeader(const BasicBlock *block, const LaneRegions &regions) {
  return regions.outer().contains(block) &&
         regions.loopOf(block)->getHeader() == block;
}

void LaneEmitter::addEdge(BasicBlock *from, BasicBlock *to, State state,
                          Value *inside) {
  Edge edge{from, to, state.mask, state.taken, inside, {}};
  for (PHINode &phi : to->phis()) {
    bool isSame = !isHeader(to, regions) && shapes.onlyValue(phi);
    edge.values.push_back(
        isSame ? nullptr : values.get(phi.getIncomingValueForBlock(from), phi));
  }
  edges.push_back(std::move(edge));
}

/// When `block` goes to `to`.
Value *LaneEmitter::conditionOf(BasicBlock *block, BasicBlock *to,
                                bool isVector) {
  Instruction *end = block->getTerminator();
  auto value = [&](Value *own) {
    return isVector ? values.vector(own) : values.scalar(own);
  };
  if (auto *branch = dyn_cast<BranchInst>(end)) {
    Value *condition = value(branch->getCondition());
    return branch->getSuccessor(0) == to ? condition
                                         : builder.CreateNot(condition);
  }
  auto *choice = cast<SwitchInst>(end);
  Value *number = value(choice->getCondition());
  bool isDefault = choice->getDefaultDest() == to;
  Value *result = nullptr;
  for (auto &entry : choice->cases()) {
    if ((entry.getCaseSuccessor() == to) == isDefault)
      continue;
    Value *isEqual = builder.CreateICmpEQ(number, value(entry.getCaseValue()));
    result = result ? builder.CreateOr(result, isEqual) : isEqual;
  }
  if (!isDefault)
    return result;
  if (result)
    return builder.CreateNot(result);
  return isVector ? values.allLanes() : builder.getTrue();
}

void LaneEmitter::emitEdges(BasicBlock *block, State state) {
  if (block == regions.outer().getLoopLatch())
    return;
  builder.SetCurrentDebugLocation(block->getTerminator()->getDebugLoc());
  if (BasicBlock *only = block->getUniqueSuccessor()) {
    addEdge(block, only, state, state.mask);
    return;
  }
  bool isDivergent = shapes.isDivergent(block);
  SmallSetVector<BasicBlock *, 4> targets(succ_begin(block), succ_end(block));
  for (BasicBlock *to : targets) {
    Value *condition = conditionOf(block, to, isDivergent);
    if (isDivergent) {
      Value *mask = both(state.mask, condition);
      addEdge(block, to, {mask, nullptr}, mask);
      continue;
    }
    Value *all = state.mask ? state.mask : values.allLanes();
    State next{builder.CreateSelect(condition, all, values.noLane()), nullptr};
    if (state.taken)
      next.taken = builder.CreateLogicalAnd(state.taken, condition);
    addEdge(block, to, next, state.mask);
  }
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

LaneEmitter::Guard LaneEmitter::beginGuard(Value *condition) {
  Guard guard{builder.GetInsertBlock(), nullptr, nullptr, values.numBlocks(),
              edges.size()};
  guard.end = values.addBlock("lanes.end");
  BasicBlock *inside = values.addBlock("lanes.some");
  builder.CreateCondBr(condition, inside, guard.end);
  builder.SetInsertPoint(inside);
  return guard;
}

Value *LaneEmitter::afterGuard(const Guard &guard, Value *inside,
                               Value *outside) {
  PHINode *phi = builder.CreatePHI(inside->getType(), 2);
  phi->addIncoming(inside, guard.last);
  phi->addIncoming(outside, guard.before);
  return phi;
}

/// If the guarded code did not run, no lane has taken an edge out of it, and
/// the values of these edges do not matter.
void LaneEmitter::endGuard(Guard &guard) {
  guard.last = builder.GetInsertBlock();
  SmallVector<Value *> masks;
  for (Edge &edge : drop_begin(edges, guard.numEdges))
    masks.push_back(edge.mask ? edge.mask : values.allLanes());
  builder.CreateBr(guard.end);
  guard.end->moveAfter(guard.last);
  builder.SetInsertPoint(guard.end);
  for (auto [number, mask] : enumerate(masks)) {
    Edge &edge = edges[guard.numEdges + number];
    if (edge.taken)
      edge.taken = afterGuard(guard, edge.taken, builder.getFalse());
    for (Value *&value : edge.values)
      if (value && values.isSince(value, guard.numBlocks))
        value = afterGuard(guard, value, PoisonValue::get(value->getType()));
    edge.mask = edge.inside = afterGuard(guard, mask, values.noLane());
  }
}

/// Whether an active lane must be there, in code of `node` that is not behind
/// a guard of its own.
bool LaneEmitter::needsGuard(BasicBlock *node, const Loop *region) const {
  if (regions.loopAt(node, region))
    return true;
  for (const Instruction &instruction : *node)
    if (needsActiveLane(instruction, shapes))
      return true;
  return any_of(regions.children(node, region),
                [&](BasicBlock *child) { return needsGuard(child, region); });
}

unsigned LaneEmitter::length(BasicBlock *node, const Loop *region) const {
  unsigned result = node->size();
  for (const Instruction &instruction : *node)
    if (isa<LoadInst, StoreInst>(instruction) ||
        instruction.getOpcode() == Instruction::FDiv)
      result += shortCode / 2;
  for (BasicBlock *child : regions.children(node, region))
    result += length(child, region);
  return result;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void LaneEmitter::emitTree(BasicBlock *node, Loop *region, State state) {
  if (Loop *inner = regions.loopAt(node, region))
    emitLoop(*inner, state);
  else
    emitBlock(node, state);
  for (BasicBlock *child : regions.children(node, region))
    emitChild(child, node, region, state);
}

void LaneEmitter::emitChild(BasicBlock *node, BasicBlock *parent, Loop *region,
                            State state) {
  SmallVector<Edge, 4> incoming = takeEdges(node, region);
  State own = state;
  Value *condition = builder.getTrue();
  if (!regions.closes(node, parent, region)) {
    own = {incoming.front().mask, incoming.front().taken};
    for (const Edge &edge : drop_begin(incoming)) {
      own.mask = either(own.mask, edge.mask);
      own.taken = own.taken && edge.taken
                      ? builder.CreateLogicalOr(own.taken, edge.taken)
                      : nullptr;
    }
    if (own.taken) {
      condition = own.taken;
      own.taken = builder.getTrue();
      if (incoming.size() == 1)
        own.mask = incoming.front().inside;
    } else if (needsGuard(node, region) || length(node, region) > shortCode) {
      condition = any(own.mask);
    }
  }
  bool isGuarded = condition != builder.getTrue();
  Guard guard{};
  if (isGuarded)
    guard = beginGuard(condition);
  if (Loop *inner = regions.loopAt(node, region))
    entries[inner] = incoming.front();
  else
    emitPhis(node, incoming);
  emitTree(node, region, own);
  if (isGuarded)
    endGuard(guard);
}

void LaneEmitter::emitPhis(BasicBlock *block, ArrayRef<Edge> incoming) {
  for (auto [number, phi] : enumerate(block->phis())) {
    if (Value *only = shapes.onlyValue(phi)) {
      values.setSame(&phi, only);
      continue;
    }
    bool isVarying = shapes.isVarying(&phi);
    Value *result = incoming.front().values[number];
    for (const Edge &edge : drop_begin(incoming)) {
      Value *other = edge.values[number];
      Value *condition = isVarying ? edge.mask : edge.taken;
      if (other != result)
        result =
            condition ? builder.CreateSelect(condition, other, result) : other;
    }
    values.set(&phi, result);
  }
}

void LaneEmitter::emitBlock(BasicBlock *block, State state) {
  for (Instruction &instruction : *block)
    if (!isa<PHINode>(instruction) && !instruction.isTerminator())
      values.emit(instruction, state.mask);
  emitEdges(block, state);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void LaneEmitter::emitLoop(Loop &loop, State state) {
  if (shapes.isDivergent(&loop))
    emitDivergentLoop(loop, state);
  else
    emitUniformLoop(loop, state);
  entries.erase(&loop);
}

/// Goes on in a new header with the loop's own phis.
void LaneEmitter::beginHeader(Loop &loop, BasicBlock *header) {
  BasicBlock *before = builder.GetInsertBlock();
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  const Edge &entry = entries.at(&loop);
  for (auto [number, phi] : enumerate(loop.getHeader()->phis())) {
    PHINode *own =
        builder.CreatePHI(entry.values[number]->getType(), 2, phi.getName());
    own->addIncoming(entry.values[number], before);
    values.set(&phi, own);
  }
}

void LaneEmitter::endHeader(Loop &loop, BasicBlock *header, const Edge &back) {
  auto own = header->phis().begin();
  for (Value *value : back.values)
    (own++)->addIncoming(value, builder.GetInsertBlock());
}

void LaneEmitter::emitUniformLoop(Loop &loop, State state) {
  BasicBlock *header = values.addBlock("lanes.loop");
  beginHeader(loop, header);
  emitTree(loop.getHeader(), &loop, state);
  Edge back = takeEdges(loop.getHeader(), &loop).front();
  BasicBlock *to = loop.getExitBlock();
  Edge leaving = takeEdges(to, &loop).front();
  Value *goesOn =
      conditionOf(loop.getLoopLatch(), loop.getHeader(), /*isVector=*/false);
  endHeader(loop, header, back);
  BasicBlock *after = values.addBlock("lanes.left");
  builder.CreateCondBr(goesOn, header, after);
  builder.SetInsertPoint(after);
  leaving.mask = leaving.inside = state.mask;
  leaving.taken = state.taken;
  edges.push_back(std::move(leaving));
}

SmallVector<LaneEmitter::Exit> LaneEmitter::beginExits(Loop &loop,
                                                       BasicBlock *header) {
  BasicBlock *before = *pred_begin(header);
  SmallVector<BasicBlock *> targets;
  loop.getUniqueExitBlocks(targets);
  SmallVector<Exit> exits;
  auto accumulate = [&](Value *start) {
    PHINode *phi = builder.CreatePHI(start->getType(), 2);
    phi->addIncoming(start, before);
    return phi;
  };
  for (BasicBlock *to : targets) {
    Exit exit{to, nullptr, {}};
    if (targets.size() > 1)
      exit.mask = accumulate(values.noLane());
    for (PHINode &phi : to->phis())
      exit.values.push_back(
          shapes.onlyValue(phi)
              ? nullptr
              : accumulate(PoisonValue::get(values.vectorType(phi.getType()))));
    exits.push_back(std::move(exit));
  }
  return exits;
}

/// Lanes that leave now take their values of this round along.
void LaneEmitter::updateExit(Exit &exit, ArrayRef<Edge> leaving, Edge &merged) {
  BasicBlock *last = builder.GetInsertBlock();
  for (auto [number, sum] : enumerate(exit.values)) {
    Value *result = sum;
    for (const Edge &edge : leaving)
      if (sum)
        result = builder.CreateSelect(edge.mask, edge.values[number], result);
    merged.values.push_back(result);
    if (sum)
      sum->addIncoming(result, last);
  }
  if (!exit.mask)
    return;
  Value *mask = exit.mask;
  for (const Edge &edge : leaving)
    mask = builder.CreateOr(mask, edge.mask);
  exit.mask->addIncoming(mask, last);
  merged.mask = mask;
}

void LaneEmitter::emitDivergentLoop(Loop &loop, State state) {
  BasicBlock *header = values.addBlock("lanes.loop");
  BasicBlock *before = builder.GetInsertBlock();
  Value *start = state.mask ? state.mask : values.allLanes();
  beginHeader(loop, header);
  PHINode *live = builder.CreatePHI(start->getType(), 2, "live");
  live->addIncoming(start, before);
  SmallVector<Exit> exits = beginExits(loop, header);
  emitTree(loop.getHeader(), &loop, {live, builder.getTrue()});

  Edge back = takeEdges(loop.getHeader(), &loop).front();
  SmallVector<Edge> outside;
  for (Exit &exit : exits) {
    SmallVector<Edge, 4> leaving = takeEdges(exit.to, &loop);
    Edge merged{loop.getHeader(), exit.to, state.mask, nullptr, nullptr, {}};
    updateExit(exit, leaving, merged);
    outside.push_back(std::move(merged));
  }
  endHeader(loop, header, back);
  live->addIncoming(back.mask, builder.GetInsertBlock());
  BasicBlock *after = values.addBlock("lanes.left");
  builder.CreateCondBr(any(back.mask), header, after);
  builder.SetInsertPoint(after);
  for (Edge &edge : outside) {
    edge.inside = edge.mask;
    edges.push_back(std::move(edge));
  }
}

} // namespace sluice::codegen
